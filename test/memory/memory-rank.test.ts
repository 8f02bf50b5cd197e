import type { Candidate } from "../../src/storage/search-index.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import {
  byWords,
  diverse,
  pack,
  rank,
  recency,
  STRATEGY_NAMES,
  use,
} from "../../src/memory/recalling/rank.ts";
import type { Hit } from "../../src/core/memory.ts";
import { terms } from "../../src/core/text/terms.ts";
import { DAY, HOUR, START } from "../support/memory-room.ts";

const candidate = (
  id: string,
  content: string,
  {
    age = 0,
    uses = 0,
    usedAt,
    importance = 0.5,
  }: { age?: number; uses?: number; usedAt?: number; importance?: number } = {},
): Candidate => ({
  memory: {
    id,
    content,
    scope: "agent:probe",
    kind: "fact",
    category: "general",
    importance,
    source: "manual",
    origin: "host",
    tags: [],
    at: START - age,
    updatedAt: START - age,
    uses,
    version: 1,
  },
  statedAt: START - age,
  validFrom: START - age,
  same: id,
  terms: terms(content),
  ...(usedAt === undefined ? {} : { usedAt }),
});
const scores = (
  strategy: (typeof STRATEGY_NAMES)[number],
  ...pool: (readonly [Candidate, number])[]
) =>
  Object.fromEntries(
    rank(
      pool.map(([one]) => one),
      (one) => byWords(pool.find(([other]) => other === one)?.[1] ?? 0),
      START,
      strategy,
    ).map(({ stored, score }) => [stored.memory.id, score]),
  );

describe("the parts of a score", () => {
  it("halve recency with every half-life, exactly", () => {
    for (const halves of [0, 1, 2, 5])
      expect(recency(START - halves * 14 * DAY, START)).toBe(2 ** -halves);
    expect(recency(START + DAY, START)).toBe(1);
  });

  it("let use grow to its bound, by half when it is long ago", () => {
    expect([0, 1, 5, 10, 1000].map((uses) => use(uses, START, START))).toEqual([
      1, 1.1, 1.5, 1.5, 1.5,
    ]);
    expect(use(5, START - 48 * HOUR, START)).toBe(1.5);
    expect(use(5, START - 48 * HOUR - 1, START)).toBe(1.25);
  });
});

describe("strategies", () => {
  const day = candidate("a", "tea", { age: 14 * DAY, uses: 10, usedAt: START });
  it('"tidemark": relevance, by age (0.7 + 0.3 · 2^(−age/14 d)), use and importance', () => {
    expect(scores("tidemark", [day, 0.8]).a).toBeCloseTo(
      0.8 * 0.85 * (1.5 / 1.5) * (0.85 + 0.15 * 0.5),
      10,
    );
  });
  it('"swarm": similarity × 2^(−age/14 d) × access boost, over the greatest boost', () => {
    expect(scores("swarm", [day, 0.8]).a).toBeCloseTo((0.8 * 0.5 * 1.5) / 1.5, 10);
  });
  it('"linear": 0.7 relevance, a personal one 0.1 more, + 0.3 recency that loses a hundredth an hour', () => {
    expect(scores("linear", [day, 0.8]).a).toBeCloseTo(
      0.7 * 0.9 + 0.3 * Math.exp(-0.01 * 14 * 24),
      10,
    );
  });
  it('"rrf": reciprocal places, 61/(60 + place); equals share one, age and use have no vote', () => {
    const found = scores(
      "rrf",
      [candidate("a", "x", { age: 900 * DAY }), 0.9],
      [candidate("b", "x"), 0.5],
      [candidate("c", "x"), 0.5],
      [candidate("d", "x"), 0.3],
    );
    expect(found).toEqual({ a: 1, b: 61 / 62, c: 61 / 62, d: 61 / 64 });
  });
  it('"rrf" takes the votes of words and of meaning, and a list that says nothing has none', () => {
    const [a, b] = [candidate("a", "x"), candidate("b", "x")];
    const match = (one: Candidate) =>
      one === a
        ? { words: 0.9, meaning: 0, strength: 0.9 }
        : { words: 0.4, meaning: 0.8, strength: 0.8 };
    const found = rank([a, b], match, START, "rrf");
    expect(found.map(({ stored, score }) => [stored.memory.id, score])).toEqual([
      ["b", (61 / 62 + 1) / 2],
      ["a", 0.5],
    ]);
  });
  it("all gate: what is not relevant is in none of them, however fresh, used and important", () => {
    fc.assert(
      fc.property(
        fc.constantFrom(...STRATEGY_NAMES),
        fc.double({ min: 0, max: 0.0999, noNaN: true }),
        fc.nat(20),
        (strategy, relevance, uses) => {
          expect(
            scores(strategy, [
              candidate("noise", "x", { uses, usedAt: START, importance: 1 }),
              relevance,
            ]),
          ).toEqual({});
        },
      ),
    );
  });

  it("all give 0…1, the same for the same candidates in any order, ties by id", () => {
    const entry = fc.record({
      relevance: fc.double({ min: 0, max: 1, noNaN: true }),
      age: fc.integer({ min: -DAY, max: 4000 * DAY }),
      uses: fc.nat(50),
      importance: fc.double({ min: 0, max: 1, noNaN: true }),
    });
    fc.assert(
      fc.property(
        fc.constantFrom(...STRATEGY_NAMES),
        fc.array(entry, { maxLength: 12 }),
        fc.nat(),
        (strategy, entries, turn) => {
          const pool = entries.map(
            (given, at) =>
              [
                candidate(`m${String(at).padStart(3, "0")}`, "x", {
                  ...given,
                  usedAt: START - given.age,
                }),
                given.relevance,
              ] as const,
          );
          const first = Object.entries(scores(strategy, ...pool));
          const turned = pool.map((_, at) => pool[(at + turn) % pool.length] ?? pool[0]!);
          expect(Object.entries(scores(strategy, ...turned))).toEqual(first);
          for (const [, score] of first) expect(score >= 0 && score <= 1, String(score)).toBe(true);
          const order = first.map(([id, score]) => ({ id, score }));
          expect(
            [...order].sort(
              (one, other) => other.score - one.score || (one.id < other.id ? -1 : 1),
            ),
          ).toEqual(order);
        },
      ),
    );
  });

  /**
   * As the formulas say: up to this relevance a fresh memory, used and important as can be, stays
   * behind an old exact one that is neither.
   */
  const PROMISED = { tidemark: 0.39, linear: 0.47, rrf: 0.999 } as const;
  for (const [strategy, least] of Object.entries(PROMISED) as [keyof typeof PROMISED, number][])
    it(`"${strategy}" keeps an old exact memory before a fresh one of relevance up to ${least}`, () => {
      fc.assert(
        fc.property(
          fc.integer({ min: 0, max: 5000 }),
          fc.double({ min: 0, max: least, noNaN: true }),
          fc.nat(20),
          (days, relevance, uses) => {
            const found = scores(
              strategy,
              [candidate("old", "x", { age: days * DAY, importance: 0 }), 1],
              [candidate("new", "x", { uses, usedAt: START, importance: 1 }), relevance],
            );
            expect(found.old ?? 0).toBeGreaterThan(found.new ?? 0);
          },
        ),
      );
    });
});

