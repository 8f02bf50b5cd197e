import { mkdir, mkdtemp, rm } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join, posix } from "node:path";
import { BetaLocalFilesystemMemoryTool } from "@anthropic-ai/sdk/tools/memory/node";
import fc from "fast-check";
import { afterAll, beforeAll, expect, it } from "vitest";
import { memoryDirectory } from "../../src/adapters/anthropic.ts";
import { openTidemark, type Tidemark } from "../../src/index.ts";
import { answersOf, commands } from "../support/memory-commands.ts";
import { runs } from "../support/runs.ts";

const SEQUENCES = runs(200);

let home: string;
let onDisk: Tidemark;
let inMemory: Tidemark;
beforeAll(async () => {
  home = await mkdtemp(join(tmpdir(), "tidemark-memories-"));
  onDisk = await openTidemark({ workspace: join(home, "ws"), listen: false });
  inMemory = await openTidemark({ workspace: false, listen: false });
});
afterAll(async () => {
  await onDisk.close();
  await inMemory.close();
  await rm(home, { recursive: true, force: true });
});

/** The SDK's own directory, empty; `root` is where it lies. */
async function theirs() {
  await rm(join(home, "sdk"), { recursive: true, force: true });
  const directory = await BetaLocalFilesystemMemoryTool.init(join(home, "sdk"));
  return { directory, root: join(home, "sdk/memories") };
}

it("answers each command as the SDK's own directory does, errors included", async () => {
  await fc.assert(
    fc.asyncProperty(commands, async (given) => {
      const { directory, root } = await theirs();
      await rm(join(home, "ws/notes"), { recursive: true, force: true });
      expect(await answersOf(memoryDirectory(onDisk), given)).toEqual(
        await answersOf(directory, given, root),
      );
    }),
    { numRuns: SEQUENCES },
  );
});

it("answers so where nothing is kept on disk, too, and of a team's folder what it would of any other", async () => {
  let sequences = 0;
  const ofTheTeam = (path: string): boolean =>
    posix.resolve("/memories", path) === "/memories/team";
  await fc.assert(
    fc.asyncProperty(commands, async (all) => {
      const given = all.filter(
        (one) => !ofTheTeam(one.command === "rename" ? one.old_path : one.path),
      );
      const { directory, root } = await theirs();
      await mkdir(join(root, "team"));
      const name = `n${(sequences += 1)}`;
      const ours = memoryDirectory(inMemory.as({ agent: name, team: name }));
      expect(await answersOf(ours, given)).toEqual(await answersOf(directory, given, root));
    }),
    { numRuns: Math.ceil(SEQUENCES / 3) },
  );
});
