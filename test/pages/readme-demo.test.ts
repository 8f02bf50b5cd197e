import { execFile } from "node:child_process";
import { promisify } from "node:util";
import { describe, expect, it } from "vitest";
import { readme } from "../support/readme.ts";

describe("npm run demo", () => {
  it("folds at least three times, restarts, answers right about the beginning, and is refused nothing", async () => {
    // It exits with 1 unless all of that is so, and ends in what was not.
    const { stdout } = await promisify(execFile)(process.execPath, ["examples/demo.ts"], {
      env: { ...process.env, ANTHROPIC_API_KEY: undefined },
    }).catch((error: { stdout: string }) => error);
    expect(stdout.slice(-2000)).toContain("All as promised.");
    // README says "three or four folds".
    expect([3, 4]).toContain(stdout.match(/^ +folded /gm)?.length);
    expect(readme).toContain("three or four folds");
    const page = /## [\s\S]*?<!-- page /.exec(stdout)?.[0] ?? "";
    expect(
      page.match(/^- [A-Z].*\. \(\d{4}-\d\d-\d\d\) <!-- \w+ -->$/gm)?.length,
    ).toBeGreaterThanOrEqual(12);
    expect(stdout, "no colour codes where nobody sees them").not.toContain("\u001b[");
  });
});
