import { MEASURED_TEXTS, remembering } from "../base.ts";
import { estimateTokens } from "./estimate.ts";
import { documentTokens, imageTokens, type WeighedPiece } from "./media.ts";

/** Keeps a value worked out of a message as long as the message is unchanged. */
export interface Seen<T> {
  /** Known of this very object while no leaf of it has changed, or made and kept. */
  of(message: object, make: () => T): T;
  /** How many messages a list began with when it was gone through last. */
  met(messages: readonly object[]): number;
  /**
   * Of each of a list. A list that begins with the same object as one before is compared along that
   * one.
   */
  all<M extends object>(messages: readonly M[], make: (message: M, index: number) => T): T[];
}

/** Without a print it could change unseen: it is not kept. */
interface KnownValue<T> {
  readonly message: object;
  readonly print: Print | undefined;
  readonly value: T;
}

/**
 * Remembers one value per message object. Callers change messages in place, so identity alone
 * proves nothing: every leaf, key and length is compared with the one seen, which takes a fraction
 * of a microsecond and no hashing.
 */
export function createSeen<T>(): Seen<T> {
  const known = new WeakMap<object, KnownValue<T>>();
  // By its first message: in a conversation of thousands most of the time would go into finding
  // each by itself.
  const lines = new WeakMap<object, readonly KnownValue<T>[]>();

  const holds = (found: KnownValue<T> | undefined, message: object): found is KnownValue<T> =>
    found?.message === message && found.print !== undefined && isUnchanged(found.print);

  function of(message: object, make: () => T): KnownValue<T> {
    const found = known.get(message);
    if (holds(found, message)) return found;
    const value = make();
    const one = { message, print: printOf(message), value };
    known.set(message, one);
    return one;
  }

  return {
    of: (message, make) => of(message, make).value,
    met: ([first]) => (first === undefined ? 0 : (lines.get(first)?.length ?? 0)),
    all(messages, make) {
      const [first] = messages;
      if (first === undefined) return [];
      const before = lines.get(first) ?? [];
      const line = messages.map((message, index) => {
        const found = before[index];
        return holds(found, message) ? found : of(message, () => make(message, index));
      });
      // A request that goes back and sends fewer may be a call beside the long one.
      if (line.some((one, index) => one !== before[index])) lines.set(first, line);
      return line.map(({ value }) => value);
    },
  };
}

/** Deeper than any message; a circle ends here. */
const DEPTH = 100;

/**
 * An object all of whose state is in its own members, of this realm or another. A Date, a Map, a
 * class with private members could change unseen.
 */
function isPlain(value: object): boolean {
  const parent: unknown = Object.getPrototypeOf(value);
  return parent === null || parent === Object.prototype || Object.getPrototypeOf(parent) === null;
}

/**
 * Objects and arrays as they were: themselves in one row, what lies in them in another. They are
 * read from here and not from one another: a processor fetches the next while the last is still on
 * its way.
 */
interface Print {
  readonly owners: object[];
  /** How many members each has in the row. */
  readonly sizes: number[];
  /** Items of an array; keys and values of an object, in turn. */
  readonly members: unknown[];
}

const blank = (): Print => ({ owners: [], sizes: [], members: [] });

/** Undefined when the value holds something that cannot be watched. */
function printOf(value: object): Print | undefined {
  const print = blank();
  return write(value, print, 0) ? print : undefined;
}

function write(value: unknown, print: Print, depth: number): boolean {
  if (typeof value !== "object" || value === null) return true;
  if (depth > DEPTH) return false;
  const { owners, sizes, members } = print;
  const from = members.length;
  owners.push(value);
  if (Array.isArray(value)) {
    for (const item of value) members.push(item);
  } else {
    if (!isPlain(value)) return false;
    for (const key in value) members.push(key, (value as Record<string, unknown>)[key]);
  }
  const to = members.length;
  sizes.push(to - from);
  for (let at = from; at < to; at++) if (!write(members[at], print, depth + 1)) return false;
  return true;
}

/** Do all owners still hold the very members they held? */
function isUnchanged({ owners, sizes, members }: Print): boolean {
  let at = 0;
  for (let index = 0; index < owners.length; index++) {
    const [owner, size] = [owners[index], sizes[index] ?? 0];
    const isSame = Array.isArray(owner)
      ? sameItems(owner, members, at, size)
      : sameKeys(owner as Record<string, unknown>, members, at, size);
    if (!isSame) return false;
    at += size;
  }
  return true;
}

// `Object.is` takes half as long as `===` where an engine cannot know what it compares.
function sameItems(
  items: readonly unknown[],
  members: readonly unknown[],
  from: number,
  length: number,
): boolean {
  if (items.length !== length) return false;
  for (let index = 0; index < length; index++)
    if (!Object.is(members[from + index], items[index])) return false;
  return true;
}

function sameKeys(
  owner: Readonly<Record<string, unknown>>,
  members: readonly unknown[],
  from: number,
  length: number,
): boolean {
  let at = from;
  for (const key in owner) {
    if (!Object.is(members[at], key) || !Object.is(members[at + 1], owner[key])) return false;
    at += 2;
  }
  return at === from + length;
}

/**
 * Role and turn markers around each message: 3 to 5 tokens at OpenAI (its cookbook), about as many
 * at Anthropic.
 */
const AROUND = 4;

export function createCounter() {
  const seen = createSeen<number>();
  const ofText = remembering(estimateTokens, MEASURED_TEXTS);

  const ofPiece = (piece: WeighedPiece): number => {
    if (piece.kind === "text") return ofText(piece.text);
    return piece.kind === "image"
      ? imageTokens(piece.data)
      : documentTokens(piece.data, piece.mediaType);
  };
  /** Estimated tokens of a message whose weight the caller remembers. */
  const weigh = (pieces: readonly WeighedPiece[]): number =>
    pieces.reduce((sum, piece) => sum + ofPiece(piece), AROUND);
  return {
    weigh,
    /** The same; `pieces` is asked only when the message is new or has changed. */
    message: (message: object, pieces: () => readonly WeighedPiece[]): number =>
      seen.of(message, () => weigh(pieces())),
  };
}
