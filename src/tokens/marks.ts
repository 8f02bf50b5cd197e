import { BARE, codeAt, isDigit, isLetter, isLine, MARK, type Scan, SPACE } from "./scan.ts";
import { isAccented } from "./scripts.ts";

/** The marks JSON is written with: o200k has tokens for their usual runs (`":[{"`). */
const JSON_MARKS = flagsOf('":,{}[]');

/** Tokens per further character of a mark repeated four times or more: o200k has rules and dots up to 64 long. */
const REPEAT = new Float64Array(128).fill(0.25);
for (const mark of "-=*#._/") REPEAT[mark.charCodeAt(0)] = 1 / 40;
for (const mark of "!;:~+%") REPEAT[mark.charCodeAt(0)] = 1 / 14;
for (const mark of "`&[]{}") REPEAT[mark.charCodeAt(0)] = 1 / 2;

/** Tokens of a run by its length; fitted as in words.ts. */
const RUN = [0, 1.01, 1.01, 1.07, 1.74, 1.92, 2.36];
const RUN_FURTHER = 0.627;
const AFTER_SPACE = 0.288;
const JSON_SHORT = -0.053;
const JSON_LONG = -0.484;

function flagsOf(marks: string): Uint8Array {
  const flags = new Uint8Array(128);
  for (const mark of marks) flags[mark.charCodeAt(0)] = 1;
  return flags;
}

const isMark = (code: number): boolean =>
  code > 32 && code < 127 && !isDigit(code) && !isLetter(code);

/** A run of ASCII marks, with the line ends behind it. One mark alone goes with the word it touches. */
export function readMarks(scan: Scan): void {
  let { at } = scan;
  const start = at;
  let code = codeAt(scan, at);
  let last = 0;
  let streak = 0;
  let repeats = 0;
  let repeatTokens = 0;
  let json = 1;
  for (; isMark(code); code = codeAt(scan, (at += 1))) {
    streak = code === last ? streak + 1 : 0;
    if (streak > 2) {
      repeats += 1;
      repeatTokens += REPEAT[code] ?? 0;
    }
    json &= JSON_MARKS[code] ?? 0;
    last = code;
  }
  scan.at = at;
  const length = at - start - repeats;
  if (length === 1 && scan.before !== SPACE && (isLetter(code) || isAccented(code))) {
    scan.before = MARK;
    return;
  }
  let tokens = RUN[length] ?? 2.36 + (length - 6) * RUN_FURTHER;
  if (repeats > 0 && length === 3) tokens = 1;
  if (length > 2) {
    if (scan.before === SPACE && repeats === 0) tokens += AFTER_SPACE;
    if (json === 1) tokens += length > 4 ? JSON_LONG : JSON_SHORT;
  }
  scan.tokens += tokens + repeatTokens;
  scan.before = BARE;
  if (isLine(code)) takeLines(scan);
}

/** Line ends right behind marks are in their token; a long row of them is not. */
function takeLines(scan: Scan): void {
  const start = scan.at;
  while (isLine(codeAt(scan, scan.at))) scan.at += 1;
  const lines = scan.at - start;
  if (lines > 12) scan.tokens += lines / 16;
}
