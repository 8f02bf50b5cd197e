import { mkdirSync, readdirSync } from "node:fs";
import { join } from "node:path";
import fc from "fast-check";
import { expect, it } from "vitest";
import { openTidemark } from "../../../src/index.ts";
import { postgresStorage } from "../../../src/storage/postgres/postgres-storage.ts";
import type { Folder } from "../../../src/workspace/disk/folder.ts";
import { diskFolder } from "../../../src/workspace/disk/disk-folder.ts";
import { memoryFolder, rowFolder } from "../../../src/workspace/disk/row-folder.ts";
import { freshFolder } from "../../support/anthropic.ts";
import { pglite } from "../../support/pglite.ts";
import { runs } from "../../support/runs.ts";
import { user } from "../../support/talk.ts";

const { server, schema } = pglite();
const opened = (name: string) => postgresStorage(server, name);

const PATHS = ["a.md", "b.md", "deep/a.md", "deep/er/b.md", "picture.png"];
const at = fc.constantFrom(...PATHS, "deep").map((path) => ({ base: "scopes/user/x", path }));
const file = at.filter(({ path }) => path !== "deep");
const text = fc.constantFrom("", "one", "two\n", "\0 \u0001 ü");
type Step = (folder: Folder) => Promise<unknown>;
const step: fc.Arbitrary<Step> = fc.oneof(
  fc.tuple(file, text).map(
    ([place, words]): Step =>
      (f) =>
        f.create(place, words),
  ),
  fc.tuple(file, text).map(
    ([place, words]): Step =>
      (f) =>
        f.change(place, (before = "") => before + words),
  ),
  file.map(
    (place): Step =>
      (f) =>
        f.change(place, () => undefined),
  ),
  at.map(
    (place): Step =>
      (f) =>
        f.remove(place),
  ),
  fc.tuple(file, file).map(
    ([from, to]): Step =>
      (f) =>
        f.copy(from, to).catch(() => undefined),
  ),
  file.map(
    (place): Step =>
      (f) =>
        f.read(place, { characters: 2, keep: "end" }),
  ),
  at.map(
    (place): Step =>
      async (f) =>
        (await f.look(place))?.kind,
  ),
  at.map(
    (place): Step =>
      async (f) =>
        (await f.list(place)).map(({ place: { path } }) => path),
  ),
);

it("are a folder like one on disk, and like one in memory", async () => {
  await fc.assert(
    fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
      const { files } = await opened(name);
      await files!.put(
        (await files!.list("")).map(({ path, digest: on }) => ({ path, text: undefined, on })),
        0,
      );
      const folders = [
        diskFolder(freshFolder(), () => undefined),
        memoryFolder(),
        rowFolder(files!, () => 0),
      ];
      for (const one of steps) {
        const [disk, memory, rows] = await Promise.all(folders.map(one));
        // A folder that lost its last file stays on disk.
        const isGone = disk === "folder" && memory === undefined;
        expect([memory, rows]).toEqual(isGone ? [undefined, undefined] : [disk, disk]);
      }
    }),
    { numRuns: runs(25) },
  );
});
const name = schema();

it("are shared: what one process writes, a person edits and an agent notes, the other has", async () => {
  const [home, here] = [freshFolder(), process.cwd()];
  mkdirSync(join(home, "empty"), { recursive: true });
  const shared = schema();
  const around = { identity: { user: "ada" }, listen: false, distil: "extractive" } as const;
  process.chdir(join(home, "empty"));
  const [one, other] = await Promise.all(
    [0, 1].map(async () => openTidemark({ ...around, store: await opened(shared) })),
  );
  await one!.workspace.write("SOUL.md", "You speak like a pirate.\n", "agent:default");
  await one!.memory.save({ content: "Ada drinks green tea", scope: "user:ada" });
  await other!.notes.write("plan.md", "Brew at nine.");
  await one!.records.add({ category: "tea", content: "The shop in Bell Street has it" });
  await Promise.all([one!.idle(), other!.idle()]);
  const turn = await other!.begin({
    ...{ model: "claude-sonnet-4-5", max_tokens: 9, messages: [user("Which tea?")] },
  });
  expect(JSON.stringify(turn.request)).toMatch(/like a pirate.*Ada drinks green tea/s);
  const pages = await one!.workspace.files(["user:ada", "agent:default"]);
  expect(pages.map(({ path }) => path)).toEqual(
    expect.arrayContaining(["scopes/user/ada/MEMORY.md", "SOUL.md", "notes/plan.md"]),
  );
  const log = pages.find(({ path }) => path.startsWith("scopes/user/ada/memory/"));
  expect(log?.text.match(/saved: Ada drinks green tea/g)).toHaveLength(1);
  await other!.workspace.edit(
    "MEMORY.md",
    (page: string) => page.replace("green", "black"),
    "user:ada",
  );
  const found = await one!.memory.recall("tea");
  expect(JSON.stringify(found)).toMatch(/Ada drinks black tea(?!.*green)/s);
  const hits = await one!.workspace.search("brew nine shop", { scopes: ["agent:default"] });
  expect(hits.length).toBeGreaterThan(0);
  await Promise.all([one!.close(), other!.close()]);
  process.chdir(here);
  expect(readdirSync(home, { recursive: true })).toEqual(["empty"]);
});

it("have no folder beside them", async () => {
  await expect(
    openTidemark({ workspace: freshFolder(), store: await opened(name) }),
  ).rejects.toThrow(/keeps the pages as rows; leave "workspace" out/);
});
