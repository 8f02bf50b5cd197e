import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { retold } from "../../src/conversations/retold.ts";

describe("what is new of a conversation", () => {
  const signs = (keys: string, named = false) =>
    Array.from(keys, (key) => ({ content: `${named ? "+" : "-"}${key}`, role: "user" }));
  const freshIn = (...given: Parameters<typeof retold>) =>
    retold(...given).flatMap(({ told }) => told ?? []);
  const words = fc.string({ unit: fc.constantFrom("a", "b", "c"), maxLength: 12 });

  it("is what stands behind the old, whenever all or the last part of the old is passed with it", () => {
    fc.assert(
      fc.property(words, words, fc.nat({ max: 12 }), fc.boolean(), (old, more, from, named) => {
        fc.pre(from < old.length);
        const given = old.slice(from) + more;
        const fresh = freshIn(signs(old, named), signs(given, named));
        // Words that repeat themselves may overlap further than was meant; never is anything old taken for new.
        expect(fresh.length).toBeLessThanOrEqual(more.length);
        if (from === 0 && !old.slice(1).includes(old[0]!))
          expect(fresh).toEqual([...more].map((_, index) => old.length + index));
      }),
    );
  });

  it("is all of it when nothing of it is known, and nothing when all of it was passed before", () => {
    fc.assert(
      fc.property(words, (keys) => {
        expect(freshIn([], signs(keys))).toEqual([...keys].map((_, index) => index));
        expect(freshIn(signs(keys), signs(keys))).toEqual([]);
        expect(freshIn(signs("xyz"), signs(keys))).toEqual([...keys].map((_, index) => index));
      }),
    );
  });
});
