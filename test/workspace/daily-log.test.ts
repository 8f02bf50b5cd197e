import fc from "fast-check";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import {
  isOurs,
  type LoggedEvent,
  type LoggedMemory,
  logLine,
  withoutAuthor,
  withoutLinesOf,
} from "../../src/workspace/pages/log-and-page-copies.ts";
import { runs } from "../support/runs.ts";
import { freshWorkspace, NOON } from "../support/workspace.ts";
import { anyCharacter } from "../support/any-character.ts";

const at = fc.integer({ min: NOON - 9e7, max: NOON + 9e7 });
const event: fc.Arbitrary<LoggedEvent> = fc.record(
  {
    at,
    what: fc.constantFrom("session", "fold", "task"),
    id: fc.oneof(fc.string(), fc.stringMatching(/^[0-9a-z]{20,22}$/)),
    did: fc.constantFrom("began", "went on", "ended", "failed"),
  },
  { requiredKeys: ["at", "what", "did"] },
);
const content = fc.oneof(fc.string({ unit: anyCharacter }), fc.constant("a <!-- b --> <!-- c"));
const memory: fc.Arbitrary<LoggedMemory> = fc.record({
  at,
  did: fc.constantFrom("saved", "changed", "ended", "forgotten"),
  memory: fc.record({
    id: fc.constantFrom("m1", "m2", "m3"),
    content,
    origin: fc.constantFrom("user", "tool"),
  }),
  author: fc.constantFrom(undefined, "lead+agent:nova+user:ada"),
});
const saved = (id: string, words: string): LoggedMemory => ({
  ...{ at: NOON, did: "saved" },
  memory: { id, content: words, origin: "user" },
});

it("a line is a time, what and whose, and the short name of its memory", () => {
  expect(logLine({ at: NOON, what: "session", id: "0mwri4als00033b1bfdce7", did: "began" })).toBe(
    "- 12:00 session 1bfdce7 began",
  );
  expect(logLine(saved("m1", "Likes\ntea"))).toMatch(
    /^- 12:00 saved: Likes tea <!-- [0-9a-z]{8} -->$/,
  );
  expect(logLine({ ...saved("m1", "Likes tea"), did: "forgotten", author: "lead" })).toMatch(
    /^- 12:00 forgotten \(by lead\) <!-- [0-9a-z]{8} -->$/,
  );
});

it("whatever is told is one line of ours, and goes with its memory alone", () => {
  fc.assert(
    fc.property(fc.oneof(event, memory), fc.string(), (one, own) => {
      const line = logLine(one);
      expect(line.split("\n")).toEqual([line]);
      expect(isOurs(line)).toBe(true);
      expect(isOurs(`${line}\r`)).toBe(true);
      const log = `${own}\n${line}`;
      const goes = "memory" in one && one.memory.id === "m1";
      expect(withoutLinesOf(log, new Set(["m1"]))).toBe(goes ? own : log);
      expect(withoutAuthor(withoutAuthor(line, "ada"), "ada")).toBe(withoutAuthor(line, "ada"));
    }),
    { numRuns: runs(1_000) },
  );
});

it("a name behind a line goes, and the line stays", () => {
  const line = logLine({ ...saved("m1", "ask user:ada (by user:ada)"), author: "lead+user:ada" });
  expect(withoutAuthor(line, "ada")).toContain(
    ": ask user:ada (by user:ada) (by lead+user:forgotten) <",
  );
});

it("events logged at once all arrive, each on its own line", async () => {
  const { root, workspace } = freshWorkspace();
  const other = freshWorkspace(root).workspace;
  await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      (index % 2 ? workspace : other).log([saved(`m${index}`, `line ${index}`)], "agent:default"),
    ),
  );
  const log = readFileSync(join(root, "memory/2026-08-22.md"), "utf8");
  expect(log.match(/line \d+ </g)?.sort()).toEqual(
    Array.from({ length: 40 }, (_, index) => `line ${index} <`).sort(),
  );
  expect(log.match(/# 2026/g)).toHaveLength(1);
});
