/** What was worked out of a message, as long as the message is what it was. */
export interface Seen<T> {
  /** The value set for this very object, if no leaf of it has changed since. */
  get(message: object): T | undefined;
  set(message: object, value: T): void;
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
  if (typeof value !== "object" || value === null) return Object.is(leaves[at], value) && at < leaves.length ? at + 1 : -1;
  if (Array.isArray(value)) {
    if (leaves[at] !== ARRAY || leaves[at + 1] !== value.length) return -1;
    let next = at + 2;
    for (const item of value) {
      next = follow(item, leaves, next);
      if (next < 0) return -1;
    }
    return next;
  }
  if (leaves[at] !== OBJECT || !isPlain(value)) return -1;
  let next = at + 1;
  for (const key in value) {
    if (leaves[next] !== key) return -1;
    next = follow((value as Record<string, unknown>)[key], leaves, next + 1);
    if (next < 0) return -1;
  }
  return leaves[next] === END ? next + 1 : -1;
}

/**
 * Remembers one value per message object. Callers change messages in place, so identity alone proves nothing: every leaf,
 * key and length is compared with the one seen, which takes a fraction of a microsecond and no hashing.
 */
export function createSeen<T>(): Seen<T> {
  const known = new WeakMap<object, { readonly leaves: readonly unknown[]; readonly value: T }>();
  return {
    get(message) {
      const found = known.get(message);
      return found !== undefined && follow(message, found.leaves, 0) === found.leaves.length ? found.value : undefined;
    },
    set(message, value) {
      const leaves: unknown[] = [];
      if (write(message, leaves, 0)) known.set(message, { leaves, value });
      else known.delete(message);
    },
  };
}
