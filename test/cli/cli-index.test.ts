import { mkdirSync, realpathSync, rmSync, symlinkSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { openStorage } from "../../src/storage/sqlite/open.ts";
import { safeName } from "../../src/workspace/disk/folder.ts";
import { freshFolder, NOON } from "../support/workspace.ts";
import { executeHere } from "../support/cli-here.ts";

/** `tidemark index`: a hook tells that pages changed. */

const run = executeHere;
type Ran = Awaited<ReturnType<typeof executeHere>>;

async function made(): Promise<{ root: string; index: (...args: string[]) => Promise<Ran> }> {
  const root = join(realpathSync(freshFolder()), "ws");
  (await openTidemark({ workspace: root, listen: false })).close();
  for (const folder of ["notes/deep", "records/incident", "scopes/user/ada/notes"])
    mkdirSync(join(root, folder), { recursive: true });
  await run(["index", root, "--workspace", root]);
  return { root, index: (...args) => run(["index", ...args, "--workspace", root]) };
}

/** The paths of rows, as they stand in the index without any look at the files. */
async function rows(root: string, scope: "agent:default" | "user:ada"): Promise<string[]> {
  const store = openStorage(join(root, ".tidemark/tidemark.db"));
  const known = (await store.pages(scope))!.pages;
  await store.close();
  return known.map(({ path }) => path).filter((path) => /notes|records/.test(path));
}

it("brings the rows of a page in step with its file, and says what was done in a line", async () => {
  const { root, index } = await made();
  const page = join(root, "notes/a.md");
  writeFileSync(page, "# Boats\n\nThe gig is red.\n");
  expect(await rows(root, "agent:default")).toEqual([]);
  expect(await index(page)).toMatchObject({
    code: 0,
    out: "Pages: 1 added, 0 changed, 0 gone; 1 chunk read.\n",
    err: "",
  });
  expect(await rows(root, "agent:default")).toEqual(["notes/a.md"]);
  expect((await index(page)).out).toBe("Nothing has changed: the index is as the pages are.\n");
  writeFileSync(page, `# Boats\n\n${"The gig is blue. ".repeat(300)}\n`);
  // As it reads from the workspace, where it does not from the current folder.
  expect((await index("notes/a.md")).out).toBe(
    "Pages: 0 added, 1 changed, 0 gone; 3 chunks read.\n",
  );
  rmSync(page);
  expect((await index(page)).out).toBe("Pages: 0 added, 0 changed, 1 gone; no chunks read.\n");
  expect(await rows(root, "agent:default")).toEqual([]);
});

it("takes folders, and the pages of every scope in them, each for its own", async () => {
  const { root, index } = await made();
  for (const path of ["notes/a.md", "notes/deep/b.md", "scopes/user/ada/notes/c.md"])
    writeFileSync(join(root, path), `Page ${path}.\n`);
  expect((await index(join(root, "notes/deep"))).out).toMatch(/^Pages: 1 added/);
  expect(await rows(root, "agent:default")).toEqual(["notes/deep/b.md"]);
  expect(JSON.parse((await index(root, "--json")).out)).toEqual({
    ...{ added: 2, changed: 0, gone: 0, chunks: 2 },
  });
  expect(await rows(root, "user:ada")).toEqual(["scopes/user/ada/notes/c.md"]);
  rmSync(join(root, "notes"), { recursive: true });
  expect((await index(join(root, "notes"))).out).toMatch(/ 2 gone/);
  const longId = "Ü".repeat(40);
  const long = `scopes/user/${safeName(longId)}/notes`;
  mkdirSync(join(root, long), { recursive: true });
  writeFileSync(join(root, long, "d.md"), "Deep.\n");
  expect((await index(`${long}/d.md`)).err).toMatch(/does not tell whose pages/);
  expect((await index(`${long}/d.md`, "--user", longId)).out).toMatch(/^Pages: 1 added/);
});

it("says in a sentence what is no page, goes on with the others, and ends with 1", async () => {
  const { root, index } = await made();
  writeFileSync(join(root, "notes/a.md"), "A.\n");
  writeFileSync(join(root, "records/incident/x.md"), "---\nid: [1\n---\nText.\n");
  symlinkSync("/etc", join(root, "notes/link"));
  for (const [path, says] of [
    ["../x.md", /^tidemark: \.\.\/x\.md leads out of .*\.\n$/],
    ["/etc/passwd", /^tidemark: \/etc\/passwd leads out of .*\.\n$/],
    ["notes/link/passwd", /^tidemark: notes\/link\/passwd leads out of its folder .*\.\n$/],
    ["notes/two\nlines.md", /^tidemark: There is no page notes\/two lines\.md\.\n$/],
    ["notes/none.md", /^tidemark: There is no page notes\/none\.md\.\n$/],
    [
      "scopes/user/bob/notes/x.md",
      /^tidemark: There is no page scopes\/user\/bob\/notes\/x\.md\.\n$/,
    ],
    ["HEARTBEAT.md", /^tidemark: HEARTBEAT\.md is no page that a search looks at\..*\n$/],
    [".tidemark/tidemark.db", /^tidemark: \.tidemark\/tidemark\.db is no page .*\n$/],
    ["scopes/x", /^tidemark: scopes\/x is no folder of pages\..*\n$/],
    [`notes/${"a".repeat(300)}.md`, /^tidemark: Cannot read .*\.\n$/],
  ] as const) {
    const { code, out, err } = await index(path);
    expect([path, code, out]).toEqual([path, 1, ""]);
    expect(err).toMatch(says);
  }
  expect(await index("../x.md", "notes/a.md")).toMatchObject({
    ...{ code: 1, out: "Pages: 1 added, 0 changed, 0 gone; 1 chunk read.\n" },
    err: expect.stringMatching(/^tidemark: \.\.\/x\.md leads out/) as string,
  });
  expect((await index("records/incident/x.md")).err).toMatch(/x\.md, line 2, column \d+: /);
  expect(await index()).toMatchObject({
    code: 2,
    err: expect.stringContaining("needs pages") as string,
  });
});

it("gives a hit in a file the source file_index, its path and the headings above it", async () => {
  const { root } = await made();
  const tidemark = await openTidemark({ workspace: root, listen: false, now: () => NOON });
  await tidemark.notes.write("a.md", "# Boats\n\n## Red\n\nThe zeppelin is moored.\n");
  const [hit] = await tidemark.memory.search("zeppelin", { in: ["files"] });
  expect(hit).toMatchObject({
    ...{ from: "files", source: "file_index", ref: "notes/a.md", heading: "Boats › Red" },
  });
  await tidemark.close();
});
