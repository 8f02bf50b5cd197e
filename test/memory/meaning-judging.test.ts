import { describe, expect, it } from "vitest";
import { byWords } from "../../src/memory/recalling/rank.ts";
import { fuse, judgeOf } from "../../src/memory/meaning/embeddings.ts";
import { unit } from "../../src/core/vectors.ts";
import { chance } from "../support/vectors.ts";

const random = chance(7);
/** Vectors at random that share a direction: strangers of an embedder whose cosines lie about `near`. */
const strangers = (count: number, near: number): Float32Array[] =>
  Array.from({ length: count }, () => {
    const own = unit(Float32Array.from({ length: 64 }, () => random() - 0.5));
    const shared = own.map((value) => value * Math.sqrt(1 - near));
    return Float32Array.of(...shared, Math.sqrt(near));
  });

describe("how far an embedder's cosines count", () => {
  it("is read against those of memories with one another, wherever they stand", () => {
    for (const near of [0, 0.4, 0.8]) {
      const [question = new Float32Array(), ...memories] = strangers(33, near);
      const judge = judgeOf(question, memories);
      expect(judge.floor).toBeGreaterThan(near);
      expect(judge.floor).toBeLessThan(near + 0.4 * (1 - near) + 0.05);
      expect(fuse(byWords(0), near, judge).strength).toBe(0);
    }
  });

  it("is nothing for an embedder that gives everything one vector", () => {
    const one = Float32Array.of(1, 2, 3);
    expect(fuse(byWords(0.4), 1, judgeOf(one, [one, one])).strength).toBe(0.4);
  });
});
