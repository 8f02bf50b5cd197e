import { either, phrases } from "../../core/base.ts";
import { opened, spoken } from "./frames.ts";

/** A part of a sentence that can say something by itself. */
export interface Clause {
  readonly text: string;
  /** The sentence it stands in, and where: from the first character to behind the last. */
  readonly sentence: number;
  readonly start: number;
  readonly end: number;
}

const CONJUNCTION = "(?:and|but|so|because|since|cos|coz|cause|as|also|plus|though)";
/** A clause begins with one of these behind a comma, a dash or a conjunction. */
const BEGINS = phrases(
  "",
  `i|i['’]?(?:m|ve|d|ll)|we|we['’](?:re|ve)|my|our|(?:please|pls|plz)(?= \\w)
  do(?: not|n['’]?t)
  never|always|call me|(?:can|could|would|will|should|do|are|is) (?:you|i|we|it|there|my)|what
  what['’]?s|how|which|when(?! i| we| you)|where|why|who|does|any|give me|tell me|help me|remember
  note|keep in mind|no|stop|just|use|it['’]?s?|s?he|they|that['’]?s|there`,
);
const JOINT = new RegExp(
  `(?:\\s*[,;:(–—]\\s*|\\s+-+>?\\s+|\\s*\\.{2,}\\s*|\\s+(?=${CONJUNCTION}\\s))` +
    `(?:${CONJUNCTION},?\\s+)*(?=${BEGINS.source})`,
  "giu",
);

/** "Marie and I": what a conjunction stands behind is no clause yet. */
const isClause = (before: string, joint: string): boolean =>
  /[^\s\p{L}]/u.test(joint) || /\S\s+\S+\s+\S/.test(before);

/** The clauses of a text in order, without what only opens it ("Hi", "By the way"). Linear. */
export const clausesOf = (text: string): Clause[] =>
  spoken(text).flatMap((said, sentence) => {
    const found: Clause[] = [];
    let start = 0;
    const push = (end: number, next: number): void => {
      const clause = said.slice(start, end).trim();
      if (/[\p{L}\p{N}]/u.test(opened(clause))) found.push({ text: clause, sentence, start, end });
      start = next;
    };
    for (const { 0: joint, index } of said.matchAll(JOINT))
      if (isClause(said.slice(start, index), joint)) push(index, index + joint.length);
    push(said.length, said.length);
    return found;
  });

const TOKEN = either(
  /\p{L}[\p{L}\p{N}]*(?:['.&_/-][\p{L}\p{N}]+)*|\p{N}[\p{L}\p{N}.,:/%€$£-]*/gu,
  /[.!?:;,()"“”…–—@#]|\p{Extended_Pictographic}/gu,
);
const ENDING = /(?:ing|ed|ly|er|est|ist|ian|tion|ness|s|y)$/;

/** What kind of word it is, of which no more is known. */
function sort(token: string, isFirst: boolean): string {
  if (/^\p{Extended_Pictographic}/u.test(token)) return "☺";
  if (/^[^\p{L}\p{N}]/u.test(token)) return token;
  if (/\p{N}/u.test(token)) return /^\p{N}+$/u.test(token) ? "0" : "0x";
  if (!isFirst && /^\p{Lu}/u.test(token)) return "Nm";
  if (/[_/.]/.test(token)) return "<code>";
  return `~${(token.length > 4 && ENDING.exec(token.slice(-4).toLowerCase())?.[0]) || ""}`;
}

/** The tokens of a text: words of small letters, and what kind each is. */
export function tokensOf(text: string): { word: string; sort: string }[] {
  const capitals = text.match(/\p{Lu}/gu)?.length ?? 0;
  const isLoud = text.length > 12 && capitals > 2 * (text.match(/\p{Ll}/gu)?.length ?? 0);
  const plain = (isLoud ? text.toLowerCase() : text).replace(/[’‘]/g, "'");
  return (plain.match(TOKEN) ?? []).map((token, at) => ({
    word: token.toLowerCase(),
    sort: sort(token, at === 0),
  }));
}

/** Clauses before it, words of each, and earlier messages that are looked at. */
const [CLAUSES, OPENING, NEXT, EARLIER] = [12, 6, 3, 8] as const;

/** Adds all runs of at most `longest` words under a name. */
function addRuns(into: Set<string>, name: string, words: readonly string[], longest: number): void {
  words.forEach((_, at) => {
    for (let end = at + 1; end <= Math.min(words.length, at + longest); end += 1)
      into.add(name + words.slice(at, end).join(" "));
  });
}

/**
 * The features of each clause of a message: runs of its words and its length; how the clauses
 * before it and the next one begin ("A:", "N:"); how the user's earlier messages did ("B:"); how
 * many clauses there are ("M:"); where it is all of the message, its words once more ("F:"). A word
 * that `isKnown` does not hold for counts by its kind.
 */
export function featuresOf(
  clauses: readonly Clause[],
  earlier: readonly string[],
  isKnown: (word: string) => boolean,
): Set<string>[] {
  const read = (text: string): string[] =>
    tokensOf(text).map((token) => (isKnown(token.word) ? token.word : token.sort));
  const whole = new Set<string>([`M:${Math.min(8, clauses.length)}`]);
  for (const before of earlier.slice(-CLAUSES))
    addRuns(whole, "B:", read(clausesOf(before)[0]?.text ?? "").slice(0, EARLIER), 2);
  const said = clauses.map(({ text }) => read(text));
  return said.map((words, at) => {
    const found = new Set(whole);
    const bounded = ["^", ...words, "$"];
    addRuns(found, "", bounded, 3);
    if (said.length === 1) addRuns(found, "F:", bounded, 2);
    found.add(`L:${Math.min(12, words.length)}`);
    if (at === 0) found.add("M:first");
    if (at === said.length - 1) found.add("M:last");
    for (const before of said.slice(Math.max(0, at - CLAUSES), at))
      addRuns(found, "A:", ["^", ...before.slice(0, OPENING)], 2);
    const next = said[at + 1];
    if (next) addRuns(found, "N:", ["^", ...next.slice(0, NEXT)], 2);
    return found;
  });
}
