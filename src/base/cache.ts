/** A map of the last `size` entries asked for. */
export function lru<K, V>(size: number) {
  const entries = new Map<K, V>();
  return {
    get(key: K): V | undefined {
      const found = entries.get(key);
      if (found === undefined) return undefined;
      entries.delete(key);
      entries.set(key, found);
      return found;
    },
    set(key: K, value: V): void {
      entries.delete(key);
      entries.set(key, value);
      const oldest = entries.size > size ? entries.keys().next() : undefined;
      if (oldest?.done === false) entries.delete(oldest.value);
    },
    delete: (key: K): boolean => entries.delete(key),
    /** The one asked for longest ago. */
    oldest: (): V | undefined => entries.values().next().value,
    /** The one asked for last stands last. */
    values: (): V[] => [...entries.values()],
  };
}

/** Characters of text kept, both generations together: a file of notes and the facts beside it, in a few megabytes. */
const BOUND = 300_000;

/** Characters: of all texts kept, and of the shortest and the longest kept. */
interface Kept {
  readonly bound: number;
  readonly least: number;
  readonly most: number;
}

/**
 * What was made of a text is not made again while it is asked for now and then. Two generations: what was used since the last
 * turnover survives the next one, the rest goes. Texts shorter than `least` characters are made faster than found; one longer
 * than `most` is not kept.
 */
export function remembering<T>(
  make: (text: string) => T,
  { bound = BOUND, least = 0, most = bound / 20 }: Partial<Kept> = {},
): (text: string) => T {
  let young = new Map<string, T>();
  let old = new Map<string, T>();
  let size = 0;
  return (text) => {
    if (text.length < least) return make(text);
    const known = young.get(text);
    if (known !== undefined) return known;
    const made = old.get(text) ?? make(text);
    if (text.length > most) return made;
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

/** Several histories of 150,000 tokens, in a few megabytes: some hosts parse theirs anew for each call. */
export const MEASURED_TEXTS = { bound: 3_000_000, least: 64, most: 1_500_000 } as const;
