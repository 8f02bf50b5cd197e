import { readdirSync, statSync } from "node:fs";
import { availableParallelism } from "node:os";
import { join, resolve } from "node:path";
import { defineConfig } from "vitest/config";

/** What this looks at belongs to a whole process: what it reads the first time. */
const ALONE = ["test/stories/no-long-steps.test.ts"];

/** Long stories, and all that packs and installs: `npm run test:thorough` plays them beside all cases of each law. */
const LONG = [
  "test/adapters/anthropic/anthropic-thinking.test.ts",
  "test/adapters/contract.test.ts",
  "test/adapters/http-api-site.test.ts",
  "test/adapters/langchain/langchain.test.ts",
  "test/agents/entity.test.ts",
  "test/agents/history-diff.test.ts",
  "test/agents/tools-docs.test.ts",
  "test/agents/users.test.ts",
  "test/ancestors/synthorg.test.ts",
  "test/cli/cli-import-long.test.ts",
  "test/cli/cli-replay.test.ts",
  "test/cli/cli-users.test.ts",
  "test/compaction/background-bounds.test.ts",
  "test/compaction/background-budget.test.ts",
  "test/compaction/background-quiet.test.ts",
  "test/compaction/cache-long-loops.test.ts",
  "test/compaction/clock-in-a-message.test.ts",
  "test/compaction/distil-small-windows.test.ts",
  "test/compaction/heard.test.ts",
  "test/compaction/history-undo.test.ts",
  "test/compaction/many-workers.test.ts",
  "test/conversations/changed-messages.test.ts",
  "test/conversations/sessions-callers.test.ts",
  "test/conversations/sessions-volatile.test.ts",
  "test/conversations/twin-conversations.test.ts",
  "test/core/node-version.test.ts",
  "test/first-hour/packaging.test.ts",
  "test/first-hour/projects.test.ts",
  "test/hosts/adapters.test.ts",
  "test/hosts/random.test.ts",
  "test/hosts/twins.test.ts",
  "test/memory/distil-salvage.test.ts",
  "test/memory/memory-docs.test.ts",
  "test/memory/recall-locomo.test.ts",
  "test/pages/examples.test.ts",
  "test/pages/hosting.test.ts",
  "test/pages/house.test.ts",
  "test/pages/pack.test.ts",
  "test/pages/readme-snippets.test.ts",
  "test/pages/typed.test.ts",
  "test/session/broken-calls.test.ts",
  "test/session/prompt-sections.test.ts",
  "test/storage/history-modes.test.ts",
  "test/storage/history-verbatim.test.ts",
  "test/storage/postgres/contract.test.ts",
  "test/storage/postgres/cuts.test.ts",
  "test/storage/postgres/move.test.ts",
  "test/storage/postgres/pages.test.ts",
  "test/storage/postgres/server.test.ts",
  "test/storage/postgres/trips.test.ts",
  "test/storage/vectors.test.ts",
  "test/stories/attacks-learning.test.ts",
  "test/stories/attacks-limits.test.ts",
  "test/stories/attacks-names.test.ts",
  "test/stories/attacks.test.ts",
  "test/stories/canaries.test.ts",
  "test/stories/drill.test.ts",
  "test/stories/faults.test.ts",
  "test/stories/full-disk.test.ts",
  "test/stories/long-work-yields.test.ts",
  "test/stories/one-life.test.ts",
  "test/stories/replay.test.ts",
  "test/stories/short-sessions.test.ts",
  "test/stories/stopped-process.test.ts",
  "test/tidemark/host-callbacks.test.ts",
  "test/tidemark/key.test.ts",
  "test/tidemark/late-ends.test.ts",
  "test/tidemark/recall-together.test.ts",
  "test/tidemark/turn-recall.test.ts",
  "test/tidemark/untrue-usage.test.ts",
  "test/laws/{dialect,extractive,formatted-page,memory-directory,rewritten-messages,thinking,turn-recall}-laws.test.ts",
  "test/laws/{fold-stack,linear-time}.test.ts",
];
/** Share of each law's cases that `npm test` plays. */
const SHARE = "0.2";

/** Whether the package was built of the sources as they are: processes that tests start load it faster. */
function isBuilt(): boolean {
  const built = statSync("dist/cli/main.js", { throwIfNoEntry: false })?.mtimeMs ?? 0;
  return readdirSync("src", { recursive: true, encoding: "utf8" }).every(
    (file) => statSync(join("src", file)).mtimeMs < built,
  );
}

