import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createMeaning } from "../../src/memory/meaning/meaning.ts";
import {
  type Beside,
  leastCosine,
  measureReach,
  reachOf,
} from "../../src/memory/meaning/embedder-reach.ts";
import { RETOLD } from "../../src/memory/meaning/rewording-samples.ts";
import { FINGERPRINT } from "../../src/memory/meaning/texts.ts";
import type { Embedder } from "../../src/model/ports.ts";
import { openMemoryStore } from "../support/memory-store/index.ts";
import { openSqliteStore } from "../../src/store/open-index.ts";
import type { Store } from "../../src/model/store.ts";
import { openRoom, START } from "../support/memory-room.ts";
import { synonymEmbedder } from "../support/synonyms.ts";
import { UNHURRIED } from "../support/embedder.ts";
import { runs } from "../support/runs.ts";

const share = fc.double({ min: 0.05, max: 0.5, noNaN: true });
const besides = (most: number): fc.Arbitrary<Beside[]> =>
  fc.array(fc.record({ cosine: fc.double({ min: -1, max: most, noNaN: true }), share }), {
    minLength: 1,
    maxLength: 40,
  });
/** Of an embedder that knows synonyms: rewordings hardly differ. */
const near = fc.array(
  fc.record({ cosine: fc.double({ min: 0.999, max: 1, noNaN: true }), share }),
  { minLength: 1, maxLength: 40 },
);

describe("how far an embedder is believed that two statements are one fact", () => {
  it("leaves each edit of ours more than twice as far away, and finds half of our rewordings, or it has no say", () => {
    fc.assert(
      fc.property(fc.oneof(near, besides(1)), besides(0.99), (again, edited) => {
        const reach = reachOf(again, edited);
        if (reach === undefined) return;
        for (const { cosine, share: own } of edited)
          expect(1 - cosine).toBeGreaterThanOrEqual(2 * (1 - leastCosine(own, reach)) - 1e-9);
        expect(
          2 * again.filter(({ cosine, share: own }) => cosine > leastCosine(own, reach)).length,
        ).toBeGreaterThanOrEqual(again.length);
      }),
    );
  });

  it("does not grow with a further edit, and is nothing with one that it cannot tell", () => {
    fc.assert(
      fc.property(
        near,
        besides(0.5),
        fc.record({ cosine: fc.double({ min: -1, max: 1, noNaN: true }), share }),
        (again, edited, further) => {
          const [before, after] = [reachOf(again, edited), reachOf(again, [...edited, further])];
          expect(before).toBeDefined();
          expect(after ?? 0).toBeLessThanOrEqual(before ?? 0);
          expect(reachOf(again, [...edited, { ...further, cosine: 1 }])).toBeUndefined();
        },
      ),
    );
  });

  it("does not hang on the scale of its cosines", () => {
    fc.assert(
      fc.property(
        near,
        besides(0.5),
        fc.double({ min: 0.2, max: 1, noNaN: true }),
        (again, edited, scale) => {
          const scaled = (all: readonly Beside[]): Beside[] =>
            all.map((one) => ({ ...one, cosine: 1 - scale * (1 - one.cosine) }));
          expect(reachOf(scaled(again), scaled(edited))).toBeCloseTo(
            scale * (reachOf(again, edited) ?? NaN),
            9,
          );
        },
      ),
    );
  });

  it("is nothing where edits differ by no more than rounding", () => {
    expect(
      reachOf([{ cosine: 1, share: 0.2 }], [{ cosine: 1 - 1e-6, share: 0.2 }]),
    ).toBeUndefined();
    expect(reachOf([{ cosine: 1, share: 0.2 }], [{ cosine: 0.9, share: 0.2 }])).toBeCloseTo(
      0.25,
      9,
    );
  });

  it("is nothing for vectors at random, of whatever size, and for broken ones", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.integer({ min: 1, max: 48 }),
        fc.infiniteStream(fc.double({ min: -1, max: 1, noNaN: true })),
        async (size, numbers) => {
          expect(
            await measureReach(async (texts) =>
              texts.map(() => Float32Array.from({ length: size }, () => numbers.next().value ?? 0)),
            ),
          ).toBeUndefined();
        },
      ),
      { numRuns: runs(10) },
    );
    for (const value of [0, NaN, Infinity, 1])
      expect(
        await measureReach(async (texts) => texts.map(() => new Float32Array(8).fill(value))),
      ).toBeUndefined();
  });
});

