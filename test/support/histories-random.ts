/** A seeded source of chance: cheap enough for thousands of histories, the same for the same seed. */
export interface Chance {
  /** 0 ≤ n < below. */
  nat(below: number): number;
  maybe(share: number): boolean;
  pick<T>(items: readonly T[]): T;
  shuffled<T>(items: readonly T[]): T[];
  id(prefix: string): string;
  bytes(least: number, most: number): string;
  /** Never blank; sometimes nearly so. */
  text(most: number): string;
  input(): Record<string, unknown>;
}

const WORDS = [
  ..."the tide falls twice a day and boats wait for it while somebody counts crates on the quay".split(
    " ",
  ),
  ...[
    "src/core/request.ts",
    "v2.14.3",
    "https://example.org/a?b=c",
    "ORDER-48213",
    "`npm test`",
    '"quoted"',
    "line\nbreak",
    "tab\there",
    "\\n",
    '{"a":[1,2]}',
    "<tag>",
    "<|endoftext|>",
  ],
  ...[
    "潮汐标记",
    "会议在周五",
    "日本語のテキスト。",
    "한국어",
    "Ünïcödé",
    "naïve",
    "🌊",
    "👩‍👩‍👧‍👦",
    "🏴‍☠️",
    "שלום",
    "مرحبا",
    "e\u0301",
    "\u200b",
    "🇨🇭",
  ],
];
const TINY = [".", "ok", "0", "\u200b", " x", "x\n", "…", "好", "🙂", "{}", "null"];

/** Numbers of [0, 1), the same for the same seed. */
export function mulberry32(seed: number): () => number {
  let state = seed >>> 0;
  return () => {
    state = (state + 0x6d2b79f5) >>> 0;
    let mixed = Math.imul(state ^ (state >>> 15), state | 1);
    mixed ^= mixed + Math.imul(mixed ^ (mixed >>> 7), mixed | 61);
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** `turn` stands in every id, so that turns of one seed differ in theirs. */
export function chance(seed: number, turn = 0): Chance {
  const next = mulberry32(seed);
  const nat = (below: number) => Math.floor(next() * below);
  const maybe = (share: number) => next() < share;
  const pick = <T>(items: readonly T[]): T => items[nat(items.length)]!;
  const text = (most: number): string => {
    if (maybe(0.1)) return pick(TINY);
    const length = 1 + nat(most);
    let written = pick(WORDS);
    while (written.length < length) written += ` ${pick(WORDS)}`;
    return written;
  };
  return {
    nat,
    maybe,
    pick,
    text,
    shuffled: (items) => {
      const left = [...items];
      return items.map(() => left.splice(nat(left.length), 1)[0]!);
    },
    id: (prefix) => `${prefix}${turn}_${nat(2 ** 31).toString(36)}${nat(2 ** 31).toString(36)}`,
    bytes: (least, most) =>
      Buffer.from(Array.from({ length: least + nat(most - least) }, () => nat(256))).toString(
        "base64",
      ),
    input: () => ({
      path: text(20),
      ...(maybe(0.5)
        ? { limit: nat(1000), deep: { list: [1, "two", null, { b: true, a: text(10) }] } }
        : {}),
      ...(maybe(0.2) ? { empty: [], nothing: null, cache_control: "not ours" } : {}),
    }),
  };
}
