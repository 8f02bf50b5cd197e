import { mkdirSync, readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { exclusively } from "../../src/workspace/disk/disk-folder.ts";
import { fileFolder } from "../support/afterwards.ts";

const folder = fileFolder();
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
