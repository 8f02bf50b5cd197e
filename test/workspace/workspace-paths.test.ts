import fc from "fast-check";
import { expect, it } from "vitest";

import { SCOPE_KINDS, type Scope } from "../../src/core/identity.ts";
import { folderOf, percent, safeName, unpercent } from "../../src/workspace/disk/folder.ts";
import { runs } from "../support/runs.ts";
import { anyCharacter } from "../support/any-character.ts";

const HOSTILE = [
  "..",
  ".",
  "",
  "a/b",
  "a\\b",
  "../../etc/passwd",
  "con",
  "CON",
  "nul.txt",
  "COM1",
  "lpt9",
  "NUL\0",
  ".git",
  "a.",
  "a ",
  "A",
  "ä",
  "a\u0308",
  "%41",
  "%",
  "%h",
  "~",
  "🐱",
  "\ud800",
  "\ud801",
  "x".repeat(300),
  "X".repeat(300),
  "é".repeat(300),
  "aux",
  "%61ux",
  "scopes",
  ".tidemark",
  "%empty",
];
const ids = fc.oneof(
  fc.string({ unit: anyCharacter, maxLength: 310 }),
  fc.string({
    unit: fc.constantFrom("a", "A", ".", "/", "\\", "%", "4", "1", "h", "\0", "\ud800", " ", "ß"),
    maxLength: 12,
  }),
  fc.constantFrom(...HOSTILE),
  fc.string({ unit: fc.constantFrom("x", "X"), minLength: 118, maxLength: 300 }),
);

it("a folder name is one plain name of at most 120 characters that no system reserves", () => {
  fc.assert(
    fc.property(ids, (id) => {
      const name = safeName(id);
      expect(name).toMatch(/^[a-z0-9_%-][a-z0-9._%-]{0,119}$/);
      expect(name).not.toMatch(/\.$|^(con|prn|aux|nul|com\d|lpt\d)(\.|$)/);
    }),
    { numRuns: runs(400), examples: HOSTILE.map((id) => [id]) },
  );
});

it("two ids never share a folder, not even where case is folded and accents are composed", () => {
  const fold = (name: string) => name.toLowerCase().normalize("NFC");
  fc.assert(
    fc.property(ids, ids, (a, b) => {
      expect(fold(safeName(a)) === fold(safeName(b))).toBe(a === b);
    }),
    { numRuns: runs(1_000) },
  );
  const names = HOSTILE.map((id) => fold(safeName(id)));
  expect(new Set(names).size).toBe(HOSTILE.length);
});

it("plain ids stay readable", () => {
  expect(folderOf("user:ada")).toBe("scopes/user/ada");
  expect(folderOf("agent:default")).toBe("");
  expect(folderOf("user:default")).toBe("scopes/user/default");
  expect(folderOf("project:api-v2.1_x")).toBe("scopes/project/api-v2.1_x");
  expect(folderOf("user:Ada Löv")).toBe("scopes/user/%41da%20%4c%c3%b6v");
});

it("no scope leaves the folder of its kind", () => {
  fc.assert(
    fc.property(fc.constantFrom(...SCOPE_KINDS), ids, (kind, id) => {
      const scope: Scope = `${kind}:${id}`;
      const parts = folderOf(scope).split("/");
      if (scope === "agent:default") expect(parts).toEqual([""]);
      else {
        expect(parts.slice(0, 2)).toEqual(["scopes", kind]);
        expect(parts).toHaveLength(3);
        expect([".", "..", ""]).not.toContain(parts[2]);
      }
    }),
    { numRuns: runs(200), examples: HOSTILE.map((id) => ["user" as const, id]) },
  );
  expect(() => folderOf("../etc" as Scope)).toThrow(/is no scope/);
});

it("percent writing gives any text back", () => {
  fc.assert(
    fc.property(fc.string({ unit: anyCharacter }), (text) => {
      expect(unpercent(percent(text, /[a-z]/))).toBe(text);
    }),
    { examples: [["\ud800%u"], ["\udfff\ud800"], ["%41%u"]] },
  );
});
