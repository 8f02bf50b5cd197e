/** Characters of text kept, both generations together: a file of notes and the facts beside it, in a few megabytes. */
const BOUND = 300_000;

/**
 * What was made of a text is not made again while it is asked for now and then. Two generations: what was used since the last
 * turnover survives the next one, the rest goes.
 */
export function remembering<T>(make: (text: string) => T, bound = BOUND): (text: string) => T {
  let young = new Map<string, T>();
  let old = new Map<string, T>();
  let size = 0;
  return (text) => {
    if (young.has(text)) return young.get(text) as T;
    const made = old.has(text) ? (old.get(text) as T) : make(text);
    if (text.length > bound / 20) return made;
    if (size + text.length > bound / 2) {
      old = young;
      young = new Map();
      size = 0;
    }
    young.set(text, made);
    size += text.length;
    return made;
  };
}
