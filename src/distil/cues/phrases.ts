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
  "confirms",
] as const;
export type Meaning = (typeof MEANINGS)[number];

/**
 * Phrases with one meaning. Words stand in small letters; `^` is where the sentence begins (behind
 * "ok", "so" and the like), `*` stands for one to four words. The examples are the phrases' test.
 */
export interface CueList {
  readonly phrases: readonly string[];
  readonly match: readonly string[];
  readonly not: readonly string[];
}
export type Cues = Readonly<Record<Meaning, CueList>> & {
  /** Words that may stand before a sentence's beginning without changing it. */
  readonly fillers: readonly string[];
};

/** A Chinese character is a word of its own; elsewhere letters and digits are, with apostrophes. */
const WORD = /\p{Script=Han}|[\p{L}\p{N}]+(?:['’][\p{L}]+)*/gu;
const GAP = 4;
/** A sentence has no more words than this that tell what it is for. */
const READ = 120;

export const wordsIn = (text: string): string[] =>
  (text.match(WORD) ?? []).slice(0, READ).map((word) => word.toLowerCase().replace("’", "'"));

interface Phrase {
  readonly meaning: Meaning;
  readonly words: readonly string[];
  readonly first: boolean;
}

/** Reads what a sentence is for, in time linear in its words. */
export function reader(languages: readonly Cues[]): (text: string) => ReadonlySet<Meaning> {
  const byWord = new Map<string, Phrase[]>();
  const fillers = new Set(languages.flatMap((cues) => cues.fillers));
  for (const cues of languages)
    for (const meaning of MEANINGS)
      for (const raw of cues[meaning].phrases) {
        const words = raw.split(" ").flatMap((part) => (part === "*" ? ["*"] : wordsIn(part)));
        const phrase = { meaning, words, first: raw.startsWith("^") };
        byWord.set(words[0] ?? "", [...(byWord.get(words[0] ?? "") ?? []), phrase]);
      }
  return (text) => {
    const words = wordsIn(text);
    let begin = 0;
    while (begin < words.length - 1 && fillers.has(words[begin] ?? "")) begin += 1;
    const found = new Set<Meaning>();
    words.forEach((word, at) => {
      for (const { meaning, words: phrase, first } of byWord.get(word) ?? []) {
        if (found.has(meaning) || (first && at > begin)) continue;
        if (follows(words, at + 1, phrase.slice(1))) found.add(meaning);
      }
    });
    return found;
  };
}

function follows(words: readonly string[], at: number, phrase: readonly string[]): boolean {
  const [next, ...rest] = phrase;
  if (next === undefined) return true;
  if (next !== "*") return words[at] === next && follows(words, at + 1, rest);
  const last = Math.min(words.length, at + GAP);
  for (let gap = at + 1; gap <= last; gap += 1) if (follows(words, gap, rest)) return true;
  return false;
}
