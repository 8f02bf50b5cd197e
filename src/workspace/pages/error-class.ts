/** The first that fits names the failure, so the narrow ones stand before the wide ones. */
const CLASSES: readonly (readonly [name: string, signs: RegExp])[] = [
  ["rate limited", /rate.?limit|too many requests|\b429\b|quota/i],
  ["timed out", /time[d ]?.?out|deadline exceeded|ETIMEDOUT/i],
  [
    "permission denied",
    /permission|EACCES|EPERM|forbidden|unauthorized|not allowed|access denied|\b40[13]\b/i,
  ],
  ["no match to edit", /no match|did not match|string to replace|not unique/i],
  [
    "not found",
    /not found|no such|ENOENT|does not exist|doesn't exist|cannot find|unknown (?:command|option|tool|file)|\b404\b/i,
  ],
  ["syntax error", /syntax ?error|parse error|unexpected token|unexpected end|invalid json/i],
  ["type error", /type ?error|is not a function|not assignable|undefined is not|NoneType|TS\d{4}/i],
  [
    "wrong arguments",
    /invalid|missing required|required (?:parameter|property|argument)|validation|schema|bad request|\b400\b/i,
  ],
  ["no connection", /ECONNREFUSED|ECONNRESET|ENOTFOUND|network|connection|socket|\bDNS\b/i],
  ["out of space", /ENOSPC|no space|out of memory|\bOOM\b/i],
  ["failed checks", /\d+ (?:failed|failing)|tests? failed|assertion|FAILED/i],
  [
    "non-zero exit",
    /exit(?:ed)?(?: with)?(?: code| status)?:? [1-9]|command failed|returned non-zero/i,
  ],
];

/** What kind of failure an error text tells of, in our words: the text itself is the tool's. */
export const errorClass = (text: string): string =>
  CLASSES.find(([, signs]) => signs.test(text.slice(0, 4_000)))?.[0] ?? "error";

/** What to do about it, in our words too. */
const CURES: Readonly<Record<string, string>> = {
  "rate limited": "wait before the next call, and make fewer",
  "timed out": "ask for less at once",
  "permission denied": "do not try it again the same way; ask for the right, or do without",
  "no match to edit": "read the file first, and quote it exactly",
  "not found": "look what there is before naming it",
  "syntax error": "check the form of what is given before the call",
  "type error": "check the types of what is given before the call",
  "wrong arguments": "read the tool's description for what it takes",
  "no connection": "see whether the other side is up before the call",
  "out of space": "make room, or ask for less at once",
  "failed checks": "read what failed before going on",
  "non-zero exit": "read what the command printed before trying again",
};

export const cureOf = (kind: string): string =>
  CURES[kind] ?? "look at what it answered before trying again";
