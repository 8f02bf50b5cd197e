/**
 * A map of the entries asked for last, as many as have room together, but `least` of them at any
 * rate. `weigh`: what one takes of it.
 */
export function lru<K, V>(room: number, weigh: (value: V) => number = () => 1, least = 0) {
  const entries = new Map<K, V>();
  let taken = 0;
  const drop = (key: K): boolean => {
    const found = entries.get(key);
    if (found !== undefined) taken -= weigh(found);
    return entries.delete(key);
  };
  return {
    get(key: K): V | undefined {
      const found = entries.get(key);
      if (found === undefined) return undefined;
      entries.delete(key);
      entries.set(key, found);
      return found;
    },
    /** Without being asked for. */
    peek: (key: K): V | undefined => entries.get(key),
    set(key: K, value: V): void {
      drop(key);
      entries.set(key, value);
      taken += weigh(value);
      for (const oldest of entries.keys()) {
        if (taken <= room || entries.size <= least) break;
        drop(oldest);
      }
    },
    delete: drop,
    clear(): void {
      entries.clear();
      taken = 0;
    },
    /** The one asked for longest ago. */
    oldest: (): V | undefined => entries.values().next().value,
    /** The one asked for last stands last. */
    values: (): V[] => [...entries.values()],
  };
}

/**
 * Characters of text kept, both generations together: a file of notes and the facts beside it, in a
 * few megabytes.
 */
const BOUND = 300_000;

/** Characters: of all texts kept, and of the shortest and the longest kept. */
interface KeptValue {
  readonly bound: number;
  readonly least: number;
  readonly most: number;
}

/**
 * What was made of a text is not made again while it is asked for now and then. Two generations:
 * what was used since the last turnover survives the next one, the rest goes. Texts shorter than
 * `least` characters are made faster than found; one longer than `most` is not kept.
 */
export function remembering<T>(
  make: (text: string) => T,
  { bound = BOUND, least = 0, most = bound / 20 }: Partial<KeptValue> = {},
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

/**
 * Several histories of 150,000 tokens, in a few megabytes: some hosts parse theirs anew for each
 * call.
 */
export const MEASURED_TEXTS = { bound: 3_000_000, least: 64, most: 1_500_000 } as const;
