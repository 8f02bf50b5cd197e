import { createHash } from "node:crypto";
import fc from "fast-check";
import { expect, it } from "vitest";
import { digest } from "../../src/core/text/cut.ts";

/** As it is written down in every database: the parts, each behind its length, in UTF-8. */
function written(...parts: string[]): string {
  const hash = createHash("sha256");
  for (const part of parts) hash.update(`${part.length}:`).update(part);
  return hash.digest("hex").slice(0, 32);
}

it("a digest is the same by either way, whatever the texts and however long, and never two texts' with another border between them", () => {
  const text = fc.oneof(
    fc.string({ unit: "binary", maxLength: 30 }),
    fc.constantFrom("\ud800", "\udc00", "é\ud83d", "\ude00x", ""),
    fc
      .tuple(
        fc.constantFrom("a", "é", "\u{1f600}", "\ud83d"),
        fc.integer({ min: 1_990, max: 4_010 }),
      )
      .map(([unit, times]) => unit.repeat(times)),
  );
  fc.assert(
    fc.property(
      fc.array(text, { maxLength: 4 }),
      (parts) => digest(...parts) === written(...parts),
    ),
  );
  expect(digest("ab", "c")).not.toBe(digest("a", "bc"));
});
