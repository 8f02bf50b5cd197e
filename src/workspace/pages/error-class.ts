/**
 * The first that fits names the failure, so the narrow ones stand before the wide ones. What to do
 * about it is in our words too.
 */
const CLASSES: readonly (readonly [name: string, signs: RegExp, cure: string])[] = [
  [
    "rate limited",
    /rate.?limit|too many requests|\b429\b|quota/i,
    "wait before the next call, and make fewer",
  ],
  ["timed out", /time[d ]?.?out|deadline exceeded|ETIMEDOUT/i, "ask for less at once"],
  [
    "permission denied",
    /permission|EACCES|EPERM|forbidden|unauthorized|not allowed|access denied|\b40[13]\b/i,
    "do not try it again the same way; ask for the right, or do without",
  ],
  [
    "no match to edit",
    /no match|did not match|string to replace|not unique/i,
    "read the file first, and quote it exactly",
  ],
  [
    "not found",
    /not found|no such|ENOENT|n[o']t exist|cannot find|\b404\b|unknown (?:command|tool|file|opt)/i,
    "look what there is before naming it",
  ],
  [
    "syntax error",
    /syntax ?error|parse error|unexpected token|unexpected end|invalid json/i,
    "check the form of what is given before the call",
  ],
  [
    "type error",
    /type ?error|is not a function|not assignable|undefined is not|NoneType|TS\d{4}/i,
    "check the types of what is given before the call",
  ],
  [
    "wrong arguments",
    /invalid|missing required|required (?:param|prop|arg)|validation|schema|bad request|\b400\b/i,
    "read the tool's description for what it takes",
  ],
  [
    "no connection",
    /ECONNREFUSED|ECONNRESET|ENOTFOUND|network|connection|socket|\bDNS\b/i,
    "see whether the other side is up before the call",
  ],
  ["out of space", /ENOSPC|no space|out of memory|\bOOM\b/i, "make room, or ask for less at once"],
  [
    "failed checks",
    /\d+ (?:failed|failing)|tests? failed|assertion|FAILED/i,
    "read what failed before going on",
  ],
  [
    "non-zero exit",
    /exit(?:ed)?(?: with)?(?: code| status)?:? [1-9]|command failed|returned non-zero/i,
    "read what the command printed before trying again",
  ],
];

/** Names a kind of failure in our words: the text itself is the tool's. */
export const errorClass = (text: string): string =>
  CLASSES.find(([, signs]) => signs.test(text.slice(0, 4_000)))?.[0] ?? "error";

/** A remedy for a failure of this kind. */
export const cureOf = (kind: string): string =>
  CLASSES.find(([name]) => name === kind)?.[2] ?? "look at what it answered before trying again";
