/** Chance that can be had again: the same seed throws the same numbers (mulberry32). */
export class Dice {
  private state: number;
  constructor(seed: number) {
    this.state = seed >>> 0;
  }

  /** 0 ≤ n < 1 */
  next(): number {
    this.state = (this.state + 0x6d2b79f5) >>> 0;
    let mixed = this.state;
    mixed = Math.imul(mixed ^ (mixed >>> 15), mixed | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 2 ** 32;
  }

  below = (most: number): number => Math.floor(this.next() * most);

  of<T>(list: readonly T[]): T {
    const one = list[this.below(list.length)];
    if (one === undefined) throw new RangeError("nothing to choose from");
    return one;
  }

  /** The list in another order. */
  shuffled<T>(list: readonly T[]): T[] {
    return list
      .map((one) => ({ one, at: this.next() }))
      .sort((a, b) => a.at - b.at)
      .map(({ one }) => one);
  }
}

/** A number that belongs to a text: FNV-1a. */
export function hashed(text: string): number {
  let hash = 0x811c9dc5;
  for (let at = 0; at < text.length; at += 1)
    hash = Math.imul(hash ^ text.charCodeAt(at), 0x01000193);
  return hash >>> 0;
}
