import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { logOf } from "../../src/storage/sqlite/shared-file.ts";
import { openDatabase } from "../../src/storage/sqlite/database-file.ts";
import { openStorage } from "../../src/storage/sqlite/sqlite-storage.ts";
import { openRoom } from "../support/memory-room.ts";
import { freshFolder } from "../support/workspace.ts";

const WORD = "Quisquilia";

function opened() {
  const path = join(freshFolder(), "x.db");
  const database = openDatabase({ path }, [["1", "create table t (x)"]], "store");
  return { path, database, log: logOf(database, path) };
}
const bytesOf = (path: string): string =>
  ["", "-wal"]
    .map((end) => (existsSync(path + end) ? readFileSync(path + end, "latin1") : ""))
    .join();

describe("the log of a database", () => {
  it("holds nothing of what was forgotten, once nobody reads it any more", async () => {
    const { path, database, log } = opened();
    database.prepare("insert into t (x) values (?)").run(WORD);
    const reader = new Database(path);
    reader.exec("begin");
    reader.prepare("select count(*) from t").get();
    database.exec("delete from t");
    const emptied = log.emptied();
    expect(bytesOf(path)).toContain(WORD);
    reader.close();
    await emptied;
    expect(bytesOf(path)).not.toContain(WORD);
    database.close();
  });
});

/** A memory over a file whose disk is in the test's hand. */
function onDisk(sync: (file: number) => Promise<void>) {
  const path = join(freshFolder(), "x.db");
  const store = openStorage(path, { sync });
  return { path, ...openRoom({ store }) };
}
const io = (code: string): Error => Object.assign(new Error(`${code}: fdatasync`), { code });

describe("a save", () => {
  it("waits for the disk, and those that come meanwhile share the next wait", async () => {
    const waits: (() => void)[] = [];
    const { memories, store } = onDisk(() => new Promise((done) => void waits.push(done)));
    let first = false;
    const one = memories.save("the gate opens at nine").then(() => void (first = true));
    await expect.poll(() => waits.length).toBe(1);
    const others = Array.from({ length: 7 }, (_, at) => memories.save(`door ${at} is blue`));
    await expect.poll(async () => (await memories.list()).length).toBe(8);
    expect([first, waits.length]).toEqual([false, 1]);
    waits[0]?.();
    await one;
    await expect.poll(() => waits.length).toBe(2);
    waits[1]?.();
    await Promise.all(others);
    expect(waits.length).toBe(2);
    await store.close();
  });

  it("made with seven others is one sync", async () => {
    let syncs = 0;
    const { memories, store } = onDisk(async () => void (syncs += 1));
    await Promise.all(Array.from({ length: 8 }, (_, at) => memories.save(`door ${at} is blue`)));
    expect(syncs).toBe(1);
    await store.close();
  });

  it("rejects where the disk does not take it, and is believed again once the log is", async () => {
    let broken: Error | undefined = io("EIO");
    const { memories, store, path } = onDisk(async () => {
      if (broken !== undefined) throw broken;
    });
    await expect(memories.save("one")).rejects.toMatchObject({ code: "store", cause: broken });
    broken = io("ENOSPC");
    await expect(memories.save("two")).rejects.toThrow(/The disk is full/);
    broken = undefined;
    const reader = new Database(path);
    reader.exec("begin");
    reader.prepare("select count(*) from memory").get();
    let isSaved = false;
    const saved = memories.save("three").then(() => void (isSaved = true));
    await new Promise((go) => setTimeout(go, 60));
    expect(isSaved).toBe(false);
    reader.close();
    await saved;
    expect(bytesOf(path)).toContain("three");
    await store.close();
  });
});
