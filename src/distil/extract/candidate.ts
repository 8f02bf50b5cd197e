import { contentWords } from "../../text/content-words.ts";
import { type MemoryKind, type Origin } from "../../model/memory.ts";
import { wholeHead } from "../../text/sentences.ts";

export type Category =
  | "decision"
  | "principle"
  | "preference"
  | "correction"
  | "mistake-pattern"
  | "core"
  | "open-request"
  | "outcome";

/** A fact in the making. */
export interface Candidate {
  readonly content: string;
  readonly category: Category;
  readonly importance: number;
  readonly key?: string;
  readonly kind?: MemoryKind;
  readonly supersedes?: string;
  /** It says that an earlier statement was wrong. */
  readonly corrects?: true;
  /** Whose words these are: of a message that carries a tool's result only its text is the user's. */
  readonly origin: Origin;
  readonly from: readonly number[];
}

/** Longest fact, in characters. */
export const LONGEST_FACT = 300;

/** At most `most` characters, cut between words and visibly. */
export function fitting(text: string, most = LONGEST_FACT): string {
  if (text.length <= most) return text;
  const head = wholeHead(text, most - 2);
  return head === "" ? "" : `${head} …`;
}

/** Share of distinct words two facts have in common from which they count as one. */
const SAME = 0.75;

/** The weightiest `most` of them: one for each key (the latest word counts), none that says what another says. */
export function distinct(candidates: readonly Candidate[], most: number): Candidate[] {
  const latest = new Map<string, Candidate>();
  for (const candidate of candidates) if (candidate.key !== undefined) latest.set(candidate.key, candidate);
  const inTurn = candidates
    .filter((candidate) => candidate.content !== "" && (candidate.key === undefined || latest.get(candidate.key) === candidate))
    .map((candidate, at) => ({ candidate, at, words: new Set(contentWords(candidate.content)) }))
    .sort((a, b) => b.candidate.importance - a.candidate.importance || b.at - a.at);
  const kept: typeof inTurn = [];
  const byWord = new Map<string, typeof inTurn>();
  for (const item of inTurn) {
    if (kept.length >= most) break;
    const shared = new Map<(typeof inTurn)[number], number>();
    for (const word of item.words) for (const other of byWord.get(word) ?? []) shared.set(other, (shared.get(other) ?? 0) + 1);
    if ([...shared].some(([other, count]) => count / Math.max(1, item.words.size + other.words.size - count) >= SAME)) continue;
    kept.push(item);
    for (const word of item.words) {
      const known = byWord.get(word);
      if (known === undefined) byWord.set(word, [item]);
      else known.push(item);
    }
  }
  return kept.sort((a, b) => a.at - b.at).map(({ candidate }) => candidate);
}
