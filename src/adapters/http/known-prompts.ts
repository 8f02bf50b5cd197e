import { isDict } from "../../core/base.ts";

/** Conversations under way at once that are known again. */
const PROMPTS = 16;
/** Deeper than any message. */
const DEPTH = 100;

export type KnownPrompts = (prompt: unknown) => unknown;

/**
 * Knows a prompt again that comes as new objects, or was read from bytes, and answers it with the
 * objects of last time wherever they hold the same: what was read and weighed of an object need not
 * be read and weighed again.
 */
export function createKnownPrompts(): KnownPrompts {
  const recent: (readonly unknown[])[] = [];

  return (prompt) => {
    if (!Array.isArray(prompt)) return prompt;
    const at = recent.findIndex((before) => {
      const last = Math.min(before.length, prompt.length) - 1;
      return isSame(before[0], prompt[0]) && isSame(before[last], prompt[last]);
    });
    const [before = []] = at < 0 ? [] : recent.splice(at, 1);
    const known = prompt.map((item: unknown, index) =>
      isSame(before[index], item) ? before[index] : item,
    );
    recent.unshift(known);
    recent.splice(PROMPTS);
    return known;
  };
}

/** Do both hold the same? */
function isSame(a: unknown, b: unknown, depth = 0): boolean {
  if (Object.is(a, b)) return true;
  if (depth > DEPTH) return false;
  if (Array.isArray(a))
    return (
      Array.isArray(b) &&
      a.length === b.length &&
      a.every((item, at) => isSame(item, b[at], depth + 1))
    );
  if (!isDict(a) || !isDict(b) || !isPlain(a) || !isPlain(b)) return false;
  let left = Object.keys(b).length;
  for (const name in a) {
    left -= 1;
    if (!Object.hasOwn(b, name) || !isSame(a[name], b[name], depth + 1)) return false;
  }
  return left === 0;
}

/** A Date, a Map, bytes could differ unseen. */
const isPlain = (value: object): boolean => {
  const parent: unknown = Object.getPrototypeOf(value);
  return parent === null || parent === Object.prototype;
};
