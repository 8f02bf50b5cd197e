import { either } from "../../base/patterns.ts";
import { contentWords } from "../../text/content-words.ts";
import { identifiers } from "../../text/identifiers.ts";
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

/**
 * A capital inside a sentence is a name; behind a comma at its end it only calls the other speaker.
 */
const NAME = /(?<=[\p{Ll}\p{N},;:(/&+] ["'“]?)(?!I\b|I['’])\p{Lu}[\p{L}\p{N}'’-]*/gu;
const CALLED = /[,!]\s+\p{Lu}\p{Ll}+(?=[.!?…]*$)|^(?:\p{L}+[,!]? )?\p{Lu}\p{Ll}+[,!] /u;
const NUMBER = /\p{N}|\b(?:one|two|three|four|five|six|seven|eight|nine|ten|twelve)\b/iu;
const QUOTED = /["“][^"”]{3,80}["”]/u;

/** How much of a sentence only this world has: names, figures, identifiers, titles. 0…4. */
export function specifics(sentence: string): number {
  const text = bare(sentence);
  const names = new Set(text.match(NAME)).size;
  const rest = [NUMBER.test(text), QUOTED.test(text), identifiers(text).length > 0];
  return Math.min(4, names + rest.filter(Boolean).length);
}

/** "100 %" says how much is meant, and is no figure of anything. */
const ALL_OF_IT = /\b100 ?%/g;

const bare = (sentence: string): string => sentence.replace(CALLED, " ").replace(ALL_OF_IT, " ");

/** How many words of content a sentence holds. */
export const telling = (sentence: string): number => new Set(contentWords(bare(sentence))).size;

const LEANS = either(
  /^(?:and|but|so|because|which|then|after that|also|or|it|it's|they|they're)(?!\p{L})/iu,
  /^(?:they've|them|she|he|that's|however)(?!\p{L})/iu,
);
/** Somebody or something that was named before. */
const PRONOUN = either(
  /(?<!\p{L})(?:they|they['’](?:re|ve|d|ll)|them|their|theirs|he|she|him|his)(?!\p{L})/iu,
  /(?<!\p{L})(?:her|hers|it)(?!\p{L})/iu,
);
const NAMED = /\b(?:my|our|the|this|that|these|those|an?)\s\p{L}/iu;

/** Does the sentence speak of somebody before it names anybody? */
function dangles(sentence: string): boolean {
  const at = sentence.search(PRONOUN);
  const before = sentence.slice(0, Math.max(0, at));
  return at >= 0 && telling(before) <= 1 && !NAMED.test(before) && before.search(NAME) < 0;
}

/** Cannot be understood without what stands before it. */
export function leans(sentence: string): boolean {
  const text = sentence.trim();
  return LEANS.test(text) || dangles(text);
}

export const isQuestion = (sentence: string): boolean => /[?？]["'”’)\]]*$/u.test(sentence.trim());
