import { existsSync, readFileSync } from "node:fs";
import { join } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import { logOf } from "../../src/store/sqlite/log.ts";
import { openDatabase } from "../../src/store/sqlite/database.ts";
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
