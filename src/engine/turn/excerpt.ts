import { head, oneLine } from "../../text/cut.ts";
import { sentences } from "../../text/sentences.ts";
import { contentTerms } from "../../text/terms.ts";

/** The text on one line; of a longer one the sentences that hold most of the terms, in their order, with "…" for the rest. */
export function excerpt(text: string, terms: ReadonlySet<string>, characters: number): string {
  const whole = oneLine(text);
  if (whole.length <= characters) return whole;
  const said = sentences(text).map((sentence, at) => {
    const held = new Set(contentTerms(sentence.text).terms.filter((term) => terms.has(term)));
    return { at, text: oneLine(sentence.text), held: held.size };
  });
  const best = said
    .filter(({ held }) => held > 0)
    .sort((one, other) => other.held - one.held || one.at - other.at);
  const chosen = new Map<number, string>();
  let room = characters;
  for (const { at, text: sentence } of best) {
    const size = sentence.length + 2;
    if (size > room) continue;
    chosen.set(at, sentence);
    room -= size;
  }
  if (chosen.size === 0) return `${head(best[0]?.text ?? whole, characters)}…`;
  let last = -1;
  const parts = said.flatMap(({ at }) => {
    const sentence = chosen.get(at);
    if (sentence === undefined) return [];
    const gap = at > last + 1 ? ["…", sentence] : [sentence];
    last = at;
    return gap;
  });
  return [...parts, ...(last < said.length - 1 ? ["…"] : [])].join(" ");
}
