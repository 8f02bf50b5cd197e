import fc from "fast-check";
import { expect, it } from "vitest";
import { packed, unpacked } from "../../src/workspace/lines/packed-mark.ts";
import { runs } from "../support/runs.ts";

const moment = fc.integer({ min: -8.64e15, max: 8.64e15 }).map((at) => new Date(at).toISOString());
const id = fc.oneof(
  fc.stringMatching(/^[0-9a-z]{9}[0-9a-z]{3}[0-9a-f]{10}$/),
  fc.string({ unit: "binary", minLength: 1 }),
  fc.constantFrom("~", "&", "!a", "a=b", "v"),
);
const fields = fc.record(
  {
    id,
    at: fc.oneof(moment, fc.constant("2026-08-22T12:00:00.000Z")),
    scope: fc.oneof(fc.constantFrom("agent:default", "user:ada"), fc.string()),
    kind: fc.oneof(fc.constantFrom("fact", "policy", "toString"), fc.string()),
    origin: fc.oneof(fc.constantFrom("user", "tool", "untrusted"), fc.string()),
    category: fc.oneof(fc.constantFrom("decision", "x", "constructor"), fc.string()),
    source: fc.oneof(fc.constantFrom("distilled", "manual"), fc.string()),
    importance: fc.oneof(fc.double({ min: 0, max: 1, noNaN: true }).map(String), fc.string()),
    version: fc.oneof(fc.constantFrom("1", "2"), fc.string()),
    sum: fc.oneof(fc.constant("0a1b2c"), fc.string()),
    again: fc.constantFrom("yes", "no"),
    sorted: fc.constantFrom("yes"),
    of: id,
    said: fc.oneof(moment, fc.constantFrom("~", "~zz", "yesterday")),
    until: moment,
    key: fc.oneof(
      fc.string({ unit: "binary" }),
      id.map((session) => `conversation/${session}/open-request`),
      id.map((session) => `conversation/${session}/outcome`),
      fc.constant("conversation/x/other"),
    ),
    tags: fc.constantFrom('["a b"]', '["quoted"]', '["quoted","a"]', '["q"]'),
    line: fc.string(),
    first: fc.constant("3"),
  },
  { requiredKeys: ["id", "at", "scope"] },
);

it("gives every field back as it was given, and nothing for a mark of which a character is another", () => {
  fc.assert(
    fc.property(
      fields,
      fc.nat(),
      fc.constantFrom("a", "0", "f", "!", " ", "~", "."),
      (given, where, put) => {
        const mark = packed(given);
        if (mark === undefined) return;
        expect({ ...unpacked(mark) }).toEqual(given);
        const at = where % mark.length;
        const other = mark.slice(0, at) + put + mark.slice(at + 1);
        if (other !== mark) expect(unpacked(other)).toBeUndefined();
      },
    ),
    { numRuns: runs(2_000) },
  );
});
