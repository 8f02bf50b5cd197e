import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { defineConfig } from "vitest/config";

/** What this looks at belongs to a whole process: what it reads the first time. */
const ALONE = ["test/stories/no-long-steps.test.ts"];

/** Long stories, and all that packs and installs: `npm run test:thorough` plays them beside all cases of each law. */
const LONG = [
  "test/adapters/contract.test.ts",
  "test/adapters/anthropic/anthropic-strategies.test.ts",
  "test/adapters/anthropic/capabilities-asked.test.ts",
  "test/cli/cli-import-long.test.ts",
  "test/core/node-version.test.ts",
  "test/session/broken-calls.test.ts",
  "test/agents/tools-docs.test.ts",
  "test/compaction/background-bounds.test.ts",
  "test/compaction/background-budget.test.ts",
  "test/compaction/background-quiet.test.ts",
  "test/compaction/distil-small-windows.test.ts",
  "test/compaction/heard.test.ts",
  "test/compaction/many-workers.test.ts",
  "test/compaction/cache-long-loops.test.ts",
  "test/compaction/history-undo.test.ts",
  "test/tidemark/host-callbacks.test.ts",
  "test/tidemark/late-ends.test.ts",
  "test/tidemark/recall-together.test.ts",
  "test/first-hour/packaging.test.ts",
  "test/first-hour/projects.test.ts",
  "test/conversations/changed-messages.test.ts",
  "test/conversations/sessions-callers.test.ts",
  "test/conversations/sessions-volatile.test.ts",
  "test/hosts/adapters.test.ts",
  "test/laws/fold-stack.test.ts",
  "test/laws/linear-time.test.ts",
  "test/laws/thinking-laws.test.ts",
  "test/laws/turn-recall-laws.test.ts",
  "test/memory/distil-salvage.test.ts",
  "test/pages/examples.test.ts",
  "test/pages/hosting.test.ts",
  "test/pages/pack.test.ts",
  "test/pages/readme-snippets.test.ts",
  "test/pages/typed.test.ts",
  "test/storage/history-modes.test.ts",
  "test/storage/history-verbatim.test.ts",
  "test/storage/postgres/move.test.ts",
  "test/storage/postgres/pages.test.ts",
  "test/storage/postgres/server.test.ts",
  "test/stories/attacks.test.ts",
  "test/stories/canaries.test.ts",
  "test/stories/drill.test.ts",
  "test/stories/faults.test.ts",
  "test/stories/full-disk.test.ts",
  "test/stories/replay.test.ts",
  "test/stories/stopped-process.test.ts",
];
/** Share of each law's cases that `npm test` plays. */
const SHARE = "0.2";

/** Tests that are held against random cases, of which there may be more. */
const laws = (): string[] =>
  readdirSync("test", { recursive: true, encoding: "utf8" })
    .map((file) => join("test", file))
    .filter((file) => file.endsWith(".test.ts") && readFileSync(file, "utf8").includes(" runs("));

export default defineConfig(({ mode }) => {
  const thorough = mode === "thorough";
  const page = mode === "page";
  const named = process.argv.some((word) => word.includes("test/"));
  const all = page ? ["test/page/*.test.ts"] : ["test/**/*.test.ts"];
  const some = thorough ? [...new Set([...LONG, ...laws()])] : all;
  // The page is tried in a browser, which not every machine has: `npm run test:page`.
  const left = named || thorough || page ? [] : [...LONG, "test/page/*.test.ts"];
  return {
    test: {
      globalSetup: ["test/support/temporary.ts"],
      setupFiles: ["test/support/setup.ts"],
      env: {
        TIDEMARK_RUNS: process.env.TIDEMARK_RUNS ?? (thorough ? "1" : SHARE),
      },
      pool: "forks",
      maxWorkers: "100%",
      // A slow machine is slow, and no more: what hangs is caught all the same.
      testTimeout: 600_000,
      hookTimeout: 600_000,
      expect: { poll: { timeout: 600_000 } },
      projects: [
        // One reading of the sources for all files of a process.
        {
          extends: true,
          test: {
            name: "together",
            include: some,
            exclude: [...ALONE, ...left, "**/node_modules/**"],
            isolate: false,
          },
        },
        ...(thorough || page
          ? []
          : [{ extends: true as const, test: { name: "alone", include: ALONE } }]),
      ],
    },
  };
});
