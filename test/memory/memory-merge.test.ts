import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { mergeHits } from "../../src/memory/recalling/rank.ts";
import type { Hit } from "../../src/core/memory.ts";
import { openRoom } from "../support/talk.ts";

const hit = (id: string, score: number): Hit => ({
  id,
  from: "history",
  content: id,
  text: id,
  score,
  why: { words: score, meaning: 0, recency: 0, use: 0, importance: 0.5 },
  source: "s",
});
const list = (name: string) =>
  fc
    .array(fc.double({ min: 0, max: 1, noNaN: true }), { maxLength: 8 })
    .map((scores) => scores.map((score, at) => hit(`${name}${at}`, score)));
const descending = (hits: readonly Hit[]): Hit[] =>
  [...hits].sort((one, other) => other.score - one.score);

describe("facts, files and turns in one list", () => {
  it("keep the order each had, lose none before the limit, and stay sorted when each was", () => {
    fc.assert(
      fc.property(list("a"), list("b"), list("c"), fc.nat({ max: 30 }), (...[a, b, c, limit]) => {
        const merged = mergeHits([a, b, c], limit);
        expect(merged.length).toBe(Math.min(limit, a.length + b.length + c.length));
        for (const own of [a, b, c]) {
          const kept = merged.filter((one) => own.includes(one));
          expect(kept).toEqual(own.slice(0, kept.length));
        }
        const sorted = mergeHits([a, b, c].map(descending), 30);
        expect(sorted.map(({ score }) => score)).toEqual(
          descending(sorted).map(({ score }) => score),
        );
      }),
    );
  });

  it("counts as used only the facts that are returned", async () => {
    const { tidemark } = await openRoom({ workspace: false });
    await tidemark.history.import({
      id: "old",
      messages: [{ role: "user", text: "lighthouse keeper Albatross" }],
    });
    const { id } = await tidemark.memory.save("A keeper of bees came by");
    expect(
      (await tidemark.memory.search("lighthouse keeper Albatross", { limit: 1 })).map(
        ({ from }) => from,
      ),
    ).toEqual(["history"]);
    expect((await tidemark.memory.get(id))?.uses).toBe(0);
  });
});
