import { type Entry } from "../model/history.ts";

/** What is known of a request's message before it is placed. */
export interface Reading {
  readonly content: string;
  readonly skeleton: string;
  readonly assistant: boolean;
  /** The first characters of an assistant's text. */
  readonly head: string;
  /** Digest of the thinking it holds. */
  readonly thought?: string;
  /** What it weighs by our own count, thinking and all. */
  readonly tokens: number;
}

/** The line of a session: what was seen, and how much of it the caller has confirmed. */
export interface Line {
  readonly entries: readonly Pick<Entry, "content" | "skeleton" | "role" | "reply" | "head">[];
  readonly confirmed: number;
}

export function matches(line: Line, position: number, reading: Reading): boolean {
  const entry = line.entries[position];
  if (entry === undefined) return false;
  if (entry.content === reading.content) return true;
  // A cleared tool result is still the same message, but only where the caller had the true one before: a provisional
  // message with another result is another message.
  return position < line.confirmed && entry.skeleton === reading.skeleton;
}

export function holdsReply({ entries }: Line, from: number, to = entries.length): boolean {
  for (let position = from; position < to; position++) if (entries[position]?.reply) return true;
  return false;
}

/** Fewer characters than this begin many a reply ("Hello!"), so they tell nothing. */
const TELLING = 16;
/** What an interrupted reply is marked with: a bracket, an asterisk, dots, a dash, a slash. Half a character may stand before. */
const MARKED = /^\ufffd?\s*(?:$|[[(<{*_…—–/-]|\.\.)/;

/** Is the message a cut or marked form of the reply archived at `position`? */
export function resembles(line: Line, position: number, reading: Reading | undefined): boolean {
  const entry = line.entries[position];
  if (entry === undefined || reading === undefined || !reading.assistant) return false;
  const archived = archivedHead(line, position);
  if (archived === undefined) return false;
  if (archived === "" || reading.head === "") return entry.skeleton === reading.skeleton;
  const shared = sharedLength(archived, reading.head);
  const [rest, more] = [archived.slice(shared), reading.head.slice(shared)];
  // The whole of it with something behind; some of it, with a mark behind or nothing; all of it behind a mark.
  if (rest === "" && (shared >= TELLING || MARKED.test(more))) return true;
  if (shared >= TELLING) return MARKED.test(more);
  return archived.length >= TELLING && MARKED.test(reading.head) && reading.head.includes(archived.slice(0, 2 * TELLING));
}

function sharedLength(one: string, other: string): number {
  let length = 0;
  while (length < one.length && one[length] === other[length]) length++;
  return length;
}

/** A reply's first characters; with the beginning the caller put in its mouth, if there was one. */
function archivedHead({ entries }: Line, position: number): string | undefined {
  const entry = entries[position];
  if (entry?.reply) return entry.head;
  const next = entries[position + 1];
  return entry?.role === "assistant" && next?.reply ? entry.head + next.head : undefined;
}
