import { existsSync, readFileSync, statSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { logOf } from "../../src/store/sqlite/log.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";
import { freshFolder } from "../support/workspace.ts";

const WORD = "Quisquilia";

function opened() {
  const path = join(freshFolder(), "x.db");
  const database = openDatabase(path, [["1", "create table t (x)"]], "store");
  return { path, database, log: logOf(database, path) };
}
const bytesOf = (path: string): string =>
  ["", "-wal"]
    .map((end) => (existsSync(path + end) ? readFileSync(path + end, "latin1") : ""))
    .join();

describe("the log of a database", () => {
  it("stays short where the writing never stops, and is gone when it is closed", async () => {
    const { path, database, log } = opened();
    const put = database.prepare("insert into t (x) values (zeroblob(100000))");
    for (let at = 0; at < 100; at += 1) await log.written(() => put.run());
    expect(statSync(`${path}-wal`).size).toBeLessThan(3_000_000);
    expect(log.stands()).toBe(true);
    database.close();
    expect(existsSync(`${path}-wal`)).toBe(false);
  });

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
