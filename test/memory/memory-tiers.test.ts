import type { VectorStorage } from "../../src/storage/port.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openStorage } from "../../src/storage/sqlite/sqlite-storage.ts";
import { ADA, NOW } from "../contracts/made.ts";
import { fill } from "../support/vector-contract.ts";
import { chance, clustered, cosine } from "../support/vectors.ts";
import { runs } from "../support/runs.ts";

const DIMENSIONS = 16;
const CATEGORIES = ["near", "far", "mixed", "general"];

/** Facts in a scope that is read in part, each category around a middle of its own or scattered. */
async function filled(
  vectors: readonly Float32Array[],
  categoryOf: (at: number) => string,
): Promise<VectorStorage> {
  const store = openStorage(":memory:");
  await store.vectors.use({ name: "test", dimensions: DIMENSIONS });
  await fill(store, vectors, { categoryOf });
  return store;
}

describe("the tiers of meaning", () => {
  it("have one scale: what a category gives stands where its cosine puts it, and pushes no better fact out", async () => {
    await fc.assert(
      fc.asyncProperty(fc.nat(1_000), async (seed) => {
        const random = chance(seed);
        const vectors = clustered(520, { dimensions: DIMENSIONS, groups: 12, seed });
        // The same facts in the same cells: once in one category too large to be a tier, once in some without regard to meaning.
        const flat = await filled(vectors, () => "general");
        const tiers = await filled(
          vectors,
          () => CATEGORIES[Math.floor(random() * CATEGORIES.length)] ?? "general",
        );
        const question =
          clustered(521, { dimensions: DIMENSIONS, groups: 12, seed }).at(-1) ??
          new Float32Array(DIMENSIONS);
        for (const limit of [1, 3, 10, 30]) {
          const ask = async (store: VectorStorage) =>
            (
              await store.vectors.nearest("memories", {
                scopes: [ADA],
                now: NOW,
                limit,
                vector: question,
              })
            ).map(({ memory: { id }, cosine: near }) => ({ id, near }));
          const [without, having] = [await ask(flat), await ask(tiers)];
          expect(having.map(({ near }) => near)).toEqual(
            having.map(({ near }) => near).sort((one, other) => other - one),
          );
          expect(new Set(having.map(({ id }) => id)).size).toBe(having.length);
          without.forEach(({ near }, at) =>
            expect(having[at]?.near ?? -1, `${limit}: place ${at}`).toBeGreaterThanOrEqual(near),
          );
          for (const { id, near } of without)
            if (near > (having.at(-1)?.near ?? -1))
              expect(
                having.map((hit) => hit.id),
                "a better flat hit is pushed out",
              ).toContain(id);
          for (const { id, near } of having)
            expect(cosine(vectors[Number(id.slice(1))] ?? question, question)).toBeCloseTo(near, 4);
        }
        await Promise.all([flat.close(), tiers.close()]);
      }),
      { numRuns: runs(4) },
    );
  });

  it("find a fact of the nearest category though its cell is not among the nearest", async () => {
    // Most facts are noise in many cells; one category lies together, one of its members away from it.
    const vectors = clustered(600, { dimensions: DIMENSIONS, groups: 120, seed: 5 });
    const middle = vectors[0] ?? new Float32Array(DIMENSIONS);
    const members = Array.from({ length: 12 }, (_, at) =>
      middle.map((value, place) => value + (place === at % DIMENSIONS ? 0.2 : 0)),
    );
    const store = await filled([...members, ...vectors.slice(1)], (at) =>
      at < 12 ? "near" : "general",
    );
    const found = await store.vectors.nearest("memories", {
      scopes: [ADA],
      now: NOW,
      limit: 12,
      vector: middle,
    });
    expect(found.filter(({ memory }) => memory.category === "near")).toHaveLength(12);
    await store.close();
  });
});
