/** What a sentence may be for; each has a list of phrases in each language. */
export const MEANINGS = [
  "about",
  "prefers",
  "needs",
  "rules",
  "decides",
  "plans",
  "corrects",
  "requests",
  "defers",
  "withdraws",
  "remember",
  "thanks",
  "done",
  "refuses",
  "because",
  "states",
] as const;
export type Meaning = (typeof MEANINGS)[number];

/**
 * Phrases by their meaning, with a comma between them. Words stand in small letters; `^` is where the sentence begins (behind
 * "ok", "so" and the like).
 */
export type Cues = Readonly<Record<Meaning, string>> & {
  /** Words that may stand before a sentence's beginning without changing it. */
  readonly fillers: string;
};

/** A Chinese character is a word of its own; elsewhere letters and digits are, with apostrophes. */
const WORD = /\p{Script=Han}|[\p{L}\p{N}]+(?:['’][\p{L}]+)*/gu;
/** A sentence has no more words than this that tell what it is for. */
const READ = 120;

const wordsIn = (text: string): string[] =>
  (text.match(WORD) ?? []).slice(0, READ).map((word) => word.toLowerCase().replace("’", "'"));

/** Reads what a sentence is for, in time linear in its words. */
export function reader(languages: readonly Cues[]): (text: string) => ReadonlySet<Meaning> {
  const fillers = new Set(languages.flatMap((cues) => cues.fillers.split(" ")));
  const phrases = languages.flatMap((cues) =>
    MEANINGS.flatMap((meaning) =>
      cues[meaning].split(", ").map((raw) => ({
        meaning,
        words: wordsIn(raw),
        isFirst: raw.startsWith("^"),
      })),
    ),
  );
  const byWord = Map.groupBy(phrases, ({ words }) => words[0]);
  return (text) => {
    const words = wordsIn(text);
    const begin = words.findIndex((word, at) => !fillers.has(word) || at === words.length - 1);
    const found = words.flatMap((word, at) =>
      (byWord.get(word) ?? []).filter(
        ({ isFirst, words: phrase }) =>
          !(isFirst && at > begin) && phrase.every((one, index) => words[at + index] === one),
      ),
    );
    return new Set(found.map(({ meaning }) => meaning));
  };
}
