import { either, remembering } from "../../core/base.ts";
import { identifiers } from "../../core/text/identifiers.ts";
import { contentWords, sentences } from "../../core/text/sentences.ts";
import type { Fact } from "./task.ts";

/** These words may stand before a sentence's beginning without changing it. */
export const FILLERS: ReadonlySet<string> = new Set(
  (
    "ok okay so well and but also yeah yes oh hey hi um please then now alright right sure btw " +
    "omg omfg dude just no hmm sorry wait"
  ).split(" "),
);

/**
 * The phrases that tell what a sentence is for, a comma between them, in small letters; `^` is
 * where the sentence begins (behind "ok", "so" and the like).
 */
const CUES = {
  about: "i, i'm, i've, i'd, we, we're, we'll, my, our",
  prefers:
    "prefer, i'd rather, i like, i love, i hate, favorite, i don't like, i do not want, i " +
    "don't want",
  needs:
    "allergic, allergy, allergies, intolerant, vegan, vegetarian, coeliac, celiac, diabetic, " +
    "diabetes, epilepsy, asthma, pregnant, colour blind, color blind, dyslexic, kosher, halal",
  rules:
    "always, never, must not, must be, from now on, every time, ^no, ^only, under no " +
    "circumstances, not allowed, unless i, ^don't, " +
    "^do not, sign off, make sure",
  decides: "decided, let's go with, let's use, i'll go with, we'll go with, instead of",
  plans:
    "i'm planning, i plan, i'm going to, my goal, goal is, my dream, dream of, dream to, i " +
    "want to become, i'm moving",
  corrects:
    "^actually, i meant, i said, that's wrong, is wrong, that's not, that is not, not what, " +
    "misunderstood, no longer, undid, " +
    "^correction, i was wrong, misspoke, got that wrong, should have",
  requests:
    "please, can you, could you, can we, would you, help me, i need to, i'd like to, ^let's, " +
    "^add, ^fix, ^make, ^create, ^write, " +
    "^implement, ^update, ^remove, ^run, ^read, ^show, ^check, ^change, ^continue, ^tell, " +
    "^give, go ahead",
  withdraws: "never mind, forget it, no need",
  remember: "remember that, ^remember, keep in mind, keep that in mind, for the record",
  thanks: "thanks, thank you, great, perfect, nice, well done, love it, all good, not bad",
  done:
    "done, completed, complete, finished, implemented, fixed, has been, i've, successfully, " +
    "pushed, created",
  refuses: "i can't, i cannot, unable to, cannot be, unfortunately, fails",
  because:
    "because, due to, root cause, the problem, the issue, turns out, turned out, support, requires",
  states: "is, are, was, has, runs, uses, moved, needs, expires, costs",
};

export type Meaning = keyof typeof CUES;
const MEANINGS = Object.keys(CUES) as Meaning[];

const WORD = /[\p{L}\p{N}]+(?:['’][\p{L}]+)*/gu;
/** A sentence has no more words than this that tell what it is for. */
const READ = 120;

const wordsIn = (text: string): string[] =>
  (text.match(WORD) ?? []).slice(0, READ).map((word) => word.toLowerCase().replace("’", "'"));

const BY_FIRST_WORD = Map.groupBy(
  MEANINGS.flatMap((meaning) =>
    CUES[meaning].split(", ").map((raw) => ({
      meaning,
      words: wordsIn(raw),
      isFirst: raw.startsWith("^"),
    })),
  ),
  ({ words }) => words[0],
);

/**
 * Tells by its phrases what a sentence is for. Other languages than English tell nothing here: a
 * model reads those.
 */
export const meanings = remembering((text: string): ReadonlySet<Meaning> => {
  const words = wordsIn(text);
  const begin = words.findIndex((word, at) => !FILLERS.has(word) || at === words.length - 1);
  const found = words.flatMap((word, at) =>
    (BY_FIRST_WORD.get(word) ?? []).filter(
      ({ isFirst, words: phrase }) =>
        !(isFirst && at > begin) && phrase.every((one, index) => words[at + index] === one),
    ),
  );
  return new Set(found.map(({ meaning }) => meaning));
});

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
