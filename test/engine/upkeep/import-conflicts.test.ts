import { createHash } from "node:crypto";
import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTidemark } from "../../../src/index.ts";
import { exportArchive, importArchive } from "../../../src/engine/upkeep/transfer.ts";
import { executeHere } from "../../support/cli-here.ts";

const home = mkdtempSync(join(tmpdir(), "tidemark-conflicts-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
let made = 0;
const fresh = (): string => join(home, `${(made += 1)}`);
const now = (): number => Date.UTC(2026, 10, 21, 10);

let whole: string[] = [];
beforeAll(async () => {
  const [workspace, to] = [fresh(), `${fresh()}.jsonl`];
  const tidemark = await openTidemark({ workspace, now });
  await tidemark.memory.save("The deploy host is harbour-one.");
  await tidemark.close();
  await exportArchive({ workspace, to, now, by: "test" });
  whole = readFileSync(to, "utf8").trimEnd().split("\n");
});

/** The archive with these files besides, its end made true. */
function archiveWith(files: readonly string[]): string {
  const lines = [
    ...whole.slice(1, -1),
    ...files.map((file) => JSON.stringify({ file, text: "x" })),
  ];
  const digest = createHash("sha256")
    .update(lines.map((line) => `${line}\n`).join(""))
    .digest("hex");
  const path = `${fresh()}.jsonl`;
  writeFileSync(
    path,
    [whole[0], ...lines, JSON.stringify({ end: { lines: lines.length, digest } }), ""].join("\n"),
  );
  return path;
}

const everythingIn = (folder: string): string =>
  existsSync(folder) ? readdirSync(folder, { recursive: true }).sort().join("\n") : "";

describe("an archive whose files cannot all be written", () => {
  it.each([
    ["one name twice", ["a.md", "a.md"]],
    ["a file and a folder of one name", ["notes", "notes/a.md"]],
    ["a folder and a file of one name, the other way round", ["deep/er/a.md", "deep/er"]],
    ["a file in the place of the logs' folder", ["memory"]],
    ["a file of the archive once more", ["MEMORY.md"]],
    ["a name too long for a disk", [`${"n".repeat(300)}.md`]],
    ["the same, counted in bytes", [`${"ü".repeat(130)}.md`]],
  ])("is refused in one sentence, and leaves nothing: %s", async (_what, files) => {
    const from = archiveWith(files);
    const [workspace, before] = [fresh(), everythingIn(home)];
    await expect(importArchive({ from, workspace, now })).rejects.toMatchObject({
      name: "TidemarkError",
      message: expect.stringMatching(/Nothing was changed/) as string,
    });
    expect(everythingIn(home)).toBe(before);
  });

  it("is refused where the workspace itself, or what lies above it, is a file", async () => {
    const file = fresh();
    writeFileSync(file, "");
    for (const workspace of [file, join(file, "below")]) {
      const { code, all: out } = await executeHere([
        "import",
        archiveWith([]),
        "--workspace",
        workspace,
      ]);
      expect(code).toBe(1);
      expect(out).not.toMatch(/TIDEMARK_DEBUG/);
      expect(out.trim().split("\n")).toHaveLength(1);
    }
    expect(readFileSync(file, "utf8")).toBe("");
    expect(readdirSync(dirname(file)).filter((name) => name.endsWith(".part"))).toEqual([]);
  });
});
