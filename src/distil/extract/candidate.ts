import { contentWords } from "../../text/content-words.ts";
import { sentences } from "../../text/sentences.ts";
import type { Fact } from "../task/distiller.ts";

/** A fact in the making. Of a message that carries a tool's result only its text is the user's. */
export interface Candidate extends Fact {
  readonly category:
    | "decision"
    | "principle"
    | "preference"
    | "correction"
    | "mistake-pattern"
    | "core"
    | "open-request"
    | "outcome";
}

/** The sentences of a text without its code. */
export const spoken = (text: string): string[] =>
  sentences(text).flatMap((one) => (one.code ? [] : [one.text]));

/** Share of distinct words two facts have in common from which they count as one. */
const SAME = 0.75;

/** The weightiest `most` of them, none that says what another says. */
export function distinct(candidates: readonly Candidate[], most: number): Candidate[] {
  const inTurn = candidates
    .map((candidate, at) => ({ candidate, at, words: new Set(contentWords(candidate.content)) }))
    .sort((a, b) => b.candidate.importance - a.candidate.importance || b.at - a.at);
  const kept: typeof inTurn = [];
  for (const item of inTurn) {
    if (kept.length >= most) break;
    const says = ({ words }: typeof item, shared = words.intersection(item.words).size): boolean =>
      shared >= SAME * Math.max(1, words.size + item.words.size - shared);
    if (!kept.some((other) => says(other))) kept.push(item);
  }
  return kept.sort((a, b) => a.at - b.at).map(({ candidate }) => candidate);
}