/** What must hold on every storage: memory, recall, history, folds, isolation, forgetting, hosts. */
const HELD = [
  "test/agents/{agents-forget,memory-past,pins}.test.ts",
  "test/agents/history-*.test.ts",
  "test/compaction/{fold-fresh,fold-now,history-undo}.test.ts",
  "test/memory/memory-{categories,lifetimes,merge,recall,save,scopes,search,turns}.test.ts",
  "test/memory/{outdated,promotion,rights}.test.ts",
  "test/stories/isolation.test.ts",
  "test/tidemark/injected-once.test.ts",
];
const HOSTS = ["test/hosts/hosts.test.ts"];
/** A turn waits for what it recalls no longer than a busy server may take. */
const WAITED = ["test/tidemark/{recall-past-turns,turn-recall}.test.ts"];
/** The same of what is found by meaning; maps refuse to. */
const MEANT = ["test/memory/{memory-tiers,page-meaning,turn-meaning}.test.ts"];
/** One of each: where a database in the process takes long, or only what is found by meaning differs. */
const SOME = [
  "test/memory/{memory-recall,memory-tiers,memory-scopes,outdated}.test.ts",
  "test/tidemark/injected-once.test.ts",
];
/** Their files' storage is what the project says: a folder's database is one of another kind. */
const standing = {
  name: "on another storage",
  enforce: "pre" as const,
  resolveId(source: string, importer = ""): string | undefined {
    const [, file] =
      /\/src\/(?:(?:tidemark|storage\/sqlite)\/)?(index|open-tidemark|sqlite-storage)\.ts$/.exec(
        source,
      ) ?? [];
    const isTest = importer.startsWith(resolve("test")) && !importer.includes("/test/support/on/");
    return file !== undefined && isTest ? resolve(`test/support/on/${file}.ts`) : undefined;
  },
};
/** Share of the cases of a law beside those that it is held against on SQLite. */
const FEW = "0.05";
/** Tests on a storage: in maps, on PostgreSQL in the process or on a server, with pgvector or bare. */
const on = (store: string, include: string[], globalSetup: string[] = []) => ({
  extends: true as const,
  plugins: [standing],
  test: {
    name: store,
    include,
    isolate: false,
    env: { TIDEMARK_ON: store, TIDEMARK_RUNS: FEW },
    globalSetup,
  },
});
const SERVER = ["test/support/on/server.ts"];
/** Projects by mode; `npm run test:storages` plays all of them on each storage, which takes long. */
const STORAGES: Readonly<Record<string, ReturnType<typeof on>[]>> = {
  page: [],
  test: [],
  // Beside all else a server is late: `test:storages` has it to itself.
  thorough: [on("memory", HELD), on("pglite", SOME)],
  storages: [
    on("memory", [...HELD, ...HOSTS, ...WAITED]),
    on("pglite", [...HELD, ...MEANT]),
    on("postgres", [...HELD, ...HOSTS, ...MEANT], SERVER),
    on("bare", [...HELD, ...MEANT], SERVER),
  ],
};

export default defineConfig(({ mode }) => {
  const thorough = mode === "thorough";
  const page = mode === "page";
  const storages = mode === "storages";
  const named = process.argv.some((word) => word.includes("test/"));
  const all = page ? ["test/page/*.test.ts"] : ["test/**/*.test.ts"];
  const some = thorough ? [...LONG, "test/laws/*.test.ts"] : all;
  // The page is tried in a browser, which not every machine has: `npm run test:page`.
  const left = named || thorough || page ? [] : [...LONG, "test/page/*.test.ts"];
  return {
    test: {
      globalSetup: ["test/support/temporary.ts"],
      setupFiles: ["test/support/setup.ts"],
      env: {
        TIDEMARK_BUILT: isBuilt() ? "yes" : "",
        TIDEMARK_RUNS: process.env.TIDEMARK_RUNS ?? (thorough ? "1" : SHARE),
      },
      pool: "forks",
      // Long stories wait for processes that they start: another plays meanwhile.
      maxWorkers: availableParallelism() + (thorough ? 1 : 0),
      // A slow machine is slow, and no more: what hangs is caught all the same.
      testTimeout: 600_000,
      hookTimeout: 600_000,
      expect: { poll: { timeout: 600_000 } },
      projects: [
        // One reading of the sources for all files of a process.
        ...(storages
          ? []
          : [
              {
                extends: true as const,
                test: {
                  name: "together",
                  include: some,
                  exclude: [...ALONE, ...left, "**/node_modules/**"],
                  isolate: false,
                },
              },
            ]),
        ...(thorough || page || storages
          ? []
          : [{ extends: true as const, test: { name: "alone", include: ALONE } }]),
        ...(STORAGES[mode] ?? STORAGES.test ?? []),
      ],
    },
  };
});
