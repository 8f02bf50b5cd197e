import { type Hit } from "../model/memory.ts";
import { head } from "../text/cut.ts";

/** Shorter stumps say nothing. */
const LEAST_CHARACTERS = 20;

/** The hits that fit into `tokens`, in order; the first that does not is shortened and is the last. */
export function fit(hits: readonly Hit[], tokens: number, count: (text: string) => number): Hit[] {
  const fitting: Hit[] = [];
  let left = tokens;
  for (const hit of hits) {
    const size = count(hit.text);
    if (size > left) {
      const text = shorten(hit.text, left, count);
      if (text !== undefined) fitting.push({ ...hit, text });
      break;
    }
    fitting.push(hit);
    left -= size;
  }
  return fitting;
}

function shorten(text: string, tokens: number, count: (text: string) => number): string | undefined {
  let [fits, over] = [0, text.length];
  while (over - fits > 1) {
    const middle = (fits + over) >> 1;
    if (count(`${head(text, middle)}…`) <= tokens) fits = middle;
    else over = middle;
  }
  return fits < LEAST_CHARACTERS ? undefined : `${head(text, fits)}…`;
}
