import { spawn } from "node:child_process";
import { existsSync, readFileSync, renameSync } from "node:fs";
import { join } from "node:path";
import type { Worker } from "node:worker_threads";
import Database from "better-sqlite3";
import { afterEach, describe, expect, it } from "vitest";
import {
  isWritingBack,
  logOf,
  type Log,
  writtenBack,
} from "../../../src/store/sqlite/checkpointer.ts";
import { AUTOMATIC, openDatabase, type Connection } from "../../../src/store/sqlite/database.ts";
import { openHistory } from "../../../src/store/history/file.ts";
import { isInUse } from "../../../src/store/repair/integrity.ts";
import { openSqliteStore } from "../../../src/store/open-index.ts";
import { entry, session } from "../../contracts/made.ts";
import { REPOSITORY } from "../../support/packed.ts";
import { freshFolder } from "../../support/workspace.ts";

const STEPS = [["1", "create table t (id integer primary key, x blob)"]] as const;
/** More than a short log holds, and less than what makes a commit write back by itself. */
const MUCH = AUTOMATIC * 3 * 4_096;
const WORD = "Quisquilia";

const begun = new Set<Worker>();
const alive = new Set<Worker>();
const watch = (worker: Worker): void => {
  begun.add(worker);
  alive.add(worker);
  worker.on("exit", () => alive.delete(worker));
};
process.on("worker", watch);
afterEach(() => {
  expect(alive.size, "threads outlive the last database").toBe(0);
  begun.clear();
});

const freshPath = (): string => join(freshFolder(), "x.db");
function opened(path: string): {
  database: Connection;
  log: Log;
  write: (bytes: number) => void | Promise<void>;
  pages: () => { all: number; back: number };
  own: () => unknown;
} {
  const database = openDatabase(path, STEPS, "store");
  const put = database.prepare("insert into t (x) values (zeroblob(?))");
  const log = logOf(database, path);
  return {
    database,
    log,
    write: (bytes) => log.written(() => void put.run(bytes)),
    pages: () => {
      const [{ log: all, checkpointed: back }] = database.pragma("wal_checkpoint(noop)") as [
        { log: number; checkpointed: number },
      ];
      return { all, back };
    },
    own: () => database.pragma("wal_autocheckpoint", { simple: true }),
  };
}
const bytesOf = (path: string): string =>
  ["", "-wal"]
    .map((end) => (existsSync(path + end) ? readFileSync(path + end, "latin1") : ""))
    .join();

describe("a long log", () => {
  it("is written back by a thread, not by the commit that made it long", async () => {
    const path = freshPath();
    const { write, pages, log } = opened(path);
    await write(1_000);
    expect(begun.size).toBe(0);
    await write(MUCH);
    expect(pages().all).toBeGreaterThan(AUTOMATIC);
    expect(pages().back).toBe(0);
    await writtenBack(path);
    expect(begun.size).toBe(1);
    expect(pages().back).toBe(pages().all);
    await write(1_000);
    expect(pages().all).toBeLessThan(10);
    await log.close();
    expect(["-wal", "-shm"].map((end) => existsSync(path + end))).toEqual([false, false]);
    const again = opened(path);
    expect(again.database.prepare("select count(*) from t").pluck().get()).toBe(3);
    await again.log.close();
  });

  it("stays short where the writing never stops, and no commit writes it back", async () => {
    const path = freshPath();
    const { write, pages, own, log } = opened(path);
    let longest = 0;
    for (let at = 0; at < 300; at += 1) {
      await write(100_000);
      longest = Math.max(longest, pages().all);
    }
    expect(longest).toBeLessThan(AUTOMATIC * 9);
    // What a commit would need to find before it writes back itself.
    expect(own()).toBeGreaterThan(longest);
    await log.close();
  });

  it("is one thread's work for all databases, and ends with the last of them", async () => {
    const [one, other] = [freshPath(), freshPath()];
    const [a, b] = [opened(one), opened(other)];
    await Promise.all([a.write(MUCH), b.write(MUCH)]);
    await Promise.all([writtenBack(one), writtenBack(other)]);
    expect([begun.size, alive.size]).toEqual([1, 1]);
    await a.log.close();
    expect(alive.size).toBe(1);
    await b.write(MUCH);
    await writtenBack(other);
    expect(b.pages().back).toBe(b.pages().all);
    await b.log.close();
    expect(alive.size).toBe(0);
  });

  it("of a database in memory is none", async () => {
    const { write, log } = opened(":memory:");
    await write(MUCH);
    await log.emptied();
    await log.close();
    expect(begun.size).toBe(0);
  });
});

describe("a database that is closed while its log is written back", () => {
  it("is nobody's afterwards: it can be moved away, and another put in its place", async () => {
    const path = freshPath();
    const { write, log } = opened(path);
    await write(MUCH);
    expect(isWritingBack(path)).toBe(true);
    await log.close();
    expect(isInUse(path)).toBe(false);
    expect(existsSync(`${path}-wal`)).toBe(false);
    renameSync(path, `${path}.away`);
    const fresh = opened(path);
    await fresh.write(MUCH);
    await writtenBack(path);
    expect(fresh.pages().back).toBe(fresh.pages().all);
    await fresh.log.close();
    for (const [file, rows] of [
      [path, 1],
      [`${path}.away`, 1],
    ] as const) {
      const database = new Database(file, { readonly: true });
      expect(database.prepare("select count(*) from t").pluck().get()).toBe(rows);
      expect(database.pragma("integrity_check", { simple: true })).toBe("ok");
      database.close();
    }
  });

  it.each(["", "-wal"])(
    "is not looked for by its name when another file%s stands there",
    async (end) => {
      const path = freshPath();
      const { write, own, log, database } = opened(path);
      const other = opened(`${path}.other`);
      renameSync(path + end, `${path}${end}.gone`);
      renameSync(`${path}.other${end}`, path + end);
      await write(MUCH);
      expect([begun.size, own()]).toEqual([0, AUTOMATIC]);
      expect(database.prepare("select count(*) from t").pluck().get()).toBe(1);
      await log.close();
      await other.log.close();
    },
  );
});

