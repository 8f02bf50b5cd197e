import type { Narrowing } from "../../src/storage/search-index.ts";
import type { VectorStorage } from "../../src/storage/port.ts";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import { ADA, BOB, insert as made, NOW, stored } from "../contracts/made.ts";
import { clustered, cosine } from "./vectors.ts";
import { runs } from "./runs.ts";

const insert = (id: string, more?: Parameters<typeof stored>[2]) =>
  made(id, `content of ${id}`, more);
export const name = (at: number): string => `m${String(at).padStart(5, "0")}`;

export async function fill(
  store: VectorStorage,
  vectors: readonly Float32Array[],
  { from = 0, categoryOf = (at: number) => `c${at % 3}` } = {},
): Promise<void> {
  await store.commit({
    memories: vectors.map((_, at) => insert(name(from + at), { category: categoryOf(at) })),
  });
  await store.commit({
    vectors: {
      memories: vectors.map((vector, at) => ({ id: name(from + at), version: 1, vector })),
    },
  });
}

export async function recallAgainstExact(
  store: VectorStorage,
  vectors: readonly (Float32Array | undefined)[],
  questions: readonly Float32Array[],
): Promise<number> {
  let found = 0;
  for (const question of questions) {
    const truly = vectors
      .flatMap((vector, at) =>
        vector === undefined ? [] : [{ id: name(at), near: cosine(vector, question) }],
      )
      .sort((one, other) => other.near - one.near)
      .slice(0, 10)
      .map(({ id }) => id);
    const ids = (
      await store.vectors.nearest("memories", {
        scopes: [ADA],
        now: NOW,
        limit: 10,
        vector: question,
      })
    ).map(({ memory }) => memory.id);
    expect(new Set(ids).size).toBe(ids.length);
    found += truly.filter((id) => ids.includes(id)).length;
  }
  return found / (10 * questions.length);
}

const MODEL = { name: "test", dimensions: 4 };
const vector = (...components: number[]): Float32Array => Float32Array.from(components);

