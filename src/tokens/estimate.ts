import {
  BARE,
  codeAt,
  flagsOf,
  isDigit,
  isLetter,
  isLine,
  MARK,
  type Scan,
  SPACE,
  isAccented,
  readForeign,
} from "./scripts.ts";
import { readWord } from "./words.ts";

/**
 * Tokens of `text`, close to o200k_base: one pass that cuts the text where that tokenizer does and
 * prices each piece. Never negative, 0 only for "". Errors against exact counts are in
 * bench/results/tokens.json.
 */
export function estimateTokens(text: string): number {
  const scan: Scan = { text, end: text.length, at: 0, tokens: 0, before: BARE };
  while (scan.at < scan.end) {
    const code = text.charCodeAt(scan.at);
    if (isLetter(code)) readWord(scan);
    else if (code <= 32 || code === 127) readSpace(scan);
    else if (isDigit(code)) readDigits(scan);
    else if (code < 127) readMarks(scan);
    else if (isAccented(code)) readWord(scan);
    else readForeign(scan);
  }
  return text.length === 0 ? 0 : Math.max(1, Math.round(scan.tokens));
}

/** Three digits to a token. A space joins a word or a mark, never a number. */
function readDigits(scan: Scan): void {
  const start = scan.at;
  do scan.at += 1;
  while (isDigit(codeAt(scan, scan.at)));
  scan.tokens += Math.ceil((scan.at - start) / 3) + (scan.before === SPACE ? 1 : 0);
  scan.before = BARE;
}

const isBlank = (code: number): boolean => code === 32 || (code >= 9 && code <= 13);

/**
 * Everything up to the last line end is one token, the spaces behind it another, but for the last,
 * which joins what follows.
 */
function readSpace(scan: Scan): void {
  const start = scan.at;
  let { at } = scan;
  let code = codeAt(scan, at);
  let lines = 0;
  let tabs = 0;
  let from = start;
  for (; isBlank(code); code = codeAt(scan, (at += 1))) {
    if (isLine(code)) {
      lines += 1;
      from = at + 1;
    } else if (code === 9) tabs += 1;
  }
  // Other control characters are tokens of their own.
  scan.at = at === start ? at + 1 : at;
  scan.before = BARE;
  if (at === start || lines > 0) scan.tokens += lines > 12 ? 1 + lines / 16 : 1;
  const rest = at - from;
  if (rest === 0 || at === start) return;
  // o200k has runs of up to 128 spaces and 16 tabs.
  if (rest > 1 || at === scan.end)
    scan.tokens += (rest <= 80 ? 1 : 0.6 + rest / 128) + (tabs > 16 ? tabs / 16 : 0);
  if (codeAt(scan, at - 1) === 32) scan.before = SPACE;
  else if (isLetter(code)) scan.before = MARK;
  else if (at < scan.end) scan.tokens += 1;
}

/** The marks JSON is written with: o200k has tokens for their usual runs (`":[{"`). */
const JSON_MARKS = flagsOf('":,{}[]', 128);

/**
 * Tokens per further character of a mark repeated four times or more: o200k has rules and dots up
 * to 64 long.
 */
const REPEAT = new Float64Array(128).fill(0.25);
for (const [marks, tokens] of [
  ["-=*#._/", 1 / 40],
  ["!;:~+%", 1 / 14],
  ["`&[]{}", 1 / 2],
] as const)
  for (const mark of marks) REPEAT[mark.charCodeAt(0)] = tokens;

/** Tokens of a run by its length; fitted as in words.ts. */
const RUN = [0, 1.01, 1.01, 1.07, 1.74, 1.92, 2.36];
const RUN_FURTHER = 0.627;
const AFTER_SPACE = 0.288;
const JSON_SHORT = -0.053;
const JSON_LONG = -0.484;

const isMark = (code: number): boolean =>
  code > 32 && code < 127 && !isDigit(code) && !isLetter(code);

/**
 * A run of ASCII marks, with the line ends behind it. One mark alone goes with the word it touches.
 */
function readMarks(scan: Scan): void {
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
  // Line ends right behind marks are in their token; a long row of them is not.
  while (isLine(code)) code = codeAt(scan, (scan.at += 1));
  const lines = scan.at - at;
  if (lines > 12) scan.tokens += lines / 16;
}
