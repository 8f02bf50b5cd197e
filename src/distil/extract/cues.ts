import { remembering } from "../../base/cache.ts";

/** These words may stand before a sentence's beginning without changing it. */
const FILLERS = new Set(
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
  needs: "allergic, allergy, vegan",
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
  remember: "remember that, ^remember, keep in mind, for the record",
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
