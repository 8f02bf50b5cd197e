import { defineConfig } from "vitest/config";

/** What these look at belongs to a whole process: its threads, what it reads the first time. */
const ALONE = ["test/checkpoints.test.ts", "test/no-long-steps.test.ts"];

export default defineConfig({
  test: {
    globalSetup: ["test/support/temporary.ts"],
    setupFiles: ["test/support/setup.ts"],
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
          include: ["test/**/*.test.ts"],
          exclude: [...ALONE, "**/node_modules/**"],
          isolate: false,
        },
      },
      { extends: true, test: { name: "alone", include: ALONE } },
    ],
  },
});
