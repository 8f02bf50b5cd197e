import { withoutUnseen } from "./unseen.ts";

export { oneLine } from "./one-line.ts";

/** At most `max` UTF-16 units from the start; never half a surrogate pair. */
export function head(text: string, max: number): string {
  if (text.length <= max) return text;
  const half = max > 0 && isHigh(text.charCodeAt(max - 1)) ? 1 : 0;
  return text.slice(0, Math.max(0, max - half));
}

/** At most `max` UTF-16 units from the end; never half a surrogate pair. */
export function tail(text: string, max: number): string {
  if (text.length <= max) return text;
  if (max <= 0) return "";
  const start = text.length - max;
  return text.slice(isHigh(text.charCodeAt(start - 1)) ? start + 1 : start);
}

const isHigh = (unit: number): boolean => unit >= 0xd800 && unit <= 0xdbff;

/** Nothing in it is to be cleaned: one look instead of five. */
const PLAIN = /^[\t\n\x20-\x7e]*$/;

/** Control characters and what is unseen out (tab and line feed stay), lone surrogates made legal: safe for files, rows and JSON. */
export const cleaned = (text: string): string =>
  PLAIN.test(text)
    ? text
    : withoutUnseen(text)
        .replace(/\p{Cs}/gu, "\ufffd")
        .replace(/\r\n?/g, "\n")
        .replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f]/g, "");
