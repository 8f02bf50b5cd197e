import { closeSync, mkdtempSync, openSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import fc from "fast-check";
import { afterAll, expect, it } from "vitest";
import { untilOnDisk } from "../../src/workspace/disk/disk-folder.ts";

const folder = mkdtempSync(join(tmpdir(), "tidemark-disk-"));
afterAll(() => rmSync(folder, { recursive: true, force: true }));

/** Syncs that take so long each, ms, on a clock of its own: which way each went. */
async function waysOf(times: readonly number[]): Promise<("loop" | "pool")[]> {
  let clock = 0;
  const ways: ("loop" | "pool")[] = [];
  const passes = (way: "loop" | "pool") => (): void => {
    clock += times[ways.length] ?? 0;
    ways.push(way);
  };
  const onDisk = untilOnDisk({
    now: () => clock,
    sync: passes("loop"),
    pool: async () => passes("pool")(),
  });
  for (const _ of times) await onDisk(0);
  return ways;
}

it("the loop waits for the disk itself only behind four quick syncs in a row: a slow one sends the next four to the pool", async () => {
  await fc.assert(
    fc.asyncProperty(
      fc.array(
        fc.oneof(
          { weight: 9, arbitrary: fc.constant(0.25) },
          { weight: 1, arbitrary: fc.constantFrom(2, 5, 400) },
        ),
        { maxLength: 200 },
      ),
      async (times) => {
        const ways = await waysOf(times);
        expect(ways).toEqual(
          times.map((_, at) =>
            at >= 4 && times.slice(at - 4, at).every((took) => took < 2) ? "loop" : "pool",
          ),
        );
      },
    ),
  );
});

it("a disk that is always slow is never waited for by the loop", async () => {
  expect(new Set(await waysOf(Array.from({ length: 100 }, () => 3)))).toEqual(new Set(["pool"]));
});

it.each(["pool", "loop"])("a sync that fails rejects, by the %s", async (way) => {
  const file = openSync(join(folder, way), "w");
  const onDisk = untilOnDisk();
  for (let round = 0; round < (way === "loop" ? 60 : 0); round += 1) await onDisk(file);
  closeSync(file);
  await expect(onDisk(file)).rejects.toThrow(/EBADF/);
});
