import {
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  statSync,
  writeFileSync,
  existsSync,
} from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import type { Options, Tidemark, TidemarkEvent } from "../../src/index.ts";
import { freshFolder } from "../support/afterwards.ts";
import { freshTidemark } from "../support/anthropic.ts";

let workspace = "";
let now = 0;
let events: TidemarkEvent[] = [];
beforeEach(() => {
  workspace = freshFolder();
  now = Date.parse("2026-11-01T10:00Z");
  events = [];
});
const room = async (options: Options = {}): Promise<Tidemark> =>
  (
    await freshTidemark({
      workspace,
      now: () => now,
      listen: (event) => events.push(event),
      ...options,
    })
  ).tidemark;
const file = (path: string): string => readFileSync(join(workspace, path), "utf8");
/** Names and words of all files below a folder. */
const textsBelow = (folder: string): string =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .map((name) => join(folder, name))
    .map((path) => (statSync(path).isFile() ? `${path}\n${readFileSync(path, "latin1")}` : path))
    .join("\n");
const found = async (tidemark: Tidemark, query: string): Promise<string[]> => {
  now += 3_000;
  const hits = await tidemark.memory.search(query, { in: ["files"] });
  return hits.map(({ ref = "" }) => ref);
};
const ROLLBACK = "# Roll back\nTag the commit, deploy the tag, tell the desk.";

describe("a record", () => {
  it("is a Markdown file with front matter in its category's folder, found at once", async () => {
    const tidemark = await room();
    const record = await tidemark.records.add({
      category: "procedure",
      content: ROLLBACK,
      aliases: ["revert"],
      keywords: ["release"],
    });
    expect(record).toMatchObject({
      path: "records/procedure/roll-back.md",
      category: "procedure",
      name: "roll-back",
      content: ROLLBACK,
      archived: false,
      created: now,
    });
    expect(file(record.path)).toBe(
      [
        "---",
        `id: ${record.id}`,
        "category: procedure",
        "created: 2026-11-01T10:00:00Z",
        "updated: 2026-11-01T10:00:00Z",
        "aliases:",
        "  - revert",
        "keywords:",
        "  - release",
        "---",
        "",
        `${ROLLBACK}\n`,
      ].join("\n"),
    );
    expect(await found(tidemark, "tell the desk")).toContain(record.path);
  });

  it("keeps its id when it is renamed and moved by hand", async () => {
    const tidemark = await room();
    const { id } = await tidemark.records.add({ category: "procedure", content: ROLLBACK });
    mkdirSync(join(workspace, "records/principle"));
    renameSync(
      join(workspace, "records/procedure/roll-back.md"),
      join(workspace, "records/principle/back.md"),
    );
    expect(await tidemark.records.get(id)).toMatchObject({ category: "principle", name: "back" });
    const moved = await tidemark.records.reclassify(id, "incident");
    expect(moved).toMatchObject({ id, path: "records/incident/back.md" });
    expect(existsSync(join(workspace, "records/principle/back.md"))).toBe(false);
  });

  it("that a person wrote without front matter is adopted when it is touched, and edits are seen", async () => {
    const tidemark = await room();
    mkdirSync(join(workspace, "records/decision"), { recursive: true });
    writeFileSync(join(workspace, "records/decision/db.md"), "We use SQLite.\n");
    const [seen] = await tidemark.records.list();
    expect(seen).toMatchObject({ id: "records/decision/db.md", content: "We use SQLite." });
    const adopted = await tidemark.records.update("records/decision/db.md", {
      keywords: ["store"],
    });
    expect(adopted.id).not.toContain("/");
    expect(file("records/decision/db.md")).toMatch(/^---\nid: [\s\S]*\nWe use SQLite\.\n$/);
    writeFileSync(
      join(workspace, "records/decision/db.md"),
      file("records/decision/db.md").replace("SQLite", "PostgreSQL 17"),
    );
    expect(await tidemark.records.get(adopted.id)).toMatchObject({
      content: "We use PostgreSQL 17.",
    });
    expect(await found(tidemark, "PostgreSQL")).toContain("records/decision/db.md");
  });

  it("whose front matter is broken is told with file, line and column, left alone, and is back when it is mended", async () => {
    const tidemark = await room();
    const { id, path } = await tidemark.records.add({
      category: "decision",
      content: "We use SQLite.",
    });
    const whole = file(path);
    const broken = whole.replace("category: decision", "category: [decision");
    writeFileSync(join(workspace, path), broken);
    expect(await tidemark.records.get(id)).toBeUndefined();
    expect(JSON.stringify(events)).toMatch(
      /records\/decision\/we-use-sqlite\.md cannot be read: .* at line \d+, column \d+/,
    );
    await expect(tidemark.records.update(id, { content: "x" })).rejects.toMatchObject({
      code: "not-found",
    });
    expect(file(path)).toBe(broken);
    writeFileSync(join(workspace, path), whole);
    expect(await tidemark.records.get(id)).toMatchObject({ content: "We use SQLite." });
  });

  it("is deleted with its copies in the backups, and its category has one name", async () => {
    const tidemark = await room();
    const { id, path } = await tidemark.records.add({
      category: "Decisions",
      content: "We use SQLite.",
    });
    expect(path).toContain("records/decision/");
    expect(await tidemark.records.list({ category: "decisions" })).toHaveLength(1);
    await tidemark.records.update(id, { content: "We use SQLite 3.50." });
    await tidemark.records.reclassify(id, "principle");
    expect(textsBelow(join(workspace, ".tidemark/backups"))).toContain("SQLite");
    expect(await tidemark.records.delete(id)).toBe(true);
    expect(await tidemark.records.delete(id)).toBe(false);
    expect(existsSync(join(workspace, path))).toBe(false);
    expect(await found(tidemark, "SQLite")).toEqual([]);
    expect(textsBelow(join(workspace, ".tidemark/backups"))).not.toMatch(/sqlite/i);
  });

  it.each([
    [undefined, "records.add takes an object with content"],
    [{ category: "a/b", content: "x" }, '"category" must be a word'],
    [{ category: "a", content: " " }, '"content" must be a text'],
    [{ category: "a", content: "x", name: "../up" }, '"name" must be a file'],
    [{ category: "a", content: "x", name: "n".repeat(300) }, '"name" must be 1 to 120'],
    [{ category: "a", content: "x", keywords: "x" }, '"keywords" must be a list'],
    [{ category: "a", content: "x", until: "2020-01-01T00:00Z" }, "until must lie ahead"],
    [{ category: "a", content: "x", kind: "fact" }, 'records.add knows no "kind"'],
  ])("refuses %j in one sentence", async (input, sentence) => {
    const tidemark = await room();
    await expect(tidemark.records.add(input as never)).rejects.toThrow(sentence);
    expect(await tidemark.records.list()).toEqual([]);
  });
});
