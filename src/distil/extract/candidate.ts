import { contentWords } from "../../text/content-words.ts";
import { wholeHead } from "../../text/sentences.ts";
import { type Fact } from "../task/distiller.ts";

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

/** Longest fact, in characters. */
const LONGEST = 300;

/** At most `most` characters, cut between words and visibly. */
export function fitting(text: string, most = LONGEST): string {
  if (text.length <= most) return text;
  const head = wholeHead(text, most - 2);
  return head === "" ? "" : `${head} …`;
}

/** Share of distinct words two facts have in common from which they count as one. */
const SAME = 0.75;

/** The weightiest `most` of them: one for each key (the latest word counts), none that says what another says. */
export function distinct(candidates: readonly Candidate[], most: number): Candidate[] {
  const latest = new Map(candidates.map((one) => [one.key ?? one, one]));
  const inTurn = candidates
    .filter((one) => one.content !== "" && latest.get(one.key ?? one) === one)
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
