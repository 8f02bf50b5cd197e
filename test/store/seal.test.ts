import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createSeal, newSalt } from "../../src/store/sqlite/seal.ts";
import { runs } from "../support/runs.ts";

const KEY = new Uint8Array(32).fill(3);
const SALT = newSalt();
const seal = createSeal(KEY, SALT);
const texts = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({ unit: "grapheme" }),
  fc.constantFrom("", "\ud800", "a\udc00b", "\u0000", "~", "x".repeat(100_000)),
);

describe("what is sealed", () => {
  it("comes back as it was, whatever it was, and never looks the same twice unless it is to be looked up", () => {
    fc.assert(
      fc.property(texts, fc.constantFrom("head", "text"), (text, column) => {
        const [one, other] = [seal.close(column, text), seal.close(column, text)];
        expect(seal.open(column, one)).toBe(text);
        expect(one).not.toBe(other);
        expect(seal.open(column, seal.same(column, text))).toBe(text);
        expect(seal.same(column, text)).toBe(seal.same(column, text));
        expect(seal.same(column, text)).not.toBe(seal.same(`${column} too`, text));
        // Another process, the same key.
        expect(createSeal(KEY, SALT).same(column, text)).toBe(seal.same(column, text));
      }),
    );
  });

  it("differs where the text differs, by half a character too", () => {
    fc.assert(
      fc.property(
        texts,
        texts,
        (one, other) =>
          void expect(seal.same("head", one) === seal.same("head", other)).toBe(one === other),
      ),
    );
    expect(seal.same("head", "\ud800")).not.toBe(seal.same("head", "\ufffd"));
  });

  it("opens with no other key, salt or column, and not when a bit of it has changed", () => {
    fc.assert(
      fc.property(texts, fc.nat(), fc.nat(7), (text, place, bit) => {
        const cell = seal.close("head", text);
        expect(() => createSeal(new Uint8Array(32).fill(4), SALT).open("head", cell)).toThrow();
        expect(() => createSeal(KEY, newSalt()).open("head", cell)).toThrow();
        expect(() => seal.open("text", cell)).toThrow();
        const bytes = Buffer.from(cell.slice(1), "base64");
        bytes[place % bytes.length]! ^= 1 << bit;
        expect(() => seal.open("head", `~${bytes.toString("base64")}`)).toThrow();
        expect(() => seal.open("head", cell.slice(0, 12))).toThrow();
      }),
      { numRuns: runs(20) },
    );
  });

  it("is a digest as short as it was, and another digest for another key, column or bit", () => {
    fc.assert(
      fc.property(
        fc.stringMatching(/^[0-9a-f]{32}$/),
        fc.stringMatching(/^[0-9a-f]{32}$/),
        (one, other) => {
          const cell = seal.same("chain", one);
          expect(seal.open("chain", cell)).toBe(one);
          expect(cell).toHaveLength(25);
          expect(cell).not.toContain(one);
          expect(createSeal(KEY, SALT).same("chain", one)).toBe(cell);
          expect(seal.same("chain", other) === cell).toBe(one === other);
          for (const [opens, column] of [
            [createSeal(new Uint8Array(32).fill(4), SALT), "chain"],
            [seal, "anchor"],
          ] as const)
            expect(opens.open(column, cell)).not.toBe(one);
        },
      ),
    );
  });

  it("takes a passphrase in either of its Unicode forms, and no other", () => {
    const said = createSeal("pässword of the harbour".normalize("NFC"), SALT).close("head", "tide");
    expect(createSeal("pässword of the harbour".normalize("NFD"), SALT).open("head", said)).toBe(
      "tide",
    );
    expect(() => createSeal("pässword of the Harbour", SALT).open("head", said)).toThrow();
  });
});