describe("diversity", () => {
  const ranked = (...contents: readonly string[]) =>
    contents.map((content, at) => ({
      stored: candidate(`m${at}`, content),
      score: 0.9 - at / 100,
      why: { words: 1, meaning: 0, recency: 1, use: 1, importance: 0.5 },
    }));

  it("lets a hit that adds something take the place of one that repeats a better one", () => {
    const pool = ranked(
      "the deploy key is in the blue cabinet",
      "our deploy keys are now in a blue cabinet",
      "deploy key: in the blue cabinet",
      "deploy key was made by Ada in May",
    );
    expect(diverse(pool, 2).map(({ stored }) => stored.memory.id)).toEqual(["m0", "m3"]);
  });

  it("never gives up the best hit, never changes a score, never answers fewer than there are, and keeps best first", () => {
    const word = fc.constantFrom("tea", "key", "blue", "river", "Ada", "deploy", "May");
    fc.assert(
      fc.property(
        fc.array(fc.array(word, { minLength: 1, maxLength: 6 }), { maxLength: 15 }),
        fc.integer({ min: 1, max: 8 }),
        (contents, limit) => {
          const pool = ranked(...contents.map((words) => words.join(" ")));
          const chosen = diverse(pool, limit);
          expect(chosen).toHaveLength(Math.min(limit, pool.length));
          expect(chosen.every((hit) => pool.includes(hit))).toBe(true);
          expect(chosen.map(({ score }) => score)).toEqual(
            chosen.map(({ score }) => score).sort((a, b) => b - a),
          );
          expect(chosen[0]).toBe(pool[0]);
        },
      ),
    );
  });
});

describe("packing", () => {
  const hits = (...sizes: readonly number[]): Hit[] =>
    sizes.map((size, at) => ({
      id: `m${at}`,
      from: "memory",
      content: "word ".repeat(size).trim(),
      text: "word ".repeat(size).trim(),
      score: 1 - at / 100,
      why: { words: 1, meaning: 0, recency: 1, use: 1, importance: 1 },
      source: "manual",
    }));
  const count = (text: string): number => Math.ceil(text.length / 5);

  it("keeps within the budget, in order, and never skips a hit for one behind it", () => {
    fc.assert(
      fc.property(
        fc.array(fc.integer({ min: 1, max: 200 }), { maxLength: 12 }),
        fc.integer({ min: 1, max: 400 }),
        (sizes, tokens) => {
          const given = hits(...sizes);
          const packed = pack(given, tokens, count);
          expect(packed.reduce((sum, { text }) => sum + count(text), 0)).toBeLessThanOrEqual(
            tokens,
          );
          expect(packed.map(({ id }) => id)).toEqual(
            given.slice(0, packed.length).map(({ id }) => id),
          );
          packed.forEach(({ text, id }) =>
            expect(
              given.find((hit) => hit.id === id)?.text.startsWith(text.replace(/…$/, "")),
            ).toBe(true),
          );
        },
      ),
    );
  });

  it("shortens one that would take all the room, so that others have some", () => {
    expect(pack(hits(1000, 20, 20), 100, count).map(({ text }) => count(text))).toEqual([
      50, 20, 20,
    ]);
    expect(pack(hits(1000), 100, count).map(({ text }) => count(text))).toEqual([100]);
  });
});

describe("the figures of ranking", () => {
  it("reach recall through the options", async () => {
    let now = START;
    const score = async (options: object) => {
      now = START;
      const tidemark = await openTidemark({ workspace: false, now: () => now, ...options });
      await tidemark.memory.save("tea");
      now += 7 * DAY;
      const [hit] = await tidemark.memory.recall("tea");
      await tidemark.close();
      return hit?.why.recency;
    };
    expect(await score({})).toBeCloseTo(2 ** -0.5, 10);
    expect(await score({ advanced: { ranking: "linear" } })).not.toBeCloseTo(0.25, 1);
  });
});
