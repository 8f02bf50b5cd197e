import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { afterAll, expect, it } from "vitest";
import { exclusively } from "../../src/workspace/disk/lock.ts";

const folder = mkdtempSync(join(tmpdir(), "tidemark-lock-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));
let count = 0;
function freshRoot(): { root: string; file: string } {
  const root = join(folder, String((count += 1)));
  mkdirSync(join(root, ".tidemark"), { recursive: true });
  return { root, file: join(root, ".tidemark", "lock.db") };
}
const machine = (root: string): string[] => readdirSync(join(root, ".tidemark"));

it("the lock is one empty file: no journal stands beside it while it is held, and none is made", async () => {
  const { root, file } = freshRoot();
  for (let round = 0; round < 3; round += 1)
    expect(await exclusively(root, async () => machine(root))).toEqual(["lock.db"]);
  expect(readFileSync(file)).toHaveLength(0);
  expect(machine(root)).toEqual(["lock.db"]);
});
