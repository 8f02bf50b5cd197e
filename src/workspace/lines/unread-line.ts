import { packedIdIn, packedSum } from "./packed-mark.ts";
import { unpercent } from "../disk/paths.ts";

/**
 * A line of a daily log that was once ours and cannot be read: damaged, or of a version not yet
 * known.
 */
export interface Unread {
  /** The scope's folder, and the log, from the root of the workspace. */
  readonly folder: string;
  readonly file: string;
  /** From 1. */
  readonly line: number;
  readonly raw: string;
  /** The last of its log and without an end: its writer may have died at it. */
  readonly torn: boolean;
}

/** How our lines begin. */
export const BEGINNING =
  /^- \d\d:\d\d:\d\d (?:saved|updated|superseded|forgotten|withdrawn|receipt)\b/;
/**
 * Words of a note with a value in them; a mark has a dozen, and an address is one word however many
 * it holds.
 */
const VALUE = /(?:^|\s)[^\s=]+=[^\s=]/g;
const FEW = 3;

/** The end of a comment that does not begin here: ours stand on one line. */
const isEnd = (raw: string): boolean => raw.trimEnd().endsWith(" -->") && !raw.includes("<!--");

/** No person writes these: they are no text. */
const BROKEN = /[\ufffd\u0000-\u0008\u000b\u000c\u000e-\u001f]/;
const OPENING = "- 00:00:00 ";
const CLOSING = " -->";
/** Characters that tell an opening or a closing of which some are others. */
const MOST_OF = { opening: 8, closing: 3 } as const;

function resembles(raw: string): boolean {
  const end = raw.trimEnd().slice(-CLOSING.length);
  const opening = [...OPENING].filter((char, at) =>
    char === "0" ? /\d/.test(raw[at] ?? "") : raw[at] === char,
  ).length;
  const closing = [...CLOSING].filter((char, at) => end[at] === char).length;
  return (
    opening >= MOST_OF.opening ||
    (closing >= MOST_OF.closing && !raw.trimStart().startsWith("<!--"))
  );
}

/**
 * What is left of a line of ours; a person's own note has no such marks. Asked only of lines that
 * could not be read.
 */
export const isRemnant = (raw: string): boolean =>
  BEGINNING.test(raw) ||
  raw.includes("<!-- ~") ||
  isEnd(raw) ||
  BROKEN.test(raw) ||
  resembles(raw) ||
  (raw.match(VALUE)?.length ?? 0) >= FEW;

/** The id it names. */
export const idIn = (raw: string): string | undefined => {
  const id = /(?:^|\s)id=(\S+)/.exec(raw)?.[1];
  return id === undefined ? packedIdIn(raw) : unpercent(id);
};

/** Does it name the sum of a text? */
export const namesSum = (raw: string, sum: string): boolean =>
  raw.includes(`sum=${sum}`) || raw.includes(packedSum(sum));

/**
 * It was a receipt, or may have been: receipts alone name a line and its first and last message.
 */
export const isReceiptLike = (raw: string): boolean =>
  /\breceipt\b|\b(?:line|first|last|quoted|owed|job)=/.test(raw);

/** It told no value of a memory, as far as can be seen. */
export const tellsNoValue = (raw: string): boolean =>
  /^- \S+ (?:forgotten|withdrawn|receipt)\b| line=\S+ first=/.test(raw);

/** "memory/2026-11-21.md, line 3". */
export const placeOf = ({ file, line }: Unread): string => `${file}, line ${line}`;
