import {
  chmodSync,
  cpSync,
  lstatSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  utimesSync,
  writeFileSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isTidemarkError } from "../../src/core/errors-and-events.ts";
import { exclusively } from "../../src/workspace/disk/disk-folder.ts";
import { copy, fresh, open } from "../support/faults.ts";

const WORDS = "Somebody's own words, which are no database.\n".repeat(40);
const LONG_AGO = new Date(0);

/** A folder of somebody else's: files by the names that ours have, old and readable by all. */
function foreign(): string {
  const folder = fresh();
  mkdirSync(join(folder, "root"), { recursive: true });
  const names = ["file", "lock.db", "tidemark.db", "root/.MEMORY.md.1-1.tmp", "x.db.tmp"];
  for (const name of [...names, ...[1, 2, 3, 4, 5].map((day) => `tidemark-2020-01-0${day}.db`)]) {
    writeFileSync(join(folder, name), WORDS);
    chmodSync(join(folder, name), 0o644);
    utimesSync(join(folder, name), LONG_AGO, LONG_AGO);
  }
  chmodSync(folder, 0o755);
  return folder;
}

const paths = (folder: string): string[] => [
  "",
  ...readdirSync(folder, { recursive: true, encoding: "utf8" }).sort(),
];
const stateOf = (folder: string): unknown =>
  paths(folder).map((path) => {
    const { mode, size } = lstatSync(join(folder, path));
    return [
      path,
      mode,
      lstatSync(join(folder, path)).isFile()
        ? [size, readFileSync(join(folder, path), "utf8") === WORDS]
        : undefined,
    ];
  });

/** All that a host does with a folder, whether it is refused or not. Answers what was thrown. */
async function useAll(workspace: string): Promise<unknown[]> {
  const thrown: unknown[] = [];
  const attempt = async (work: () => Promise<unknown>): Promise<void> =>
    void (await work().catch((error: unknown) => thrown.push(error)));
  await attempt(async () => {
    const { tidemark } = await open(workspace);
    await attempt(() => tidemark.stats());
    await attempt(() => tidemark.memory.recall("quay"));
    await attempt(() => tidemark.memory.save("The pier is long."));
    await attempt(() => tidemark.workspace.write("MEMORY.md", "# New", "agent:default"));
    await attempt(() => tidemark.tidy());
    for (const { id } of (await tidemark.history.list()).slice(0, 1))
      await attempt(() => tidemark.history.forget({ conversation: id }));
    await attempt(() => tidemark.close());
  });
  return thrown;
}

const FILES = [
  "lock.db",
  "tidemark.db",
  "tidemark.db-wal",
  "tidemark.db.suspect",
  "tidemark.db.mending",
];

describe("a link in the place of a file of ours", () => {
  it.each(FILES)("%s is never followed to write, empty or close its target", async (name) => {
    const [workspace, other] = [await copy(), foreign()];
    const before = stateOf(other);
    rmSync(join(workspace, ".tidemark", name), { force: true });
    symlinkSync(join(other, "file"), join(workspace, ".tidemark", name));
    const thrown = await useAll(workspace);
    expect(stateOf(other)).toEqual(before);
    expect(thrown.filter((error) => !isTidemarkError(error))).toEqual([]);
  });

  it.each([".tidemark", ".tidemark/backups"])(
    "%s, a folder, is not written to, swept or closed to others",
    async (name) => {
      const [workspace, other] = [await copy(), foreign()];
      if (name === ".tidemark")
        for (const file of ["tidemark.db", "lock.db"])
          cpSync(join(workspace, name, file), join(other, file));
      const before = stateOf(other);
      rmSync(join(workspace, name), { recursive: true, force: true });
      symlinkSync(other, join(workspace, name));
      const thrown = await useAll(workspace);
      expect(stateOf(other)).toEqual(before);
      expect(thrown.filter((error) => !isTidemarkError(error))).toEqual([]);
      if (name === ".tidemark") expect(String(thrown[0])).toMatch(/is a link/);
    },
  );

  it("says which link it is and what to do, and the lock works once it is gone", async () => {
    const [workspace, other] = [fresh(), foreign()];
    mkdirSync(join(workspace, ".tidemark"), { recursive: true });
    symlinkSync(join(other, "file"), join(workspace, ".tidemark/lock.db"));
    const locked = (): Promise<string> => exclusively(workspace, async () => "in");
    await expect(locked()).rejects.toThrow(/lock\.db is a link.*Remove it/);
    rmSync(join(workspace, ".tidemark/lock.db"));
    expect(await locked()).toBe("in");
  });

  it("a workspace that is linked as a whole works", async () => {
    const link = fresh();
    symlinkSync(await copy(), link);
    expect(await useAll(link)).toEqual([]);
  });
});