describe("measuring it", () => {
  const ours = new Set(RETOLD.flatMap(({ fact, again, edited }) => [fact, ...again, ...edited]));
  function room(
    store: Store,
    { embedder = synonymEmbedder(), prefix = "m" }: { embedder?: Embedder; prefix?: string } = {},
  ) {
    const calls: string[][] = [];
    const told: unknown[] = [];
    let failing = false;
    const heard: Embedder = {
      ...embedder,
      embed: (texts, signal, use) => (
        calls.push([...texts]),
        failing && texts.some((text) => ours.has(text))
          ? Promise.reject(new Error("too many texts"))
          : embedder.embed(texts, signal, use)
      ),
    };
    const meaning = createMeaning({
      store,
      embedder: heard,
      now: () => START,
      listen: (event) => told.push(event),
      ...UNHURRIED,
    });
    return {
      meaning,
      told,
      fails: () => (failing = true),
      ...openRoom({ store, meaning, prefix }),
      calls,
      measured: () => calls.filter((texts) => texts.some((text) => ours.has(text))),
    };
  }

  it.each([() => openSqliteStore(":memory:"), openMemoryStore])(
    "is done once for a model, at the first save, in calls that no service refuses (%#)",
    async (open) => {
      const store = open();
      const first = room(store);
      await first.memories.look("where is the boat?");
      expect(first.measured()).toEqual([]);
      await first.memories.save("The boat is in the harbour");
      expect(new Set(first.measured().flat())).toEqual(ours);
      for (const texts of first.calls) expect(texts.length).toBeLessThanOrEqual(64);
      await first.memories.save("The boat is in the yard");
      const second = room(store, { prefix: "s" });
      await second.memories.save("The boat is in the shed");
      expect([first.measured().flat().length, second.measured()]).toEqual([ours.size, []]);
      expect(second.meaning.reach()).toBe(first.meaning.reach());
    },
  );

  it("is done for a workspace measured before there was anything to measure, and leaves what it knew", async () => {
    const store = openSqliteStore(":memory:");
    const before = room(store);
    await before.memories.look("where is the boat?");
    const judged = before.meaning.judge();
    const after = room(store, { prefix: "s" });
    await after.memories.save("The boat is in the harbour");
    expect(after.calls.flat()).toContain(FINGERPRINT);
    expect(after.meaning.judge()).toEqual(judged);
    expect(after.meaning.reach()).toBeGreaterThan(0);
  });

  it("is noted where it has no say, and not tried again", async () => {
    const store = openSqliteStore(":memory:");
    const first = room(store, { embedder: synonymEmbedder({ groups: [] }) });
    await first.memories.save("The boat is in the harbour");
    const second = room(store, { embedder: synonymEmbedder({ groups: [] }), prefix: "s" });
    await second.memories.save("The boat is in the yard");
    expect([first.measured().length > 0, second.measured(), second.meaning.reach()]).toEqual([
      true,
      [],
      undefined,
    ]);
  });

  it("that fails keeps no save from its vector, and is left to the next process", async () => {
    const store = openSqliteStore(":memory:");
    const first = room(store);
    first.fails();
    await first.memories.save("Ada owns a house near the river");
    await first.memories.save("Ada has a house near the river");
    expect(await first.memories.list()).toHaveLength(2);
    expect([first.measured().length, first.told, await store.vectors.missing(9)]).toEqual([
      1,
      [],
      [],
    ]);
    const second = room(store, { prefix: "s" });
    const { id } = await second.memories.save("Ada possesses a house near the river");
    expect([id, second.meaning.reach() !== undefined]).toEqual(["s000001", true]);
  });

  it("is done behind the conversation where nobody waits for a save, and facts of a distiller are then known in other words", async () => {
    const store = openSqliteStore(":memory:");
    const { memories, meaning, calls } = room(store);
    const facts = ["Ada owns a house near the river", "The boat is in the harbour"].map(
      (content) => ({ content, origin: "user" as const }),
    );
    await memories.ready(facts);
    await memories.saveAll(facts, "user:ada");
    expect(calls).toEqual([]);
    while (await meaning.catchUp());
    const again = [{ content: "Ada has a house near the river", origin: "user" as const }];
    await memories.ready(again);
    expect(await memories.saveAll(again, "user:ada")).toMatchObject({ saved: [], known: 1 });
  });
});
