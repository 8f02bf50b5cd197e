import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, expect, it } from "vitest";
import { exclusively, keepLock, waited } from "../../src/workspace/disk/lock.ts";

const folder = mkdtempSync(join(tmpdir(), "tidemark-lock-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
function freshRoot(): { root: string; file: string } {
  const root = join(folder, String((count += 1)));
  mkdirSync(join(root, ".tidemark"), { recursive: true });
  return { root, file: join(root, ".tidemark", "lock.db") };
}
const machine = (root: string): string[] => readdirSync(join(root, ".tidemark"));

it.each(["kept open", "opened each time"])(
  "the lock, %s, is one empty file: no journal stands beside it while it is held, and none is made",
  async (how) => {
    const { root, file } = freshRoot();
    const release = how === "kept open" ? keepLock(root) : () => undefined;
    for (let round = 0; round < 3; round += 1)
      expect(await exclusively(root, async () => machine(root))).toEqual(["lock.db"]);
    expect(readFileSync(file)).toHaveLength(0);
    release();
    expect(machine(root)).toEqual(["lock.db"]);
  },
);

it.each(["delete", "memory"])(
  "who takes it with a journal of kind %s, as older versions do, and who takes it here keep each other out",
  async (mode) => {
    const { root, file } = freshRoot();
    const release = keepLock(root);
    await exclusively(root, async () => undefined);
    const other = new Database(file, { timeout: 0 });
    other.pragma(`journal_mode = ${mode}`);
    await exclusively(root, async () =>
      expect(() => other.exec("begin immediate")).toThrow(/locked/),
    );
    other.exec("begin immediate");
    const order: string[] = [];
    const waiting = exclusively(root, async () => void order.push("taken here"));
    await new Promise(setImmediate);
    order.push("let go there");
    other.exec("rollback");
    await waiting;
    expect(order).toEqual(["let go there", "taken here"]);
    other.close();
    release();
  },
);

it("a journal that a killed process of an older version left beside the lock holds nobody up, nor does rubbish in the lock itself", async () => {
  const { root, file } = freshRoot();
  // The head of a journal as a begun transaction over an empty file writes it: its magic number comes with the first sync.
  writeFileSync(`${file}-journal`, Buffer.alloc(512));
  writeFileSync(file, "");
  const release = keepLock(root);
  await exclusively(root, async () => undefined);
  writeFileSync(file, "rubbish of a kind that is long enough to be read ".repeat(100));
  expect(await exclusively(root, async () => "in")).toBe("in");
  release();
  writeFileSync(file, "rubbish of a kind that is long enough to be read ".repeat(100));
  expect(await exclusively(root, async () => "in")).toBe("in");
  expect(readFileSync(file)).toHaveLength(0);
});

it("who was stopped while it waited for the lock has not waited all that time", () => {
  let now = 5_000;
  const soFar = waited(() => now);
  now += 300;
  expect(soFar()).toBe(300);
  now += 3_600_000;
  expect(soFar(), "a laptop slept").toBeLessThanOrEqual(1_300);
  for (let look = 0; look < 40; look += 1) {
    now += 900;
    soFar();
  }
  expect(soFar()).toBeGreaterThan(30_000);
});
