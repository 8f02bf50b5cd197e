/** Characters of text kept, both generations together: several histories of 150,000 tokens, in a few megabytes. */
const BOUND = 3_000_000;
/** Shorter texts are measured faster than found. */
const SHORT = 64;

/**
 * Remembers what was measured of a text, for histories that are parsed anew for each call. Two generations: what was used
 * since the last turnover survives the next one, the rest goes.
 */
export function createMemo(
  measure: (text: string) => number,
  bound = BOUND,
): (text: string) => number {
  let young = new Map<string, number>();
  let old = new Map<string, number>();
  let size = 0;
  return (text) => {
    if (text.length < SHORT) return measure(text);
    const known = young.get(text);
    if (known !== undefined) return known;
    const value = old.get(text) ?? measure(text);
    if (text.length > bound / 2) return value;
    if (size + text.length > bound / 2) {
      old = young;
      young = new Map();
      size = 0;
    }
    young.set(text, value);
    size += text.length;
    return value;
  };
}
