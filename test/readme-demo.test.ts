import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";

describe("npm run demo", () => {
  it("folds at least three times, restarts, answers right about the beginning, and is refused nothing", async () => {
    // It exits with 1, which rejects here, unless all of that is so.
    const { stdout } = await promisify(execFile)(process.execPath, ["examples/demo.ts"], { env: { ...process.env, ANTHROPIC_API_KEY: undefined } });
    expect(stdout).toContain("All as promised.");
    expect(stdout.match(/^ +folded /gm)?.length).toBeGreaterThanOrEqual(3);
    expect(stdout, "no colour codes where nobody sees them").not.toContain("\u001b[");
  });
});
