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

/**
 * Objects and arrays as they were: themselves in one row, what lies in them in another. They are read from here and not from
 * one another: a processor fetches the next while the last is still on its way.
 */
export interface Print {
  readonly owners: object[];
  /** Of an array its length; of an object -1 less the number of its keys. */
  readonly sizes: number[];
  /** Items of an array; keys and values of an object, in turn. */
  readonly members: unknown[];
}

export const blank = (): Print => ({ owners: [], sizes: [], members: [] });

/** Undefined when the value holds something that cannot be watched. */
export function printOf(value: object): Print | undefined {
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
    sizes.push(value.length);
    for (const item of value) members.push(item);
  } else {
    if (!isPlain(value)) return false;
    for (const key in value) members.push(key, (value as Record<string, unknown>)[key]);
    sizes.push(-1 - (members.length - from) / 2);
  }
  const to = members.length;
  for (let at = from; at < to; at++) if (!write(members[at], print, depth + 1)) return false;
  return true;
}

/** How many members an owner of this size has in the row. */
const width = (size: number): number => (size >= 0 ? size : 2 * (-1 - size));

/** How many owners, of the first `most`, still hold the very members they held. */
export function unchanged({ owners, sizes, members }: Print, most: number): number {
  let index = 0;
  let at = 0;
  for (const size of sizes) {
    if (index >= most) break;
    const owner: unknown = owners[index];
    if (
      size >= 0
        ? !sameItems(owner as readonly unknown[], members, at, size)
        : !sameKeys(owner as Record<string, unknown>, members, at, width(size))
    )
      break;
    at += width(size);
    index++;
  }
  return index;
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

/** The same in every leaf, key and length. */
export const alike = (one: Print, other: Print): boolean =>
  one.members.length === other.members.length &&
  one.sizes.length === other.sizes.length &&
  one.sizes.every((size, index) => size === other.sizes[index]) &&
  one.members.every(
    (member, index) =>
      Object.is(member, other.members[index]) || (isOwner(member) && isOwner(other.members[index])),
  );

const isOwner = (value: unknown): boolean => typeof value === "object" && value !== null;

export function append(print: Print, { owners, sizes, members }: Print): void {
  for (const owner of owners) print.owners.push(owner);
  for (const size of sizes) print.sizes.push(size);
  for (const member of members) print.members.push(member);
}

/** Leaves the first so many owners. */
export function cut({ owners, sizes, members }: Print, length: number): void {
  members.length -= sizes.slice(length).reduce((sum, size) => sum + width(size), 0);
  owners.length = sizes.length = length;
}
