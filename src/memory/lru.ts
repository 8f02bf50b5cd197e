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
  };
}
