import { type Entry } from "../model/history.ts";

/** What is known of a request's message before it is placed. */
export interface Reading {
  readonly content: string;
  readonly skeleton: string;
  readonly assistant: boolean;
  /** The first characters of its text. */
  readonly head: string;
}

/** The line of a session: what was seen, and how much of it the caller has confirmed. */
export interface Line {
  readonly entries: readonly Pick<Entry, "content" | "skeleton" | "reply" | "head">[];
  readonly confirmed: number;
}

/**
 * How a request lies on a line. `positions[i]` is where message i stands, -1 for one that stands nowhere (a caller's own
 * summary). Messages from `positions.length` on are new and follow entry `keep - 1`; entries from `keep` on were provisional
 * and give way.
 */
export type Placement =
  | { readonly kind: "same"; readonly positions: readonly number[]; readonly keep: number; readonly matched: number }
  | { readonly kind: "branch"; readonly keep: number; readonly matched: number }
  | { readonly kind: "stranger" };

const STRANGER: Placement = { kind: "stranger" };
/** A run must be this long to tell where a trimmed history lies: one message alone ("OK") stands in many places. */
const LEAST_RUN = 2;

function matches(line: Line, position: number, reading: Reading): boolean {
  const entry = line.entries[position];
  if (entry === undefined) return false;
  if (entry.content === reading.content) return true;
  // A cleared tool result is still the same message, but only where the caller had the true one before: a provisional
  // message with another result is another message.
  return position < line.confirmed && entry.skeleton === reading.skeleton;
}

/** Where the caller's reply is a cut or marked form of the one archived there. */
function resembles(line: Line, position: number, reading: Reading | undefined): boolean {
  const entry = line.entries[position];
  if (entry === undefined || reading === undefined || !entry.reply || !reading.assistant) return false;
  if (entry.head === "" || reading.head === "") return entry.head === reading.head;
  return reading.head.startsWith(entry.head) || entry.head.startsWith(reading.head) || reading.head.includes(entry.head);
}

interface Run {
  readonly start: number;
  readonly at: number;
  readonly length: number;
}

/** Where each reply of a line stands; a line is asked many times and never changes. */
const replies = new WeakMap<Line["entries"], Map<string, number[]>>();

function placesOf(entries: Line["entries"]): Map<string, number[]> {
  const made = replies.get(entries);
  if (made) return made;
  const places = new Map<string, number[]>();
  entries.forEach((entry, position) => {
    if (!entry.reply) return;
    const known = places.get(entry.content);
    if (known) known.push(position);
    else places.set(entry.content, [position]);
  });
  replies.set(entries, places);
  return places;
}

/** The longest run of the request, behind `skip`, that lies on the line and holds a reply; of equals the latest. */
function findRun(line: Line, readings: readonly Reading[], skip: number): Run | undefined {
  const places = placesOf(line.entries);
  for (let index = readings.length - 1; index >= skip; index--) {
    const reading = readings[index];
    if (reading === undefined || !reading.assistant) continue;
    let best: Run | undefined;
    for (const place of places.get(reading.content) ?? []) {
      if (place < skip) continue;
      const run = widen(line, readings, { index, place, skip });
      if (run.length >= LEAST_RUN && (best === undefined || run.length >= best.length)) best = run;
    }
    if (best) return best;
  }
  return undefined;
}

function widen(line: Line, readings: readonly Reading[], from: { index: number; place: number; skip: number }): Run {
  let { index: start, place: at } = from;
  while (start > from.skip && at > from.skip) {
    const before = readings[start - 1];
    if (before === undefined || !matches(line, at - 1, before)) break;
    start--;
    at--;
  }
  let length = from.index - start + 1;
  for (;;) {
    const next = readings[start + length];
    if (next === undefined || !matches(line, at + length, next)) break;
    length++;
  }
  return { start, at, length };
}

/**
 * Lays a request on a line (design §4).
 *
 * A common beginning is compared first. Where it ends inside what the caller had confirmed, the caller has trimmed or
 * condensed its history if a later run lies further on than it would by counting; a run at the same distance means that
 * messages were edited in place, and an edited history is a branch: no summary may speak for it. `trimmed: false` spares
 * the search for such runs.
 */
export function align(line: Line, readings: readonly Reading[], options: { labelled: boolean; trimmed?: boolean }): Placement {
  const total = readings.length;
  let prefix = 0;
  for (let reading = readings[0]; reading && matches(line, prefix, reading); reading = readings[prefix]) prefix++;
  const heldReply = prefix > 0 && holdsReply(line, 0, prefix);
  const ours = heldReply || (options.labelled && prefix > 0);

  if (prefix >= line.confirmed && prefix > 0 && (ours || resembles(line, prefix, readings[prefix]))) {
    const replaces = prefix < line.entries.length && prefix < total;
    // Nobody answered the message that would give way: two calls are under way at once, and each keeps its own line.
    const answered = holdsReply(line, prefix, line.entries.length);
    if (!replaces || answered) return { kind: "same", positions: count(0, prefix), keep: prefix, matched: prefix };
    return ours ? { kind: "branch", keep: prefix, matched: prefix } : STRANGER;
  }

  const run = prefix < total && options.trimmed !== false ? findRun(line, readings, prefix) : undefined;
  if (run && run.at - prefix > run.start - prefix) {
    const end = run.at + run.length;
    if (end >= line.confirmed) {
      const gap = run.start - prefix;
      const positions = [...count(0, prefix), ...Array.from({ length: gap }, () => -1), ...count(run.at, run.length)];
      return { kind: "same", positions, keep: end, matched: prefix + run.length };
    }
  }
  return heldReply ? { kind: "branch", keep: prefix, matched: prefix } : STRANGER;
}

function holdsReply({ entries }: Line, from: number, to: number): boolean {
  for (let position = from; position < to; position++) if (entries[position]?.reply) return true;
  return false;
}

const count = (from: number, length: number): number[] => Array.from({ length }, (_, index) => from + index);
