/** What was worked out of a message, as long as the message is what it was. */
export interface Seen<T> {
  /** The value set for this very object, if no leaf of it has changed since. */
  get(message: object): T | undefined;
  set(message: object, value: T): void;
  /** Of each of a list: known, or made and set. A list that begins with the same object as one before is compared along that one. */
  all<M extends object>(messages: readonly M[], make: (message: M, index: number) => T): T[];
}

const OBJECT = Symbol("object");
const ARRAY = Symbol("array");
const END = Symbol("end");

/** Deeper than any message; a circle ends here. */
const DEPTH = 100;

/**
 * An object all of whose state is in its own members, of this realm or another. A Date, a Map, a class with private
 * members could change unseen.
 */
function isPlain(value: object): boolean {
  const parent: unknown = Object.getPrototypeOf(value);
  return parent === null || parent === Object.prototype || Object.getPrototypeOf(parent) === null;
}

/** Writes keys and leaves in order; false when the value holds something that cannot be watched. */
function write(value: unknown, leaves: unknown[], depth: number): boolean {
  if (typeof value !== "object" || value === null) {
    leaves.push(value);
    return true;
  }
  if (depth > DEPTH) return false;
  if (Array.isArray(value)) {
    leaves.push(ARRAY, value.length);
    for (const item of value) if (!write(item, leaves, depth + 1)) return false;
    return true;
  }
  if (!isPlain(value)) return false;
  leaves.push(OBJECT);
  for (const key in value) {
    leaves.push(key);
    if (!write((value as Record<string, unknown>)[key], leaves, depth + 1)) return false;
  }
  leaves.push(END);
  return true;
}

/** Where reading goes on in `leaves` if the value is as written from `at` on, else -1. Strings meet by reference first. */
function follow(value: unknown, leaves: readonly unknown[], at: number): number {
  if (typeof value !== "object" || value === null) return isLeaf(leaves, at, value) ? at + 1 : -1;
  if (Array.isArray(value)) {
    const { length } = value;
    if (leaves[at] !== ARRAY || leaves[at + 1] !== length) return -1;
    let next = at + 2;
    for (let index = 0; index < length && next >= 0; index++) next = follow(value[index], leaves, next);
    return next;
  }
  if (leaves[at] !== OBJECT || !isPlain(value)) return -1;
  let next = at + 1;
  for (const key in value) {
    if (leaves[next] !== key) return -1;
    const member: unknown = (value as Record<string, unknown>)[key];
    // Most members are strings: one call less for each.
    if (typeof member === "string") next = leaves[next + 1] === member ? next + 2 : -1;
    else next = follow(member, leaves, next + 1);
    if (next < 0) return -1;
  }
  return leaves[next] === END ? next + 1 : -1;
}

const isLeaf = (leaves: readonly unknown[], at: number, value: unknown): boolean => at < leaves.length && Object.is(leaves[at], value);

interface Known<T> {
  readonly leaves: readonly unknown[];
  readonly value: T;
}

/** A list as it was, its leaves in one row: what lies together is read at once. `ends[i]` is where message i ends in it. */
interface Line<T> {
  readonly messages: object[];
  readonly leaves: unknown[];
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
    return found !== undefined && follow(message, found.leaves, 0) === found.leaves.length ? found : undefined;
  }

  function set(message: object, value: T): Known<T> | undefined {
    const leaves: unknown[] = [];
    if (!write(message, leaves, 0)) {
      known.delete(message);
      return undefined;
    }
    const made = { leaves, value };
    known.set(message, made);
    return made;
  }

  return {
    get: (message) => get(message)?.value,
    set: (message, value) => void set(message, value),
    all(messages, make) {
      const [first] = messages;
      if (first === undefined) return [];
      const line = lines.get(first) ?? { messages: [], leaves: [], ends: [], values: [] };
      lines.set(first, line);
      const same = sameIn(line, messages);
      const values = line.values.slice(0, same);
      // Who goes back and sends fewer may be a call beside the long one.
      if (same < messages.length) cut(line, same);
      let watched = true;
      for (const [offset, message] of messages.slice(same).entries()) {
        const found = get(message);
        const value = found === undefined ? make(message, same + offset) : found.value;
        const { leaves } = found ?? set(message, value) ?? {};
        values.push(value);
        watched &&= leaves !== undefined;
        if (watched && leaves !== undefined) append(line, { message, leaves, value });
      }
      return values;
    },
  };
}

/** How many messages the list begins with as the line does, unchanged. */
function sameIn<T>(line: Line<T>, messages: readonly object[]): number {
  const most = Math.min(line.messages.length, messages.length);
  let at = 0;
  for (let index = 0; index < most; index++) {
    const message = messages[index];
    if (message !== line.messages[index]) return index;
    at = follow(message, line.leaves, at);
    if (at !== line.ends[index]) return index;
  }
  return most;
}

function cut<T>(line: Line<T>, length: number): void {
  line.leaves.length = line.ends[length - 1] ?? 0;
  line.messages.length = line.ends.length = line.values.length = length;
}

function append<T>(line: Line<T>, { message, leaves, value }: Known<T> & { readonly message: object }): void {
  for (const leaf of leaves) line.leaves.push(leaf);
  line.messages.push(message);
  line.ends.push(line.leaves.length);
  line.values.push(value);
}
