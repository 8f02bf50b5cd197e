import { readMarks } from "./marks.ts";
import { BARE, codeAt, isDigit, isLetter, isLine, MARK, type Scan, SPACE } from "./scan.ts";
import { isAccented, readForeign } from "./scripts.ts";
import { readWord } from "./words.ts";

/**
 * Tokens of `text`, close to o200k_base: one pass that cuts the text where that tokenizer does and prices each piece.
 * Never negative, 0 only for "". Errors against exact counts are in bench/results/tokens.json.
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

/** Everything up to the last line end is one token, the spaces behind it another, but for the last, which joins what follows. */
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
