import { readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { memoryDirectory } from "../../src/adapters/anthropic.ts";
import { isTidemarkError, openTidemark, type Tidemark } from "../../src/index.ts";
import { runs } from "../support/runs.ts";
import { fileFolder } from "../support/afterwards.ts";
import { anyCharacter } from "../support/any-character.ts";

let home: string;
let tidemark: Tidemark;
beforeAll(async () => {
  home = fileFolder();
  writeFileSync(join(home, "outside.md"), "Outside.");
  tidemark = await openTidemark({ workspace: join(home, "ws"), listen: false });
  await tidemark.notes.write("a/b.md", "Inside.");
  symlinkSync(home, join(home, "ws/notes/link"));
});
afterAll(async () => {
  await tidemark.close();
});

const part = fc.constantFrom(
  ...["..", ".", "", "/", "\\", "\0", "a", "link", "b.md", "outside.md", "ws", "~", "%2e%2e", "C:"],
  ...[
    "MEMORY.md",
    "notes",
    ".tidemark",
    "scopes",
    "ä",
    "\u202e",
    "\ud800",
    "con",
    " ",
    "n".repeat(300),
  ],
);
const path = fc.oneof(
  fc.array(part, { maxLength: 6 }).map((parts) => parts.join("/")),
  fc.array(part, { maxLength: 6 }).map((parts) => parts.join("")),
  fc.string({ unit: anyCharacter, maxLength: 20 }),
);

/** All outside the notes, by name and content; the machine's own files by name alone. */
const outside = (): string =>
  readdirSync(home, { recursive: true, withFileTypes: true })
    .filter(({ parentPath }) => !/ws\/(?:notes|\.tidemark)/.test(`${parentPath}/`))
    .filter((entry) => entry.name !== "notes" && entry.isFile())
    .map(
      ({ parentPath, name }) =>
        `${parentPath}/${name}: ${readFileSync(join(parentPath, name), "utf8")}`,
    )
    .join("\n");

it("no name, whatever is in it, reaches a file outside the notes, and what is refused is one sentence", async () => {
  const before = outside();
  const directory = memoryDirectory(tidemark);
  await fc.assert(
    fc.asyncProperty(path, path, async (one, other) => {
      const [given, next] = [
        `/memories${other.startsWith("/") ? "" : "/"}${one}`,
        `/memories/${other}`,
      ];
      for (const work of [
        () => tidemark.notes.write(one, "x"),
        () => tidemark.notes.read(one),
        () => tidemark.notes.remove(one),
        () => directory.create({ path: given, file_text: "x" }),
        () => directory.view({ path: given }),
        () => directory.rename({ old_path: given, new_path: next }),
        () => directory.delete({ path: next }),
      ]) {
        const [answer, error] = await Promise.resolve(work()).then(
          (said) => [said, undefined] as const,
          (thrown: unknown) => [undefined, thrown] as const,
        );
        expect(String(answer)).not.toContain("Outside.");
        if (error === undefined) continue;
        if (!isTidemarkError(error)) throw error;
        expect(error.message).not.toBe("");
        expect(error.message.split("\n").length).toBeLessThanOrEqual(
          1 + one.split("\n").length + other.split("\n").length,
        );
      }
    }),
    { numRuns: runs(100) },
  );
  expect(outside()).toBe(before);
});