/** What every store must do with vectors, whatever it is made of. */
export function vectorContract(name: string, open: () => Promise<VectorStorage>): void {
  describe(`the vector contract: ${name}`, () => {
    let store: VectorStorage;
    beforeEach(async () => {
      store = await open();
      await store.vectors.use(MODEL);
    });
    afterEach(() => store.close());

    const learn = (vectors: Record<string, Float32Array>, version = 1) =>
      store.commit({
        vectors: {
          memories: Object.entries(vectors).map(([id, own]) => ({ id, version, vector: own })),
        },
      });
    const near = async (asked: Float32Array, more: Partial<Narrowing> = {}) =>
      (
        await store.vectors.nearest("memories", {
          scopes: [ADA],
          now: NOW,
          limit: 10,
          ...more,
          vector: asked,
        })
      ).map(({ memory }) => memory.id);

    it("narrows by category, kind and expiry before it counts the nearest", async () => {
      const many = Array.from({ length: 30 }, (_, at) =>
        insert(`m${String(at).padStart(2, "0")}`, {
          category: at < 25 ? "near" : "far",
          kind: at % 2 ? "policy" : "fact",
          ...(at === 29 ? { expiresAt: NOW + 5 } : {}),
        }),
      );
      await store.commit({ memories: many });
      await learn(
        Object.fromEntries(
          many.map((_, at) => [`m${String(at).padStart(2, "0")}`, vector(1, at / 30, 0, 0)]),
        ),
      );
      expect(await near(vector(1, 0, 0, 0), { category: "far", limit: 2 })).toEqual(["m25", "m26"]);
      expect(await near(vector(1, 0, 0, 0), { kind: "policy", limit: 2 })).toEqual(["m01", "m03"]);
      expect(await near(vector(0, 1, 0, 0), { limit: 1 })).toEqual(["m29"]);
      expect(await near(vector(0, 1, 0, 0), { limit: 1, now: NOW + 5 })).toEqual(["m28"]);
    });

    it("follows a memory to another category, and out of it", async () => {
      await store.commit({ memories: [insert("a"), insert("b", { category: "city" })] });
      await learn({ a: vector(1, 0, 0, 0), b: vector(0, 1, 0, 0) });
      await store.commit({
        memories: [{ do: "amend", row: stored("a", "content of a", { category: "city" }), was: 1 }],
      });
      expect(await near(vector(1, 0, 0, 0), { category: "city" })).toEqual(["a", "b"]);
      await store.commit({ memories: [{ do: "end", id: "b", was: 1, at: NOW + 1 }] });
      expect(await near(vector(1, 0, 0, 0))).toEqual(["a"]);
      await store.commit({ gone: { memories: { ids: ["a"], scopes: [ADA] } } });
      expect(await near(vector(1, 0, 0, 0))).toEqual([]);
    });

    it("finds a past value as of its time, and a new one only by its own vector", async () => {
      await store.commit({ memories: [insert("a", { key: "city" })] });
      await learn({ a: vector(1, 0, 0, 0) });
      await store.commit({
        memories: [
          {
            do: "replace",
            row: stored("a", "moved", { key: "city", version: 2, validFrom: NOW + 10 }),
            was: 1,
          },
        ],
      });
      expect(await near(vector(1, 0, 0, 0))).toEqual([]);
      expect(await store.vectors.missing("memories", 9)).toEqual([
        { id: "a", version: 2, content: "moved" },
      ]);
      await learn({ a: vector(0, 0, 0, 1) });
      expect(await near(vector(0, 0, 0, 1)), "the vector of a value that is past").toEqual([]);
      await learn({ a: vector(0, 1, 0, 0) }, 2);
      expect(await near(vector(0, 1, 0, 0), { asOf: NOW + 10 })).toEqual(["a"]);
      const then = await store.vectors.nearest("memories", {
        scopes: [ADA],
        now: NOW + 99,
        asOf: NOW + 9,
        limit: 5,
        vector: vector(1, 0, 0, 0),
      });
      expect(then.map(({ memory, cosine: similar }) => [memory.version, similar])).toEqual([
        [1, 1],
      ]);
      expect(await near(vector(1, 0, 0, 0), { asOf: NOW - 1 })).toEqual([]);
    });

    it("answers what comparing everything answers, and the same whatever another scope does", async () => {
      const pool = clustered(60, { dimensions: 4, groups: 6, seed: 3 });
      const step = fc.record({
        of: fc.constantFrom(ADA, BOB),
        id: fc.nat(19),
        act: fc.constantFrom("insert", "insert", "insert", "learn", "learn", "remove"),
        pick: fc.nat(59),
      });
      await fc.assert(
        fc.asyncProperty(fc.array(step, { maxLength: 60 }), fc.nat(59), async (steps, asked) => {
          const [both, alone] = [await open(), await open()];
          await Promise.all([both.vectors.use(MODEL), alone.vectors.use(MODEL)]);
          const vectors = new Map<string, Float32Array | undefined>();
          for (const { of, id, act, pick } of steps) {
            const name = `${of}${id}`;
            for (const one of of === ADA ? [both, alone] : [both]) {
              if (act === "insert") await one.commit({ memories: [insert(name, { scope: of })] });
              else if (act === "learn")
                await one.commit({
                  vectors: { memories: [{ id: name, version: 1, vector: pool[pick]! }] },
                });
              else await one.commit({ gone: { memories: { ids: [name], scopes: [of] } } });
            }
            if (of !== ADA) continue;
            if (act === "insert" && !vectors.has(name)) vectors.set(name, undefined);
            if (act === "learn" && vectors.has(name)) vectors.set(name, pool[pick]);
            if (act === "remove") vectors.delete(name);
          }
          const question = pool[asked]!;
          const expected = [...vectors]
            .flatMap(([id, own]) =>
              own === undefined ? [] : [{ id, cosine: cosine(own, question) }],
            )
            .sort((one, other) => other.cosine - one.cosine || (one.id < other.id ? -1 : 1))
            .slice(0, 10);
          const ask = (one: VectorStorage) =>
            one.vectors.nearest("memories", {
              scopes: [ADA],
              now: NOW,
              limit: 10,
              vector: question,
            });
          const [shared, own] = [await ask(both), await ask(alone)];
          expect(shared.map(({ memory, cosine: similar }) => [memory.id, similar])).toEqual(
            own.map(({ memory, cosine: similar }) => [memory.id, similar]),
          );
          expect(own.length).toBe(expected.length);
          own.forEach((hit, at) => expect(hit.cosine).toBeCloseTo(expected[at]!.cosine, 4));
          await Promise.all([both.close(), alone.close()]);
        }),
        { numRuns: runs(10) },
      );
    });
  });
}
