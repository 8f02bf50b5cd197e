import { alike, append, blank, cut, type Print, printOf, unchanged } from "./print.ts";

/** What was worked out of a message, as long as the message is what it was. */
export interface Seen<T> {
  /** The value set for this very object, if no leaf of it has changed since. */
  get(message: object): T | undefined;
  set(message: object, value: T): void;
  /** How many messages a list began with when it was gone through last. */
  met(messages: readonly object[]): number;
  /** Of each of a list: known, or made and set. A list that begins with the same object as one before is compared along that one. */
  all<M extends object>(messages: readonly M[], make: (message: M, index: number) => T): T[];
}

interface Known<T> {
  readonly print: Print;
  readonly value: T;
}

/** A list as it was, in one row. `ends[i]` is where message i ends among the owners. */
interface Line<T> extends Print {
  readonly ends: number[];
  readonly values: T[];
}

/**
 * Remembers one value per message object. Callers change messages in place, so identity alone proves nothing: every leaf,
 * key and length is compared with the one seen, which takes a fraction of a microsecond and no hashing.
 */
export function createSeen<T>(): Seen<T> {
  const known = new WeakMap<object, Known<T>>();
  // By its first message: in a conversation of thousands most of the time would go into finding each by itself.
  const lines = new WeakMap<object, Line<T>>();

  function get(message: object): Known<T> | undefined {
    const found = known.get(message);
    if (found === undefined) return undefined;
    const { print, value } = found;
    if (unchanged(print, print.owners.length) === print.owners.length) return found;
    const now = printOf(message);
    return now !== undefined && alike(now, print)
      ? keep(message, { print: now, value })
      : undefined;
  }

  function keep(message: object, one: Known<T>): Known<T> {
    known.set(message, one);
    return one;
  }

  function set(message: object, value: T): Known<T> | undefined {
    const print = printOf(message);
    if (print !== undefined) return keep(message, { print, value });
    known.delete(message);
    return undefined;
  }

  return {
    get: (message) => get(message)?.value,
    set: (message, value) => void set(message, value),
    met: ([first]) => (first === undefined ? 0 : (lines.get(first)?.ends.length ?? 0)),
    all(messages, make) {
      const [first] = messages;
      if (first === undefined) return [];
      const line = lines.get(first) ?? { ...blank(), ends: [], values: [] };
      lines.set(first, line);
      const same = sameIn(line, messages);
      const values = line.values.slice(0, same);
      // A request that goes back and sends fewer may be a call beside the long one.
      if (same < messages.length) shorten(line, same);
      let watched = true;
      for (const [offset, message] of messages.slice(same).entries()) {
        const found = get(message);
        const value = found === undefined ? make(message, same + offset) : found.value;
        const kept = found ?? set(message, value);
        values.push(value);
        watched &&= kept !== undefined;
        if (watched && kept !== undefined) lengthen(line, kept);
      }
      return values;
    },
  };
}

/** How many messages the list begins with as the line does, unchanged. */
function sameIn<T>(line: Line<T>, messages: readonly object[]): number {
  const { ends, owners } = line;
  const most = Math.min(ends.length, messages.length);
  let same = 0;
  while (same < most && messages[same] === owners[ends[same - 1] ?? 0]) same++;
  const held = unchanged(line, ends[same - 1] ?? 0);
  while (same > 0 && (ends[same - 1] ?? 0) > held) same--;
  return same;
}

function shorten<T>(line: Line<T>, length: number): void {
  cut(line, line.ends[length - 1] ?? 0);
  line.ends.length = line.values.length = length;
}

function lengthen<T>(line: Line<T>, { print, value }: Known<T>): void {
  append(line, print);
  line.ends.push(line.owners.length);
  line.values.push(value);
}
