import { either } from "../base.ts";
import { isStopword } from "./terms.ts";

/** "number" is one of digits alone, which says little by itself. */
type IdentifierKind = "path" | "number" | "other";

/** Something that is only useful when it is copied byte for byte. */
interface Identifier {
  readonly text: string;
  readonly kind: IdentifierKind;
}

/**
 * Longer runs are data (base64, minified code), not names; URLs with query strings reach a few
 * hundred characters.
 */
const LONGEST_IDENTIFIER = 400;

/**
 * One class, one quantifier: linear on any input. ASCII only, so that a path inside Chinese text
 * ends where the path ends.
 */
const RUN = /[A-Za-z0-9_@$~./:#%?&=+-]{3,}|[A-Za-z]:\\[^\s"'<>|*?\n]{2,300}/g;

/** An ordinary word, capital or not: by far the most runs are. */
const PLAIN = /^[A-Za-z]?[a-z]+[.,:?]?$/;

const URL_START = /^[a-z][a-z0-9+.-]{1,20}:\/\/[^/\s]/i;
const LEADING = /^(?:[^A-Za-z0-9_@$~./-]|\.(?![A-Za-z0-9_./])|-(?!-?[A-Za-z]))+/;
const TRAILING = /(?<![.:?#%&=+$~@-])[.:?#%&=+$~@-]+$/;

/** The identifiers of a text, in order, repetitions included. */
export function identifiers(text: string): Identifier[] {
  const found: Identifier[] = [];
  let end = 0;
  // Plain strings, their places found again: match objects for every word of a history are garbage
  // by the megabyte.
  for (const run of text.match(RUN) ?? []) {
    const start = text.indexOf(run, end);
    end = start + run.length;
    // "</div>" is no path.
    if (
      run.length > LONGEST_IDENTIFIER ||
      PLAIN.test(run) ||
      (run.startsWith("/") && text[start - 1] === "<")
    )
      continue;
    if (run.includes("\\")) {
      found.push({ text: trimmedEnd(run), kind: "path" });
      continue;
    }
    const url = !run.includes("://") ? -1 : run.search(/[a-z][a-z0-9+.-]{0,20}:\/\//i);
    if (url >= 0) {
      const whole = trimmedEnd(run.slice(url));
      if (URL_START.test(whole)) found.push({ text: whole, kind: "other" });
      continue;
    }
    for (const part of run.includes("=") ? run.split("=") : [run]) {
      const word = withoutPlace(trimmedEnd(part.replace(LEADING, "")));
      const kind = word.length >= 2 ? kindOf(word) : undefined;
      if (kind !== undefined) found.push({ text: word, kind });
    }
  }
  return found;
}

const trimmedEnd = (text: string): string => text.replace(TRAILING, "");

/** "src/a.ts:42:7" names a place in a file; the file is the identifier. */
const withoutPlace = (word: string): string =>
  /[./]/.test(word) ? word.replace(/:\d+(?::\d+)?$/, "") : word;

export function kindOf(word: string): IdentifierKind | undefined {
  if (word.length > LONGEST_IDENTIFIER) return undefined;
  if (EMAIL.test(word) || URL_START.test(word)) return "other";
  if (word.includes("/")) return isPath(word) ? "path" : undefined;
  if (/[A-Za-z]/.test(word)) {
    if (MEASURE.test(word) || ABBREVIATION.test(word)) return undefined;
    if (/^\.[A-Za-z]/.test(word)) return "path";
    return NAMING.test(word) ? "other" : undefined;
  }
  if (!/^\$?\d[\d.:-]*%?$/.test(word) || word.replace(/\D/g, "").length < 3) return undefined;
  return /^\d+\.\d+\.\d/.test(word) ? "other" : "number";
}

const EMAIL = /^[A-Za-z0-9_.+-]+@[A-Za-z0-9-]+\.[A-Za-z0-9.-]+$/;
const MEASURE = /^[\d.]+(?:st|nd|rd|th|s|ms|px|r?em|v[hw]|fr|pt|x|am|pm|k|[kmg]b?)$/i;
const ABBREVIATION = /^(?:[A-Za-z]\.)+[A-Za-z]?$/;
/** Dots or signs within, a digit in three characters or more, letters of both cases. */
const NAMING = either(
  /[A-Za-z0-9]\.[A-Za-z0-9]|::|^(?=[^]*\d)[^]{3}/,
  /[A-Za-z0-9]_|_[A-Za-z0-9]|[a-z][A-Z]|^--[a-z]/,
);

/** "and/or" and "1/2" are not paths; "src/app", "/etc" and "a/b/c" are. */
function isPath(word: string): boolean {
  if (!/[A-Za-z]/.test(word) || word.includes("//")) return false;
  if (/^(?:~|\.{0,2})\/[A-Za-z0-9_.@-]/.test(word)) return true;
  const parts = word.split("/").filter((part) => part !== "");
  return (
    parts.length > 2 ||
    /[._\d-]/.test(word) ||
    word.endsWith("/") ||
    /^(?:src|lib|test|tests|docs|bin|app|apps|packages|assets)\//.test(word)
  );
}

/**
 * What a turn looks like apart from its words: signs a ranker weighs. English lists, closed and
 * small; for another language they are silent and the words decide alone.
 */

const TIMES =
  "yesterday today tonight tomorrow last ago next week weeks weekend month months year years " +
  "day days morning evening afternoon night monday tuesday " +
  "wednesday thursday friday saturday sunday january february march april may june july august " +
  "september october november december spring summer " +
  "autumn fall winter recently soon date birthday";
const NUMBERS =
  "one two three four five six seven eight nine ten dozen couple few first second third";

/** A capital inside a sentence is a name, in scripts that have capitals. */
const NAME = /(?<=[\p{Ll}\p{N},;:(] )\p{Lu}\p{Ll}+/gu;

/** Bits of a turn's cues; two bits count its names, up to three. */
export const CUE = {
  asks: 1,
  endsAsking: 2,
  time: 4,
  number: 8,
  name: 16,
  user: 64,
  assistant: 128,
  you: 256,
} as const;
const SIGNS: readonly (readonly [cue: number, sign: RegExp])[] = [
  [CUE.asks, /[?？؟]/u],
  [CUE.endsAsking, /[?？؟]["'”’)\s]*$/u],
  [CUE.time, new RegExp(`\\b(${TIMES.replaceAll(" ", "|")}|\\d{4})\\b`, "i")],
  [CUE.number, new RegExp(`\\d|\\b(${NUMBERS.replaceAll(" ", "|")})\\b`, "i")],
  [CUE.you, /\b(you|your|yours)\b/i],
];
/** Signs of a page dumped by a tool stand in its beginning, or are no signs. */
const READ = 4_000;

export const namesOf = (text: string): readonly string[] => text.match(NAME) ?? [];

export function cuesOf(text: string, role: string): number {
  const read = text.slice(0, READ);
  let cues = CUE.name * Math.min(3, namesOf(read).length);
  for (const [cue, sign] of SIGNS) if (sign.test(read)) cues |= cue;
  if (role === "user") return cues | CUE.user;
  return role === "assistant" ? cues | CUE.assistant : cues;
}

/** 0…3 */
export const namesIn = (cues: number): number => (cues >> 4) & 3;

const DENIAL =
  /\b(?:not|no|never|none|nothing|nobody|neither|nor|without|cannot|\w+n['’]t)\b|n['’]t\b/gi;
const WRITTEN = /[^\s"'`(),;!?]+/g;
const FIGURE = either(
  /[\d/@_]/i,
  /\b(?:two|three|four|five|six|seven|eight|nine|ten|eleven|twelve|twenty|hundred|thousand)\b/,
);
const NAMED = /(?<=[^.!?\s]\s["'“(]?)\p{Lu}[\p{L}\p{N}-]*/gu;
const FIRST = /(?<=^|[.!?]\s)\p{Lu}[\p{L}\p{N}-]*/gu;
const WORD = /[\p{L}\p{N}-]+/gu;

/** How often something is denied. */
export const denials = (text: string): number => text.match(DENIAL)?.length ?? 0;

/** Names, numbers, paths and days: what no rewording may lose. */
const marksOf = (text: string): string[] =>
  [
    ...(text.match(WRITTEN) ?? []).flatMap((run) =>
      FIGURE.test(run) ? run.replace(/[.:\]]{1,9}$/, "") : [],
    ),
    ...(text.match(NAMED) ?? []),
    ...(text.match(FIRST) ?? []).filter((word) => !isStopword(word.toLowerCase())),
  ].map((one) => one.toLowerCase());

/** Does the first text hold each mark of the second? */
export function holdsMarks(stays: string, goes: string): boolean {
  const held = new Set([...marksOf(stays), ...(stays.toLowerCase().match(WORD) ?? [])]);
  return marksOf(goes).every((mark) => held.has(mark));
}
