/** What stands right before the place reached; a space or one mark joins the word that follows it. */
type Before = typeof BARE | typeof SPACE | typeof MARK;
export const BARE = 0;
export const SPACE = 1;
export const MARK = 2;

/** One pass over a text. Each reader takes the piece at `at`, moves behind it and adds what it costs. */
export interface Scan {
  readonly text: string;
  readonly end: number;
  at: number;
  tokens: number;
  before: Before;
}

/** The char code at `at`; 0 behind the end. */
export const codeAt = (scan: Scan, at: number): number =>
  at < scan.end ? scan.text.charCodeAt(at) : 0;

export const isLetter = (code: number): boolean =>
  (code >= 97 && code <= 122) || (code >= 65 && code <= 90);
export const isDigit = (code: number): boolean => code >= 48 && code <= 57;
export const isLine = (code: number): boolean => code === 10 || code === 13;