describe("what is forgotten while the log is written back", () => {
  it("stands neither in the history nor in its log", async () => {
    const path = join(freshFolder(), "history.db");
    const history = openHistory(path);
    await history.write({
      session: session(1),
      from: 0,
      entries: [entry("big", { body: { role: "user", content: `${WORD} ${"x".repeat(MUCH)}` } })],
    });
    expect(isWritingBack(path)).toBe(true);
    await history.forget(["s"]);
    expect(bytesOf(path).includes(WORD)).toBe(false);
    await history.close();
  });

  it("stands neither in the index nor in its log", async () => {
    const path = join(freshFolder(), "index.db");
    const store = openSqliteStore(path);
    await store.turns.add(
      Array.from({ length: 30 }, (_, at) => ({
        id: `t${at}`,
        session: "s1",
        root: "ada",
        position: at,
        role: "user" as const,
        text: `${WORD} ${"tea ".repeat(MUCH / 120)}`,
        at: 1,
      })),
    );
    expect(isWritingBack(path)).toBe(true);
    await store.turns.remove(["s1"]);
    expect(bytesOf(path).toLowerCase().includes(WORD.toLowerCase())).toBe(false);
    await store.close();
  });
});

async function child(
  args: readonly string[],
  {
    flags = [],
    until,
    root = REPOSITORY,
  }: { flags?: readonly string[]; until?: (line: string) => boolean; root?: string } = {},
) {
  const process_ = spawn(
    process.execPath,
    ["--no-warnings", ...flags, join(root, "test/support/children/long-log.ts"), ...args],
    { stdio: ["ignore", "pipe", "pipe"] },
  );
  const lines: string[] = [];
  let [rest, errors] = ["", ""];
  process_.stderr.on("data", (text: Buffer) => (errors += text.toString()));
  process_.stdout.on("data", (text: Buffer) => {
    const parts = (rest + text.toString()).split("\n");
    rest = parts.pop() ?? "";
    lines.push(...parts);
    if (until !== undefined && parts.some(until)) process_.kill("SIGKILL");
  });
  const code = await new Promise((resolve) => process_.on("close", resolve));
  return {
    code,
    errors,
    rows: lines.filter((line) => line.includes("rows")).length,
    end: lines
      .filter((line) => line.includes("begun"))
      .map((line) => JSON.parse(line) as { begun: number; own: number; resources: string[] })[0],
  };
}
function rowsIn(path: string): unknown {
  const database = openDatabase(path, STEPS, "store");
  try {
    expect(database.pragma("integrity_check", { simple: true })).toBe("ok");
    return database.prepare("select count(*) from t").pluck().get();
  } finally {
    database.close();
  }
}

describe("a process", () => {
  it("that may have no threads writes its log back itself", async () => {
    const path = freshPath();
    const { code, errors, rows, end } = await child([path, "refused", "20"], {
      flags: ["--permission", "--allow-fs-read=*", "--allow-fs-write=*", "--allow-addons"],
    });
    expect({ code, errors, rows, begun: end?.begun, own: end?.own }).toEqual({
      code: 0,
      errors: "",
      rows: 20,
      begun: 0,
      own: AUTOMATIC,
    });
    expect(rowsIn(path)).toBe(20);
  });

  it("whose thread dies loses nothing, and writes its log back itself", async () => {
    const path = freshPath();
    const { code, errors, rows, end } = await child([path, "killed", "20"]);
    expect({ code, errors, rows, begun: end?.begun, own: end?.own }).toEqual({
      code: 0,
      errors: "",
      rows: 20,
      begun: 1,
      own: AUTOMATIC,
    });
    expect(rowsIn(path)).toBe(20);
  });

  it("has no thread left when its databases are closed", async () => {
    const { code, end } = await child([freshPath(), "closed"]);
    expect([code, end?.begun]).toEqual([0, 1]);
    expect(end?.resources.filter((name) => /Worker|MessagePort/.test(name))).toEqual([]);
  });

  it.each(["unclosed", "left"])(
    "that does not close them (%s) ends by itself, and all is there",
    async (how) => {
      const path = freshPath();
      const { code, errors, rows } = await child([path, how]);
      expect({ code, errors }).toEqual({ code: 0, errors: "" });
      expect(rowsIn(path)).toBe(rows + (how === "left" ? 1 : 0));
    },
  );

  it.each([3, 11, 23])(
    "killed while its log is written back, after %i commits, loses nothing",
    async (commits) => {
      const path = freshPath();
      const { rows } = await child([path, "", "100000"], {
        until: (line) => line === JSON.stringify({ rows: commits }),
      });
      expect(rows).toBeGreaterThanOrEqual(commits);
      expect(rowsIn(path)).toBeGreaterThanOrEqual(rows);
    },
  );

  it("among others, each with a thread of its own on one file, is refused nothing", async () => {
    const path = freshPath();
    rowsIn(path);
    const all = await Promise.all([1, 2, 3].map(() => child([path, "closed", "60"])));
    expect(all.map(({ code, errors, rows }) => ({ code, errors, rows }))).toEqual(
      all.map(() => ({ code: 0, errors: "", rows: 60 })),
    );
    expect(rowsIn(path)).toBe(180);
    expect(existsSync(`${path}-wal`)).toBe(false);
  });
});
