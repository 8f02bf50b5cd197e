import { percent, unpercent } from "../disk/paths.ts";

type Fields = Readonly<Record<string, string | undefined>>;

/** Letters and digits of any language stay readable; ">" could end the comment. */
const PLAIN = /[\p{L}\p{N}._:/@+-]/u;

/**
 * One bullet a person reads, with what the machine needs in a comment behind it:
 * `- text <!-- id=m1 at=2026-08-22T10:00:00.000Z -->`. The text may not hold "<!--" or a line
 * break.
 */
interface MarkedLine {
  readonly text: string;
  readonly fields: Fields;
}

/** By far the most values are no more than this: one look for all of their characters. */
const SIMPLE = /^[A-Za-z0-9._:/@+-]*$/;

export function markedLine(text: string, fields: Fields): string {
  const mark = Object.entries(fields).flatMap(([name, value]) =>
    value === undefined ? [] : [`${name}=${SIMPLE.test(value) ? value : percent(value, PLAIN)}`],
  );
  return `- ${text} <!-- ${mark.join(" ")} -->`;
}

/** Undefined for a line that is not one of ours, or is torn. */
export function readMarkedLine(line: string): MarkedLine | undefined {
  const whole = line.trimEnd();
  // A mark holds no "<": the last opening is its own, whatever a person wrote before it.
  const start = whole.lastIndexOf(" <!-- ");
  if (!whole.startsWith("- ") || start < 1 || !whole.endsWith(" -->")) return undefined;
  const text = whole.slice(2, Math.max(2, start));
  const mark = whole.slice(start + 6, -4);
  // Without a prototype: a file may name any field.
  const fields: Record<string, string | undefined> = Object.create(null);
  for (const part of mark.split(" ")) {
    const equals = part.indexOf("=");
    if (equals < 1) return undefined;
    fields[part.slice(0, equals)] = unpercent(part.slice(equals + 1));
  }
  return { text, fields };
}

/** Integer ms of a field, undefined when it is no moment. */
export function momentOf(field: string | undefined): number | undefined {
  const at = Date.parse(field ?? "");
  return Number.isNaN(at) ? undefined : at;
}
