import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { calibrate, fuse, meaningOf } from "../../src/memory/meaning/calibration.ts";
import { runs } from "../support/runs.ts";

/** What a decent embedder says of 32 questions and 32 facts: strangers scatter, the own answer stands out for most. */
const made = fc
  .array(
    fc.array(fc.double({ min: -0.2, max: 0.4, noNaN: true }), { minLength: 32, maxLength: 32 }),
    { minLength: 32, maxLength: 32 },
  )
  .map((rows) =>
    rows.map((row, at) => row.map((cosine, other) => (other === at ? cosine + 0.3 : cosine))),
  );
const cosine = fc.double({ min: -0.2, max: 1, noNaN: true });
const words = fc.double({ min: 0, max: 1, noNaN: true });

describe("how an embedder is believed", () => {
  it("does not hang on where its cosines lie and how far apart: another origin and another scale change nothing", () => {
    fc.assert(
      fc.property(
        made,
        cosine,
        words,
        fc.double({ min: 0.3, max: 1, noNaN: true }),
        fc.double({ min: -0.5, max: 0.7, noNaN: true }),
        (cosines, one, said, scale, origin) => {
          const moved = (value: number): number => scale * value + origin;
          const [plain, other] = [
            calibrate(cosines),
            calibrate(cosines.map((row) => row.map(moved))),
          ];
          expect(other.separation).toBe(plain.separation);
          expect(meaningOf(moved(one), other)).toBeCloseTo(meaningOf(one, plain), 6);
          expect(fuse(said, moved(one), other).relevance).toBeCloseTo(
            fuse(said, one, plain).relevance,
            6,
          );
        },
      ),
      { numRuns: runs(20) },
    );
  });

  it("takes nothing from words, adds the more the nearer, and stays in 0…1", () => {
    fc.assert(
      fc.property(made, cosine, cosine, words, (cosines, one, other, said) => {
        const judge = calibrate(cosines);
        const [nearer, farther] = [
          fuse(said, Math.max(one, other), judge),
          fuse(said, Math.min(one, other), judge),
        ];
        expect(farther.relevance).toBeGreaterThanOrEqual(said);
        expect(nearer.relevance).toBeGreaterThanOrEqual(farther.relevance);
        expect(nearer.relevance).toBeLessThanOrEqual(1);
        expect(fuse(said, undefined, judge)).toEqual({ words: said, meaning: 0, relevance: said });
      }),
      { numRuns: runs(20) },
    );
  });

  it("is not at all when everything lies at one place, and alone finds nothing when no answer is told from strangers", () => {
    const same = calibrate(Array.from({ length: 32 }, () => Array.from({ length: 32 }, () => 0.9)));
    expect(same.separation).toBe(0);
    expect(fuse(0.4, 0.9, same).relevance).toBeCloseTo(0.4, 9);
    const blind = calibrate(
      Array.from({ length: 32 }, (_, row) =>
        Array.from({ length: 32 }, (__, column) =>
          row === column ? -1 : ((row * 7 + column * 13) % 20) / 40,
        ),
      ),
    );
    expect(blind.separation).toBe(0);
    expect(fuse(0, 1, blind).relevance).toBe(0);
  });
});
