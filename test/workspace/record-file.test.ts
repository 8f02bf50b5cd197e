import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readRecord, writeRecord } from "../../src/workspace/documents/record-file.ts";
import { runs } from "../support/runs.ts";
import { anyCharacter } from "../support/any-character.ts";

const head = (text: string) => {
  const read = readRecord(text);
  return "broken" in read ? read.broken : read.head;
};

describe("front matter", () => {
  it("is read with CRLF and a byte order mark, and a file without it is all text", () => {
    const crlf = "\ufeff---\r\nid: a1\r\nkeywords: [x, y]\r\narchived: true\r\n---\r\n\r\nText\r\n";
    expect(readRecord(crlf)).toEqual({
      head: { id: "a1", aliases: [], keywords: ["x", "y"], archived: true },
      body: "Text",
    });
    expect(readRecord("\ufeffText --- here\n---\n")).toMatchObject({ body: "Text --- here\n---" });
    expect(readRecord("---\n---\nText")).toMatchObject({ body: "Text" });
  });

  it("says line and column of what cannot be read", () => {
    expect(head('---\nid: a\nkeywords: [a\nuntil: "x\n---\nText')).toMatch(
      /^[^\n]+ at line [34], column \d+$/,
    );
    expect(head("---\n- a\n- b\n---\nText")).toMatch(/list/);
  });

  it("is not unfolded into more than stands there", () => {
    const bomb = ["a: &a [x, x, x]", "b: &b [*a, *a, *a]", "c: [*b, *b, *b]"].join("\n");
    expect(head(`---\n${bomb}\n---\nText`)).toBe("aliases (*name) are not read here");
  });

  it("keeps what a person wrote into it, comments and unknown names too", () => {
    const text = "---\n# mine\nid: a1\nowner: Ada # for now\n---\n\nOld\n";
    const written = writeRecord(text, { head: { id: "a1", until: "2026-12-01" }, body: "New" });
    expect(written).toBe(
      "---\n# mine\nid: a1\nowner: Ada # for now\nuntil: 2026-12-01\n---\n\nNew\n",
    );
  });

  it("gives back what was written, whatever it is", () => {
    const word = fc
      .string({ unit: "grapheme", minLength: 1, maxLength: 30 })
      .map((text) => text.replace(/\p{C}/gu, "").trim())
      .filter((text) => text !== "");
    fc.assert(
      fc.property(
        word,
        fc.array(word, { maxLength: 4 }),
        fc.string({ unit: "grapheme" }),
        (id, keywords, text) => {
          const body = text.replace(/\r/g, "").replace(/^\n+/, "").trimEnd();
          const once = writeRecord("", { head: { id, keywords, archived: true }, body });
          expect(readRecord(once)).toEqual({
            head: { id, keywords, aliases: [], archived: true },
            body,
          });
          const twice = writeRecord(once, { head: { archived: null }, body });
          expect(readRecord(twice)).toMatchObject({ head: { id, archived: false }, body });
        },
      ),
      { numRuns: runs(200) },
    );
  });

  it("of any text is read without an error", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        expect(() => readRecord(`---\n${text}\n---\n`)).not.toThrow();
        expect(() => readRecord(text)).not.toThrow();
      }),
      { numRuns: runs(300) },
    );
  });
});
