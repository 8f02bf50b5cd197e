import { execFileSync, spawnSync } from "node:child_process";
import {
  closeSync,
  mkdirSync,
  openSync,
  rmSync,
  statfsSync,
  truncateSync,
  writeSync,
} from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { isTidemarkError } from "../../src/core/errors-and-events.ts";
import { fresh, open } from "../support/faults.ts";
import { REPOSITORY } from "../support/packed.ts";

describe("a disk that runs full", () => {
  it(
    "at any write of a save, an update or a forgetting leaves it undone where it is refused, and done where it is not",
    { timeout: 240_000 },
    () => {
      const output = execFileSync(
        process.execPath,
        ["--no-warnings", join(REPOSITORY, "test/support/children/full-disk.ts")],
        { encoding: "utf8" },
      );
      const { broken, counts } = JSON.parse(output.split("\n")[0] ?? "") as {
        broken: string[];
        counts: Record<string, [number, number]>;
      };
      expect(broken).toEqual([]);
      expect(Object.keys(counts)).toEqual(["save", "save under a key", "update", "forget"]);
      for (const [refused, tried] of Object.values(counts))
        expect(refused > 0 && tried >= refused).toBe(true);
    },
  );

  it.each([
    [
      "a skill or its forgetting leaves no part of one, no second one and no words of what is forgotten",
      "skill-faults.ts",
    ],
    [
      "a record, a note, a promotion or a task's end leaves it undone where it is refused, and done where it is not",
      "page-faults.ts",
    ],
    ["an import says what to do, and comes in whole the next time", "import-faults.ts"],
  ])("at any write of %s", { timeout: 240_000 }, (_, child) => {
    const output = execFileSync(
      process.execPath,
      ["--no-warnings", join(REPOSITORY, "test/support/children", child)],
      { encoding: "utf8" },
    );
    const { broken, counts } = JSON.parse(output.split("\n")[0] ?? "") as {
      broken: string[];
      counts: Record<string, [number, number]>;
    };
    expect(broken).toEqual([]);
    // What only takes pages away needs no room.
    delete counts["records.delete"];
    for (const [refused, tried] of Object.values(counts))
      expect(refused > 0 && tried >= refused).toBe(true);
  });

  const small = fresh();
  mkdirSync(small, { recursive: true });
  const mounts =
    process.platform === "linux" &&
    process.getuid?.() === 0 &&
    spawnSync("mount", ["-t", "tmpfs", "-o", "size=3m", "none", small]).status === 0;
  if (mounts) spawnSync("umount", ["-l", small]);

  it.skipIf(!mounts)(
    "in earnest, with so much room left, does what it acknowledges and nothing that it refuses (only where a disk can be mounted)",
    async () => {
      spawnSync("mount", ["-t", "tmpfs", "-o", "size=3m", "none", small]);
      try {
        for (const room of [0, 4_096, 12_288, 24_576, 49_152]) {
          const workspace = join(small, `w${room}`);
          const { tidemark } = await open(workspace);
          const crate = await tidemark.memory.save("Quisquilia lies in crate nine.");
          fill(join(small, "filler"), room);
          const told: string[] = [];
          const refused: string[] = [];
          const keep = async (content: string): Promise<unknown> =>
            tidemark.memory.save(content).then(
              () => told.push(content),
              (thrown: unknown) => (
                expect(isTidemarkError(thrown)).toBe(true),
                refused.push(content)
              ),
            );
          for (let at = 0; at < 12; at += 1)
            await keep(`Quay ${at} lies ${"very ".repeat(at * 40)}far out.`);
          const forgot = await tidemark.memory.forget(crate.id).then(
            () => true,
            () => false,
          );
          if (!forgot) told.push(crate.content);
          expect(refused.length + Number(!forgot), `${room} bytes`).toBeGreaterThan(0);
          rmSync(join(small, "filler"));
          await tidemark.close().catch(() => undefined);
          const next = await open(workspace);
          expect(
            (await next.tidemark.memory.list()).map(({ content }) => content).sort(),
            `${room} bytes`,
          ).toEqual(told.sort());
          await next.tidemark.close();
          rmSync(workspace, { recursive: true });
        }
      } finally {
        spawnSync("umount", ["-l", small]);
      }
    },
  );
});

/** A file that leaves so many bytes of its disk. */
function fill(path: string, room: number): void {
  const file = openSync(path, "w");
  for (let size = 65_536; size >= 1; size = Math.floor(size / 2)) {
    try {
      for (;;) writeSync(file, Buffer.alloc(size));
    } catch {
      // Full to this measure.
    }
  }
  closeSync(file);
  const { bsize, blocks } = statfsSync(path);
  truncateSync(path, Math.max(0, sizeOf(path, bsize * blocks) - room));
}
const sizeOf = (path: string, most: number): number =>
  Math.min(most, Number(execFileSync("stat", ["-c", "%s", path], { encoding: "utf8" })));
