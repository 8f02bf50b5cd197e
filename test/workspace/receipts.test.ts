import fc from "fast-check";
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { formatReceiptLine } from "../../src/workspace/lines/receipt-line.ts";
import {
  formatLogLine,
  type LogLine,
  logPath,
  ofReceipt,
} from "../../src/workspace/log/daily-log.ts";
import { growsWithLength } from "../support/growth.ts";
import { freshWorkspace, NOON } from "../support/workspace.ts";
import { runs } from "../support/runs.ts";

const scope = "agent:default" as const;
const IDS = ["r1", "r2", "r3"] as const;

const line: fc.Arbitrary<LogLine> = fc.record(
  {
    event: fc.constantFrom("saved", "updated", "forgotten"),
    id: fc.constantFrom("m1", "m2", "m3", "m4"),
    at: fc.constant(NOON),
    scope: fc.constant(scope),
    kind: fc.constant("fact"),
    category: fc.constant("core"),
    source: fc.constant("manual"),
    origin: fc.constant("user"),
    content: fc.string(),
    of: fc.constantFrom(...IDS, ...IDS.map(ofReceipt)),
  },
  {
    requiredKeys: ["event", "id", "at", "scope", "kind", "category", "source", "origin", "content"],
  },
);
const receipt = fc.record({
  id: fc.constantFrom(...IDS),
  at: fc.constant(NOON),
  scope: fc.constant(scope),
  line: fc.constant("abcd"),
  first: fc.nat(5),
  last: fc.integer({ min: 6, max: 9 }),
});
/** What a person, a merge or a killed process does to a log: a row goes, or is there twice, or the end is cut off. */
const edit = fc.record({
  does: fc.constantFrom("remove", "double", "cut"),
  share: fc.double({ min: 0, max: 1, noNaN: true }),
});
const step = fc.oneof(
  fc.record({
    lines: fc.array(line, { minLength: 1, maxLength: 4 }),
    receipt: fc.option(receipt, { nil: undefined }),
  }),
  edit,
);

function edited(text: string, { does, share }: { does: string; share: number }): string {
  if (does === "cut") return text.slice(0, Math.floor(share * text.length));
  const rows = text.split("\n");
  const at = Math.min(rows.length - 1, Math.floor(share * rows.length));
  return rows
    .flatMap((row, index) => (index !== at ? row : does === "double" ? [row, row] : []))
    .join("\n");
}

it("a log read on says what one read whole says, however it grew or was edited, also to two who ask at once", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 10 }), async (steps) => {
      const { root, workspace } = freshWorkspace();
      const log = join(root, logPath(NOON));
      for (const one of steps) {
        if ("lines" in one) await workspace.log(one.lines, scope, one.receipt);
        else if (existsSync(log)) writeFileSync(log, edited(readFileSync(log, "utf8"), one));
        const anew = await freshWorkspace(root).workspace.journal.receipts(scope, 0);
        const asked = [1, 2].map(() => workspace.journal.receipts(scope, 0));
        for (const found of await Promise.all(asked)) expect(found).toEqual(anew);
      }
    }),
    { numRuns: runs(60) },
  );
});

it("a day of many conversations is read in time that grows with its lines", async () => {
  const { root, workspace } = freshWorkspace();
  const said = { at: NOON, scope, kind: "fact", category: "core", source: "manual" } as const;
  await growsWithLength(
    async (length) => {
      const rows = Array.from({ length: Math.ceil(length / 500) }, (_, at) => [
        formatLogLine({
          ...said,
          event: "saved",
          id: `m${at}`,
          origin: "user",
          content: `Room ${at}.`,
          of: ofReceipt(`r${at}`),
        }),
        formatReceiptLine({ id: `r${at}`, at: NOON, scope, line: "abcd", first: 0, last: 3 }),
      ]);
      mkdirSync(join(root, "memory"), { recursive: true });
      writeFileSync(join(root, logPath(NOON)), `# Day\n\n${rows.flat().join("\n")}\n`);
      const found = await workspace.journal.receipts(scope, 0);
      expect(found.length).toBe(rows.length);
      expect(found.at(-1)?.memories).toEqual([`m${rows.length - 1}`]);
    },
    { what: "receipts", length: 500_000 },
  );
});
