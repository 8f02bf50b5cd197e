import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { join } from "node:path";
import { setImmediate as turn } from "node:timers/promises";
import Database from "better-sqlite3";
import { afterEach, describe, expect, it } from "vitest";
import { isTidemarkError } from "../../src/core/errors-and-events.ts";
import { patience } from "../../src/storage/sqlite/shared-file.ts";
import { openDatabase } from "../../src/storage/sqlite/database-file.ts";
import { copy, fresh, HEARD, open, said, talk, TALKS } from "../support/faults.ts";
import { REPOSITORY } from "../support/packed.ts";
import { passing } from "../support/turns.ts";

const children: ChildProcess[] = [];
afterEach(() => {
  for (const child of children.splice(0)) child.kill("SIGKILL");
});

/** A process that holds the lock of a database and is stopped. Answers how it goes on and lets go. */
async function stoppedWith(path: string): Promise<() => Promise<void>> {
  const child = spawn(
    process.execPath,
    ["--no-warnings", join(REPOSITORY, "test/support/children/lock-holder.ts"), path],
    { stdio: ["pipe", "pipe", "inherit"] },
  );
  children.push(child);
  await once(child.stdout, "data");
  child.kill("SIGSTOP");
  return async () => {
    child.kill("SIGCONT");
    child.stdin.end("go\n");
    await once(child, "exit");
  };
}

/** Runs `work` and, once it has been refused for a while, `then`; the loop must have turned all the while. */
async function turning<T>(work: () => Promise<T>, then: () => Promise<void>): Promise<T> {
  let [turns, ended] = [0, false];
  const done = work().finally(() => (ended = true));
  done.catch(() => undefined);
  while (!ended) {
    await turn();
    turns += 1;
    if (turns === 200) void then();
  }
  expect(turns).toBeGreaterThan(200);
  return done;
}

describe.skipIf(process.platform === "win32")("a stopped process that holds the lock", () => {
  it("lets this one's loop turn and its questions be answered; talk and save go through when it lets go", async () => {
    const workspace = await copy();
    const { tidemark, events } = await open(workspace);
    const go = await stoppedWith(join(workspace, ".tidemark/tidemark.db"));
    await turning(
      () => Promise.all([talk(tidemark, HEARD), tidemark.memory.save(HEARD)]),
      async () => {
        expect((await tidemark.memory.recall("captain number 7"))[0]?.text).toContain("Quay 7 ");
        await go();
      },
    );
    expect((await tidemark.memory.recall("harbour master"))[0]?.text).toBe(HEARD);
    expect(said(events)).toBe("");
    expect(await tidemark.history.list()).toHaveLength(TALKS + 1);
    await tidemark.close();
  });

  it("does not keep a workspace from being opened", async () => {
    const workspace = await copy();
    const go = await stoppedWith(join(workspace, ".tidemark/tidemark.db"));
    const { tidemark } = await open(workspace);
    expect((await tidemark.history.list()).length).toBeGreaterThan(0);
    await go();
    await tidemark.close();
  });

  it("for good ends each call in one clear error, however many users wait", async () => {
    const workspace = await copy();
    const { tidemark, events } = await open(workspace);
    const go = await stoppedWith(join(workspace, ".tidemark/tidemark.db"));
    const users = ["ann", "bob", "cleo", "dan"].map((user) => tidemark.as({ user }));
    await passing(() => Promise.all(users.map((user) => talk(user, HEARD))));
    expect(said(events)).toMatch(
      /tidemark\.db could not be written.*Another process keeps it locked: look whether one hangs, end it, and try again/,
    );
    const pinned = () => tidemark.pin("Never throw crates overboard.");
    await expect(passing(pinned)).rejects.toSatisfy(
      (thrown) => isTidemarkError(thrown) && thrown.code === "history",
    );
    await go();
    await pinned();
    await tidemark.close();
  });
});

describe("waiting for a lock", () => {
  const STEPS = [["1", "create table t (x text)"]] as const;

  it("is bounded, is short for who comes behind one that waited in vain, and is long again when it went through", async () => {
    const path = `${fresh()}.db`;
    const [mine, other] = [openDatabase({ path }, STEPS, "store"), new Database(path)];
    const put = mine.prepare("insert into t values ('x')");
    const pauses: number[] = [];
    const patiently = patience(async (ms) => void pauses.push(ms));
    const waited = async (): Promise<number> => {
      pauses.length = 0;
      await expect(patiently(() => put.run())).rejects.toThrow(/locked/);
      return pauses.reduce((sum, ms) => sum + ms, 0);
    };
    other.exec("begin immediate");
    expect(Math.round((await waited()) / 1_000)).toBe(5);
    expect(await waited()).toBeLessThan(300);
    other.exec("rollback");
    await patiently(() => put.run());
    other.exec("begin immediate");
    expect(Math.round((await waited()) / 1_000)).toBe(5);
    pauses.length = 0;
    await expect(patiently(() => Promise.reject(new Error("another trouble")))).rejects.toThrow(
      "another trouble",
    );
    expect(pauses).toEqual([]);
    for (const one of [mine, other]) one.close();
  });
});
