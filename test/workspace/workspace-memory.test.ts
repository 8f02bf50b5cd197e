import fc from "fast-check";
import { readdirSync, readFileSync, statSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { MemoryKind, Origin } from "../../src/model/memory.ts";
import {
  blanked,
  formatLogLine,
  isEdited,
  type LogLine,
  parseLogLine,
  sumOf,
} from "../../src/workspace/log/daily-log.ts";
import type { ShownMemory } from "../../src/workspace/pages/memory-page.ts";
import { freshWorkspace, NOON, showing } from "../support/workspace.ts";
import { runs } from "../support/runs.ts";

const anyText = fc.oneof(
  fc.string({ unit: "binary" }),
  fc.string({
    unit: fc.constantFrom(
      "\n",
      "\r",
      "\\",
      "n",
      "u{41}",
      "<!--",
      "-->",
      " ",
      "id=x",
      "- ",
      "\u2028",
      "\ud800",
      "\u202e",
      "🐱",
      "\0",
      "\t",
      "!",
      "forgotten: ",
    ),
    maxLength: 30,
  }),
);
const anyOrigin = fc.constantFrom<Origin>("host", "user", "agent", "tool", "untrusted");
const shown = (id: string, content: string): ShownMemory => ({
  id,
  content,
  category: "core",
  origin: "user",
  at: NOON,
});

function logLine(more: Partial<LogLine> = {}): LogLine {
  return {
    event: "saved",
    id: "m1",
    at: NOON,
    scope: "user:ada",
    kind: "fact",
    category: "preference",
    source: "distilled",
    origin: "user",
    content: "Likes tea",
    ...more,
  };
}
const logLines = fc.record(
  {
    event: fc.constantFrom("saved", "updated", "superseded"),
    id: anyText,
    at: fc.integer({ min: -8.64e15, max: 8.64e15 }),
    scope: anyText.map((id) => `user:${id}` as const),
    kind: fc.constantFrom<MemoryKind>(
      "fact",
      "learning",
      "record",
      "procedure",
      "episode",
      "policy",
    ),
    category: anyText,
    key: anyText,
    source: anyText,
    origin: anyOrigin,
    importance: fc.double({ min: 0, max: 1, noNaN: true }),
    tags: fc.array(anyText, { minLength: 1, maxLength: 4 }),
    expiresAt: fc.integer({ min: 0, max: 8.64e15 }),
    content: anyText,
  },
  {
    requiredKeys: ["event", "id", "at", "scope", "kind", "category", "source", "origin", "content"],
  },
) as fc.Arbitrary<LogLine>;

/** As it is read again: with the digest it was written with, unless it was forgotten. */
const summed = (line: LogLine): LogLine =>
  line.event === "forgotten" ? line : { ...line, sum: sumOf(line.content) };

it("a line of the daily log gives back exactly what was logged, through the bytes of a file", () => {
  fc.assert(
    fc.property(logLines, (line) => {
      const raw = formatLogLine(line);
      expect(raw).not.toMatch(/[\n\r\u2028\u2029]/);
      expect(parseLogLine(Buffer.from(raw, "utf8").toString("utf8"))).toEqual(summed(line));
      expect(parseLogLine(raw)).toEqual(summed(line));
    }),
    {
      numRuns: runs(600),
      examples: [
        [logLine({ content: "a\n- 12:00:00 forgotten:  <!-- id=m9 -->\\n" })],
        [logLine({ content: "" })],
        [logLine({ tags: ["a,b", ""] })],
      ],
    },
  );
});

it("a torn line is no line, wherever it was torn", () => {
  const raw = formatLogLine(logLine({ content: "Likes <!-- tea -->", tags: ["x"], key: "drink" }));
  for (let length = 0; length < raw.length; length += 1)
    expect(parseLogLine(raw.slice(0, length))).toBeUndefined();
  expect(parseLogLine(`${raw} \r`)).toEqual(
    summed(logLine({ content: "Likes <!-- tea -->", tags: ["x"], key: "drink" })),
  );
});

it("a person may change the words of a line", () => {
  const raw = formatLogLine(logLine()).replace("Likes tea", "Likes coffee in C:\\dir");
  const edited = {
    ...logLine({ content: "Likes coffee in C:\\dir" }),
    sum: sumOf(logLine().content),
  };
  expect(parseLogLine(raw)).toEqual(edited);
  expect([isEdited(edited), isEdited(summed(logLine()))]).toEqual([true, false]);
});

it("the journal is one readable line per event, a file per day, and ends a torn line before it goes on", async () => {
  const { root, workspace } = freshWorkspace();
  await workspace.log(
    [logLine(), logLine({ id: "m2", origin: "tool", content: "two\nlines", at: NOON + 1 })],
    "user:ada",
  );
  const path = join(root, "scopes/user/ada/memory/2026-08-22.md");
  const [opening, note, ...rows] = readFileSync(path, "utf8")
    .split("\n")
    .filter((row) => row !== "");
  expect([opening, note]).toEqual([
    "# 2026-08-22",
    `<!-- One line per memory event. The text of a "saved" or "updated" line is yours to edit; leave the comment behind it. -->`,
  ]);
  expect(rows.map((row) => row.replace(/~../, "~"))).toEqual([
    "- 12:00:00 saved: Likes tea <!-- ~mt4bt6o0 fuP!hnwn v @uada id=m1 -->",
    "- 12:00:00 saved (unverified): two\\nlines <!-- ~mt4bt6o1 ftP!v-6c v @uada id=m2 -->",
  ]);
  writeFileSync(path, `${readFileSync(path, "utf8")}- 12:00:01 saved: torn <!-- id=m3`);
  await workspace.log(
    [logLine({ id: "m4" }), logLine({ id: "m5", at: NOON + 86_400_000 })],
    "user:ada",
  );
  const lines = readFileSync(path, "utf8").split("\n");
  expect(lines.flatMap((line) => parseLogLine(line)?.id ?? [])).toEqual(["m1", "m2", "m4"]);
  expect(readdirSync(join(root, "scopes/user/ada/memory")).sort()).toEqual([
    "2026-08-22.md",
    "2026-08-23.md",
  ]);
});

it("events logged at once all arrive, each on its own line", async () => {
  const { root, workspace } = freshWorkspace();
  const other = freshWorkspace(root).workspace;
  await Promise.all(
    Array.from({ length: 40 }, (_, index) =>
      (index % 2 ? workspace : other).log([logLine({ id: `m${index}` })], "agent:default"),
    ),
  );
  const lines = readFileSync(join(root, "memory/2026-08-22.md"), "utf8")
    .split("\n")
    .flatMap((line) => parseLogLine(line) ?? []);
  expect(lines.map(({ id }) => id).sort()).toEqual(
    Array.from({ length: 40 }, (_, index) => `m${index}`).sort(),
  );
  expect(readFileSync(join(root, "memory/2026-08-22.md"), "utf8").match(/# 2026/g)).toHaveLength(1);
});

it("what is forgotten is gone from memory, head, logs and backups; a tombstone with its id stays", async () => {
  const { root, workspace, clock } = freshWorkspace();
  await workspace.scaffold(["user:ada"]);
  await showing(workspace, [shown("m1", "Diagnosis: gout"), shown("m2", "Likes tea")], "user:ada");
  await workspace.log(
    [
      logLine({ id: "m1", content: "Diagnosis: gout", key: "gout", tags: ["gout"] }),
      logLine({ id: "m2" }),
    ],
    "user:ada",
  );
  await workspace.log(
    [
      logLine({
        id: "m1",
        event: "updated",
        content: "Diagnosis: gout, mild",
        at: NOON + 86_400_000,
      }),
    ],
    "user:ada",
  );
  clock.now += 1;
  await workspace.write(
    "MEMORY.md",
    `${await workspace.read("MEMORY.md", "user:ada")}\n* diagnosis: GOUT\n`,
    "user:ada",
  );
  expect(await workspace.forget(["m1", "unknown"], "user:ada")).toBe(1);
  for (const path of readdirSync(root, { recursive: true, encoding: "utf8" }).filter((name) =>
    statSync(join(root, name)).isFile(),
  ))
    expect(readFileSync(join(root, path), "utf8"), path).not.toMatch(/gout/i);
  const log = readFileSync(join(root, "scopes/user/ada/memory/2026-08-22.md"), "utf8")
    .split("\n")
    .flatMap((line) => parseLogLine(line) ?? []);
  expect(log.map(({ id, event, content }) => [id, event, content])).toEqual([
    ["m1", "forgotten", ""],
    ["m2", "saved", "Likes tea"],
  ]);
  expect(await workspace.read("MEMORY.md", "user:ada")).toContain("- Likes tea");
  expect(await workspace.forget(["m1"], "user:ada")).toBe(0);
  expect(await workspace.forget(["m2"], "user:bob")).toBe(0);
});

it("forgets by what a line says of itself", async () => {
  const { workspace } = freshWorkspace();
  await workspace.log(
    [logLine({ id: "m1", source: "session-7" }), logLine({ id: "m2", content: "Has a boat" })],
    "user:ada",
  );
  await showing(workspace, [shown("m1", "Likes tea"), shown("m2", "Has a boat")], "user:ada");
  expect(await workspace.forget(({ source }) => source === "session-7", "user:ada")).toBe(1);
  expect((await workspace.read("MEMORY.md", "user:ada")).match(/^- .*? \(/gm)).toEqual([
    "- Has a boat (",
  ]);
});

it("blanking leaves every other line byte for byte", () => {
  const text = `# day\n\nnotes by hand\r\n${formatLogLine(logLine({ id: "a" }))}\n${formatLogLine(logLine({ id: "b" }))}`;
  const after = blanked(text, ({ id }) => id === "a").split("\n");
  expect(after.filter((_, index) => index !== 3)).toEqual(
    text.split("\n").filter((_, index) => index !== 3),
  );
  expect(blanked(text, () => false)).toBe(text);
});
