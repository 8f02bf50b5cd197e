import { mkdirSync, readdirSync, readFileSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isTidemarkError, openTidemark, type Tidemark } from "../../src/index.ts";
import { afterwards } from "../support/afterwards.ts";
import { freshFolder } from "../support/workspace.ts";

const SECRET = "sk-ant-api03-" + "aB3dE5fG7hJ9kL1mN3pQ5rS7tU9vW1xY3zA5bC7dE9fG".repeat(2);

async function opened(identity = {}, folder = join(freshFolder(), "ws")) {
  const tidemark = await openTidemark({ workspace: folder, identity, listen: false });
  afterwards(() => tidemark.close());
  return { tidemark, folder };
}
const refusal = (work: Promise<unknown>): Promise<string> =>
  work.then(
    () => "done",
    (error: unknown) =>
      isTidemarkError(error) ? `${error.code}: ${error.message}` : `not ours: ${String(error)}`,
  );
/** All texts below a folder. */
const textsIn = (folder: string): string[] =>
  readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => readFileSync(join(entry.parentPath, entry.name), "utf8"));

describe("notes", () => {
  it("are files of their scope, read and listed by those who see it", async () => {
    const { tidemark, folder } = await opened({ agent: "sky", team: "web" });
    await tidemark.notes.write("ideas/cats.md", "Cats like boxes.\n");
    await tidemark.notes.write("plan.txt", "Ship it.", { scope: "team:web" });
    expect(readFileSync(join(folder, "scopes/agent/sky/notes/ideas/cats.md"), "utf8")).toBe(
      "Cats like boxes.\n",
    );
    const other = tidemark.as({ agent: "sea" });
    expect(await other.notes.read("plan.txt", { scope: "team:web" })).toBe("Ship it.");
    expect((await other.notes.list()).map(({ name, scope }) => [scope, name])).toEqual([
      ["team:web", "plan.txt"],
    ]);
    expect(await tidemark.notes.list({ scope: "agent:sky" })).toEqual([
      {
        name: "ideas/cats.md",
        scope: "agent:sky",
        bytes: 17,
        changed: expect.any(Number) as number,
      },
    ]);
  });

  it("keep what was replaced and what was removed", async () => {
    const { tidemark, folder } = await opened();
    await tidemark.notes.write("a.md", "first");
    await tidemark.notes.write("a.md", "second");
    expect(await tidemark.notes.remove("a.md")).toBe(true);
    expect(await tidemark.notes.remove("a.md")).toBe(false);
    expect(textsIn(join(folder, ".tidemark/backups/root/notes")).sort()).toEqual([
      "first",
      "second",
    ]);
  });

  it("keep both versions where two write one at once", async () => {
    const { tidemark, folder } = await opened({ agent: "sky", team: "web" });
    const second = await opened({ agent: "sea", team: "web" }, folder);
    const scope = { scope: "team:web" } as const;
    await Promise.all(
      [tidemark, second.tidemark].flatMap(({ notes }, who) =>
        [0, 1, 2].map((round) => notes.write("plan.md", `Version ${who}-${round}.`, scope)),
      ),
    );
    const last = await tidemark.notes.read("plan.md", scope);
    const kept = textsIn(join(folder, ".tidemark/backups/scopes/team/web/notes"));
    expect([...kept, last].sort()).toEqual(
      ["0-0", "0-1", "0-2", "1-0", "1-1", "1-2"].map((name) => `Version ${name}.`),
    );
  });

  it("hold no secret, neither in their text nor in their name", async () => {
    const { tidemark, folder } = await opened();
    await tidemark.notes.write("keys.md", `The key is ${SECRET}.`);
    expect(await tidemark.notes.read("keys.md")).toMatch(/^The key is \[.*, masked\]\.$/);
    expect(await refusal(tidemark.notes.write(`${SECRET}.md`, "x"))).toMatch(
      /^config: The name of the note holds what looks like a secret/,
    );
    expect(textsIn(folder).join("")).not.toContain(SECRET);
  });
});

/** All of a rule that a name may break. */
const NAMED = /takes a note's name from the top of the notes, such as .*, got /;

describe("a note that cannot be", () => {
  const wrong: readonly (readonly [
    what: string,
    call: (t: Tidemark) => Promise<unknown>,
    says: RegExp,
  ])[] = [
    ["holds NUL", (t) => t.notes.write("a\0.md", ""), NAMED],
    ["leads out", (t) => t.notes.read("../USER.md"), NAMED],
    ["is no text", (t) => t.notes.read(7 as never), NAMED],
    ["has no text", (t) => t.notes.write("a.md", undefined as never), /takes a text/],
    ["is a folder", (t) => t.notes.write("folder", "x"), /folder is a folder and no note\./],
    ["is a folder to remove", (t) => t.notes.remove("folder"), /folder is a folder\. Remove/],
    ["stands in a note", (t) => t.notes.write("file.md/x.md", ""), /file\.md is no folder/],
    [
      "is too long",
      (t) => t.notes.write("a.md", "x".repeat(50e6)),
      /would be 50000000 characters long/,
    ],
    [
      "was made huge by hand",
      (t) => t.notes.read("huge.md"),
      /huge\.md has 2 MB, and a note may have/,
    ],
  ];
  it.each(wrong)("%s: one sentence, and nothing is changed", async (_, call, says) => {
    const { tidemark, folder } = await opened();
    mkdirSync(join(folder, "notes/folder"), { recursive: true });
    writeFileSync(join(folder, "notes/file.md"), "kept");
    writeFileSync(join(folder, "notes/huge.md"), "x".repeat(2e6));
    const said = await refusal(call(tidemark));
    expect(said).toMatch(/^config: /);
    expect(said).toMatch(says);
    expect(said).not.toContain(folder);
    expect(readdirSync(join(folder, "notes")).sort()).toEqual(["file.md", "folder", "huge.md"]);
    expect(readFileSync(join(folder, "notes/file.md"), "utf8")).toBe("kept");
  });

  it("is reached by no link: neither the note nor a folder above it", async () => {
    const { tidemark, folder } = await opened();
    const outside = freshFolder();
    writeFileSync(join(outside, "a.md"), "Outside.");
    mkdirSync(join(folder, "notes"));
    writeFileSync(join(folder, "notes/real.md"), "Real.");
    symlinkSync(join(outside, "a.md"), join(folder, "notes/link.md"));
    symlinkSync(outside, join(folder, "notes/out"));
    symlinkSync("real.md", join(folder, "notes/inner.md"));
    symlinkSync(join(outside, "new.md"), join(folder, "notes/dangling.md"));
    for (const name of ["link.md", "out/a.md", "out/b.md", "inner.md", "dangling.md"]) {
      expect(await refusal(tidemark.notes.read(name)), name).not.toBe("done");
      expect(await refusal(tidemark.notes.write(name, "x")), name).not.toBe("done");
    }
    expect((await tidemark.notes.list()).map(({ name }) => name)).toEqual(["real.md"]);
    expect(readdirSync(outside)).toEqual(["a.md"]);
    expect(readFileSync(join(outside, "a.md"), "utf8")).toBe("Outside.");
    expect(readFileSync(join(folder, "notes/real.md"), "utf8")).toBe("Real.");
  });
});
