import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { estimateTokens } from "../../src/core/tokens/estimate.ts";
import { executeHere } from "../support/cli-here.ts";
import { freshFolder } from "../support/afterwards.ts";

let workspace = "";
async function tidemark(...args: string[]) {
  return executeHere([...args, "--workspace", workspace]);
}
const page = (text: string) => writeFileSync(join(workspace, "HEARTBEAT.md"), text);

beforeEach(async () => {
  workspace = join(freshFolder(), "workspace");
  await tidemark("init");
});

describe("tidemark heartbeat", () => {
  it("is not due as long as the page says nothing, and prints the prompt when it does", async () => {
    expect(await tidemark("heartbeat")).toMatchObject({
      code: 1,
      out: "",
      err: "Not due: HEARTBEAT.md is empty: write into it what the agent is to look at.\n",
    });
    page("# Heartbeat\n\nIs the build green?\n");
    const { code, out } = await tidemark("heartbeat");
    expect(code).toBe(0);
    expect(out).toMatch(/^<tidemark-heartbeat at="[^"]+">\n[\s\S]*Is the build green\?/);
  });
});

describe("a heartbeat's prompt", () => {
  it("stays within 4,000 tokens, holds what is open, and forgets what is older than two days", async () => {
    let now = Date.parse("2026-11-01T10:00Z");
    const open = await openTidemark({ workspace, listen: false, now: () => now });
    await open.memory.save("The old cluster runs until Christmas.");
    now += 3 * 86_400_000;
    await open.task({ description: "Move the billing service" });
    for (let at = 0; at < 300; at += 1, now += 1_000)
      await open.memory.save(`Rule ${at}: ${`word${at} `.repeat(20)}`);
    await open.workspace.write(
      "HEARTBEAT.md",
      `${"Look at the build.\n".repeat(900)}`,
      "agent:default",
    );
    const { due, prompt = "" } = await open.heartbeat();
    await open.close();
    expect(due).toBe(true);
    expect(estimateTokens(prompt)).toBeLessThanOrEqual(4_000);
    expect(prompt).toContain("## Open\n- Open request: Move the billing service (2026-11-04)");
    expect(prompt).toContain("Rule 299");
    expect(prompt).not.toContain("Christmas");
  });

  it("teaches nothing: what an agent answers to it is in history, and in memory only where it saves it", async () => {
    const woken =
      '<tidemark-heartbeat at="x">\nLook. Remember: the deploy key lives in the blue ' +
      "vault.\n</tidemark-heartbeat>";
    const learnt = async (first: string, told: string): Promise<string[]> => {
      const folder = join(freshFolder(), "workspace");
      const options = { workspace: folder, listen: false, distil: "extractive" } as const;
      const open = await openTidemark(options);
      const messages = [
        { role: "user", content: first },
        { role: "assistant", content: "I looked." },
        { role: "user", content: told },
      ];
      const turn = await open.begin({ model: "claude-sonnet-5-5", max_tokens: 100, messages });
      await turn.end({ role: "assistant", content: "I will." });
      await open.close();
      const again = await openTidemark(options);
      const found = (await again.memory.list()).map(({ content }) => content);
      await again.close();
      return found;
    };
    expect(await learnt(woken, woken.replace("x", "y"))).toEqual([]);
    // A first message that only looks like one switches nothing off.
    const told = "Remember: the deploy key lives in the blue vault.";
    expect((await learnt(woken, told)).join()).toContain("blue vault");
    expect((await learnt("Look.", told)).join()).toContain("blue vault");
  });
});
