import {
  BARE,
  codeAt,
  flagsOf,
  isAccented,
  isDigit,
  isLetter,
  isLine,
  MARK,
  readForeign,
  type Scan,
  SPACE,
} from "./scripts.ts";

/**
 * Row: first letter, bit: second. Set = the pair is usual inside the words of o200k_base. A word of
 * usual pairs is one token; each unusual one tends to break it. That alone prices rare words,
 * abbreviations, ids, hex and base64.
 */
const USUAL = Int32Array.of(
  0x3febd6f,
  0x11e4b51,
  0x15e4d9f,
  0x11e4919,
  0x1eff87f,
  0x19e4931,
  0x11e69d0,
  0x11a7113,
  0x2aefc7f,
  0x0144811,
  0x07c2158,
  0x13cc979,
  0x01cf95b,
  0x13cfd7d,
  0x1feffff,
  0x13ed9d9,
  0x01a0800,
  0x17efd7d,
  0x17fc5b5,
  0x15ed9b5,
  0x29eb97f,
  0x0104151,
  0x0c66191,
  0x1889015,
  0x04cf010,
  0x1400119,
);

/**
 * 1 where the pair is unusual, at first letter · 32 + second; the same letter twice is looked at
 * apart.
 */
const UNUSUAL = Uint8Array.from(
  { length: 26 * 32 },
  (_, pair) => (((USUAL[pair >> 5] ?? 0) >>> (pair & 31)) & 1) ^ 1,
);
/** Stands for "no letter before": its row holds no unusual pair. */
const NONE = 26;

/**
 * Fitted to o200k_base on 5,000 texts of 36 kinds (prose, code, JSON, Chinese, encodings, 14
 * languages), checked on documents held out.
 */
const WEIGHT = {
  loneAfterMark: 0.11,
  two: { bare: -0.31, upper: 0.24, space: -0.59, mark: 0.42 },
  bare: -0.19,
  space: -0.58,
  mark: 0.24,
  title: -0.07,
  mixed: 0.77,
  capitals: 0.43,
  unusual: 0.706,
  unusualFrom3: -0.227,
  over6: 0.211,
  over10: 0.08,
  accent: 0.73,
  repeat: 0.22,
  suffix: 0.157,
};

/** Capitals, then small letters: o200k cuts "getHTTPServer" into "get" and "HTTPServer". */
function readWord(scan: Scan): void {
  const { text, end } = scan;
  let { at } = scan;
  const start = at;
  let code = text.charCodeAt(at);
  let [unusual, upper, accents] = [0, 0, 0];
  // A letter four times in a row costs about a quarter token each, whatever its pair says.
  let [last, row, repeats] = [NONE, 0, 0];
  for (;;) {
    const letter = (code | 32) - 97;
    if (letter >= 0 && letter < 26) {
      if (code < 97) {
        if (at - start > upper) break;
        upper += 1;
      }
      row = letter === last ? row + 1 : 0;
      if (row > 2) repeats += 1;
      else unusual += UNUSUAL[(last << 5) | letter] ?? 0;
      last = letter;
    } else if (code >= 0xc0 && isAccented(code)) {
      accents += 1;
      last = NONE;
    } else break;
    at += 1;
    code = at < end ? text.charCodeAt(at) : 0;
  }
  scan.at = at;
  const extra = extraOf(scan, {
    length: at - start - repeats,
    upper,
    small: at - start - upper,
    unusual,
  });
  scan.tokens += 1 + Math.max(0, extra + accents * WEIGHT.accent + repeats * WEIGHT.repeat);
  if (code === 39) readSuffix(scan);
  scan.before = BARE;
}

interface WordShape {
  readonly length: number;
  readonly upper: number;
  readonly small: number;
  readonly unusual: number;
}

function extraOf({ before }: Scan, { length, upper, small, unusual }: WordShape): number {
  if (length === 1) return before === MARK ? WEIGHT.loneAfterMark : 0;
  if (length === 2) {
    const { two } = WEIGHT;
    let base = upper > 0 ? two.upper : two.bare;
    if (before === SPACE) base = two.space;
    else if (before === MARK) base = two.mark;
    return unusual * WEIGHT.unusual + base;
  }
  let extra = before === MARK ? WEIGHT.mark : WEIGHT.bare;
  if (before === SPACE) extra = WEIGHT.space;
  if (upper > 0 && small === 0) extra += WEIGHT.capitals;
  else if (upper > 0) extra += upper === 1 ? WEIGHT.title : WEIGHT.mixed;
  extra += unusual * WEIGHT.unusual;
  if (unusual > 2) extra += (unusual - 2) * WEIGHT.unusualFrom3;
  if (length > 6) extra += (length - 6) * WEIGHT.over6;
  if (length > 10) extra += (length - 10) * WEIGHT.over10;
  return extra;
}

/** 's 't 'm 'd 're 've 'll belong to the word before them and are often in its token. */
function readSuffix(scan: Scan): void {
  const letter = codeAt(scan, scan.at + 1) | 0x20;
  const short = letter === 115 || letter === 116 || letter === 109 || letter === 100;
  const long = letter === 114 || letter === 118 || letter === 108;
  if (!short && !long) return;
  scan.at = Math.min(scan.end, scan.at + (short ? 2 : 3));
  if (long || letter === 115) scan.tokens += WEIGHT.suffix;
}

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
