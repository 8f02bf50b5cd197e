import { rm } from "node:fs/promises";
import { join } from "node:path";
import { BetaLocalFilesystemMemoryTool } from "@anthropic-ai/sdk/tools/memory/node";
import fc from "fast-check";
import { expect, it } from "vitest";
import { memoryDirectory } from "../../src/adapters/anthropic.ts";
import { openTidemark } from "../../src/index.ts";
import { fileFolder } from "../support/afterwards.ts";
import { answersOf, commands } from "../support/memory-commands.ts";
import { runs } from "../support/runs.ts";

it("answers each command as the SDK's own directory does, errors included", async () => {
  const home = fileFolder();
  const tidemark = await openTidemark({ workspace: join(home, "ws"), listen: false });
  await fc.assert(
    fc.asyncProperty(commands, async (given) => {
      for (const folder of ["sdk", "ws/notes"])
        await rm(join(home, folder), { recursive: true, force: true });
      const theirs = await BetaLocalFilesystemMemoryTool.init(join(home, "sdk"));
      expect(await answersOf(memoryDirectory(tidemark), given)).toEqual(
        await answersOf(theirs, given, join(home, "sdk/memories")),
      );
    }),
    { numRuns: runs(100) },
  );
  await tidemark.close();
});
