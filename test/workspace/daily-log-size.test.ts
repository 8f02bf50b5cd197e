import fc from "fast-check";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { rebuildIndex } from "../../src/engine/upkeep/rebuild.ts";
import { readMarkedLine } from "../../src/workspace/lines/marked-line.ts";
import { packed, unpacked } from "../../src/workspace/lines/packed-mark.ts";
import { freshFolder, NOON } from "../support/workspace.ts";
import { runs } from "../support/runs.ts";

const SAID = [
  [
    "identity",
    "The user is Ada, a nurse at the children's clinic in Porto, who works nights every second week, and is learning German for a post in Basel.",
  ],
  [
    "preference",
    "Ada wants answers in Portuguese, short and without bullet points, as she reads them on her phone between two patients.",
  ],
  [
    "rule",
    "Never send a message to a patient without a doctor's name in it: the clinic had a complaint about that in May.",
  ],
  [
    "decision",
    "The roster moves to the shared calendar from October, since the printed one is always a day late.",
  ],
  [
    "outcome",
    "The September roster was sent to all twelve nurses, and two swaps were entered: Rui with Bela, Ada with Tomás.",
  ],
  [
    "failed-approach",
    "Exporting the calendar as CSV loses the night shifts, because they end on the next day; the iCal export keeps them.",
  ],
  [
    "identifier",
    "The clinic's account at the supplier of gloves and masks has the number PT-4417-09; orders go out on Thursdays.",
  ],
  [
    "open-request",
    "Open request: find out who covers the night of 14 October, now that Tomás is away; so far Bela and Rui were asked.",
  ],
] as const;

it("carries its data in less than a third of its bytes", async () => {
  const workspace = freshFolder();
  let now = NOON;
  const facts = SAID.map(([category, content], at) => ({
    category,
    content,
    importance: Number((0.9 - at / 20).toFixed(2)),
    from: [1, 2],
    ...(category === "open-request" ? { key: "work/open" } : {}),
  }));
  const complete = () =>
    Promise.resolve({
      text: JSON.stringify({ facts, summary: "Ada and the roster were talked about." }),
    });
  const tidemark = await openTidemark({
    workspace,
    embed: false,
    distil: complete,
    now: () => (now += 3),
  });
  const messages = Array.from({ length: 12 }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: `Message ${at} on the roster. ${"We went through the shifts one by one. ".repeat(20)}`,
  }));
  await tidemark.fold({ request: { model: "m", max_tokens: 100, messages } });
  now += 3_600_000;
  await tidemark.memory.save({
    content:
      "Open request: print the October roster for the board in the kitchen, once Rui has agreed.",
    key: "work/open",
  });
  const [rule] = await tidemark.memory.list({ category: "rule" });
  await tidemark.memory.update(rule?.id ?? "", {
    content: "Never send a message to a patient or a parent without a doctor's name in it.",
  });
  await tidemark.close();
  const log = readFileSync(join(workspace, "memory/2026-08-22.md"), "utf8");
  const rows = log.split("\n").filter((row) => readMarkedLine(row) !== undefined);
  expect(rows.length).toBeGreaterThanOrEqual(11);
  const bytes = (texts: readonly string[]): number =>
    texts.reduce((sum, text) => sum + Buffer.byteLength(text) + 1, 0);
  expect(bytes(rows.map((row) => row.slice(row.lastIndexOf("<!--")))) / bytes(rows)).toBeLessThan(
    1 / 3,
  );
  expect(await rebuildIndex({ workspace, now: () => now, dry: true })).toMatchObject({
    differed: 0,
    unlogged: 0,
    unread: [],
  });
});

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
