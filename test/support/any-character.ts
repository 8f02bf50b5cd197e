import fc from "fast-check";

/**
 * Any character, as `unit: "binary"` of fast-check draws it, which begins with a table of all of
 * them: that takes seconds in each process.
 */
export const anyCharacter = fc
  .oneof(fc.nat(0xd7ff), fc.integer({ min: 0xe000, max: 0x10ffff }))
  .map(
    (code) => String.fromCodePoint(code),
    (text) => (typeof text === "string" ? (text.codePointAt(0) ?? 0) : 0),
  );
