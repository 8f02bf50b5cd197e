import fc from "fast-check";
import { readFileSync, rmSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  formatLogLine,
  isTorn,
  type LogLine,
  parseLogLine,
} from "../../src/workspace/log/daily-log.ts";
import { eventLine, isEventLine, type LoggedEvent } from "../../src/workspace/lines/event-line.ts";
import { parseReceiptLine } from "../../src/workspace/lines/receipt-line.ts";
import { isRemnant } from "../../src/workspace/lines/unread-line.ts";
import { freshWorkspace, NOON } from "../support/workspace.ts";
import { runs } from "../support/runs.ts";

const event: fc.Arbitrary<LoggedEvent> = fc.record(
  {
    at: fc.integer({ min: NOON - 9e7, max: NOON + 9e7 }),
    what: fc.constantFrom("session", "fold", "task", "heartbeat"),
    id: fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-z]{20,22}$/)),
    did: fc.constantFrom("began", "went on", "ended", "failed"),
  },
  { requiredKeys: ["at", "what", "did"] },
);
const scope = "agent:default" as const;
const memory: fc.Arbitrary<LogLine> = fc.record({
  event: fc.constantFrom("saved", "updated", "forgotten"),
  id: fc.constantFrom("m1", "m2", "m3"),
  at: fc.integer({ min: NOON - 9e7, max: NOON + 9e7 }),
  scope: fc.constant(scope),
  kind: fc.constant("fact"),
  category: fc.constant("core"),
  source: fc.constant("manual"),
  origin: fc.constant("user"),
  content: fc.string(),
});

it("a line is a time, what and the end of an id, and neither the journal's nor anything of it that broke", () => {
  expect(eventLine({ at: NOON, what: "session", id: "0mwri4als00033b1bfdce7", did: "began" })).toBe(
    "- 12:00 session 1bfdce7 began",
  );
  expect(eventLine({ at: NOON, what: "heartbeat", did: "ended" })).toBe("- 12:00 heartbeat ended");
  fc.assert(
    fc.property(event, fc.nat(60), (one, cut) => {
      const line = eventLine(one);
      expect(isEventLine(line)).toBe(true);
      expect(line.length).toBeLessThanOrEqual(40);
      for (const raw of [line, `${line}\r`, line.slice(0, cut)]) {
        expect(parseLogLine(raw)).toBeUndefined();
        expect(parseReceiptLine(raw)).toBeUndefined();
        expect(isRemnant(raw)).toBe(false);
        expect(isTorn(raw)).toBe(false);
      }
    }),
    { numRuns: runs(1_000) },
  );
});

it("the journal reads the same facts with such lines among its own and without them", async () => {
  const receipt = fc.record({
    id: fc.constant("r1"),
    at: fc.constant(NOON),
    scope: fc.constant(scope),
    line: fc.constant("abcd"),
    first: fc.nat(5),
    last: fc.integer({ min: 6, max: 9 }),
  });
  const step = fc.oneof(
    fc.record({ events: fc.array(event, { minLength: 1, maxLength: 4 }) }),
    fc.record({
      lines: fc.array(memory, { minLength: 1, maxLength: 4 }),
      receipt: fc.option(receipt, { nil: undefined }),
    }),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 8 }), async (steps) => {
      const [told, quiet] = [freshWorkspace(), freshWorkspace()];
      for (const one of steps) {
        if ("events" in one) await told.workspace.journal.tell(one.events, scope);
        else
          for (const { workspace } of [told, quiet])
            await workspace.log(one.lines, scope, one.receipt);
      }
      const [with_, without] = await Promise.all(
        [told, quiet].map(async ({ workspace: { journal } }) => {
          const read = await journal.read(scope);
          const everything = await journal.everything();
          return {
            lines: read.lines,
            unread: [...read.unread, ...everything.unread].length,
            all: everything.lines,
            receipts: await journal.receipts(scope, 0),
            has: await Promise.all(
              [-1, 0, 1].map((day) => journal.has(NOON + day * 86_400_000, scope)),
            ),
          };
        }),
      );
      expect(with_).toEqual(without);
      expect(with_?.unread).toBe(0);
    }),
    { numRuns: runs(40) },
  );
});

it("a log that was made for events opens as a journal does once a memory stands in it", async () => {
  const { root, workspace } = freshWorkspace();
  const log = join(root, "memory/2026-08-22.md");
  const line = {
    event: "saved",
    id: "m1",
    at: NOON,
    scope,
    kind: "fact",
    category: "core",
    source: "manual",
    origin: "user",
    content: "Tea.",
  } as const;
  await workspace.journal.tell([{ at: NOON, what: "session", id: "abcdefg", did: "began" }], scope);
  expect(readFileSync(log, "utf8")).toBe(
    "# 2026-08-22\n\n<!-- What began and ended, in UTC. -->\n\n- 12:00 session abcdefg began\n",
  );
  expect(await workspace.journal.has(NOON, scope)).toBe(false);
  await workspace.log([line], scope);
  await workspace.journal.tell([{ at: NOON, what: "session", id: "abcdefg", did: "ended" }], scope);
  const text = readFileSync(log, "utf8");
  expect(text).toMatch(/^# 2026-08-22\n\n<!-- One line per memory event\./);
  expect(text).toMatch(
    /session abcdefg began\n- 12:00:00 saved: Tea\. .*\n- 12:00 session abcdefg ended\n$/,
  );
  expect(await workspace.journal.has(NOON, scope)).toBe(true);
  expect(text.replaceAll(/^- \d\d:\d\d [a-z].*\n/gm, "")).toBe(
    text.slice(0, text.indexOf("- 12:00 session")) + `${formatLogLine(line)}\n`,
  );
  rmSync(log);
  await workspace.journal.tell([{ at: NOON, what: "heartbeat", did: "began" }], scope);
  expect(await workspace.journal.has(NOON, scope)).toBe(false);
});

it("search finds what people and memory wrote in a log, and none of these lines", async () => {
  const { workspace } = freshWorkspace();
  await workspace.scaffold([scope]);
  await workspace.journal.tell([{ at: NOON, what: "heartbeat", did: "began" }], scope);
  expect(await workspace.search("heartbeat began", { scopes: [scope] })).toEqual([]);
});
