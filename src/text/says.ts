import { contentWords } from "./content-words.ts";

/** Does the line hold at least so large a share of the point's words? */
export function says(line: string, point: string, share: number): boolean {
  const wanted = new Set(contentWords(point.replace(/^(?:User|Open request): /, "")));
  const held = new Set(contentWords(line));
  let shared = 0;
  for (const word of wanted) if (held.has(word)) shared += 1;
  return wanted.size > 0 && shared >= wanted.size * share;
}
