import { createHash } from "node:crypto";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { hashOf } from "../../src/providers/common/pieces.ts";
import { cleaned } from "../../src/core/text/cut.ts";
import { runs } from "../support/runs.ts";
import { anyCharacter } from "../support/any-character.ts";

const anyText = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 60 }),
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.string({ maxLength: 60 }),
);
/** Lone halves of pairs, lengths on both sides of where the way of hashing changes. */
const written = fc
  .tuple(anyText, fc.nat(2_200))
  .map(([text, fill]) => `${text}\ud800${"x".repeat(fill)}`);

describe("what a message is known by", () => {
  it("is of its UTF-16 units alone, however long it is: a history written years ago is found by it", () => {
    const plain = (text: string): string =>
      createHash("sha256").update(text, "utf16le").digest("hex").slice(0, 32);
    fc.assert(
      fc.property(written, (content) => {
        expect(hashOf(content)).toBe(plain(content));
      }),
      { numRuns: runs(100) },
    );
  });
});

describe("text that is cleaned", () => {
  it("is the same whether it stands alone or beside something that has to be cleaned", () => {
    fc.assert(
      fc.property(anyText, (text) => {
        expect(cleaned(`${text}\u0007`)).toBe(cleaned(text));
      }),
      { numRuns: runs(200) },
    );
  });
});
