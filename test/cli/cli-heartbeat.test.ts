import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { beforeEach, describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { onlyOne } from "../../src/workspace/disk/lock.ts";
import { estimateTokens } from "../../src/core/tokens/estimate.ts";
import { REPOSITORY } from "../support/packed.ts";
import { executeHere } from "../support/cli-here.ts";

let workspace = "";
async function tidemark(...args: string[]) {
  const at = args.includes("--") ? args.indexOf("--") : args.length;
  const all = [...args.slice(0, at), "--workspace", workspace, ...args.slice(at)];
  return executeHere(all, { seen: true });
}
const page = (text: string) => writeFileSync(join(workspace, "HEARTBEAT.md"), text);
const node = (code: string) => ["--", process.execPath, "-e", code];
const ECHO = "process.stdin.on('data', (d) => process.stdout.write('heard ' + d.length))";

beforeEach(async () => {
  workspace = join(mkdtempSync(join(tmpdir(), "cli-heartbeat-")), "workspace");
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

  it("runs a command with the prompt on its input, and keeps what it says in history alone", async () => {
    page("Is the build green?");
    const { code, out } = await tidemark("heartbeat", ...node(ECHO));
    expect({ code, out }).toEqual({ code: 0, out: expect.stringMatching(/^heard \d+$/) });
    const open = await openTidemark({ workspace, listen: false });
    expect(await open.memory.list()).toEqual([]);
    expect(await open.history.list()).toHaveLength(1);
    await open.close();
  });

  it("says with which code a command ended, and that one could not be started", async () => {
    page("Is the build green?");
    expect(await tidemark("heartbeat", ...node("process.exit(3)"))).toMatchObject({
      code: 3,
      err: "The command ended with code 3.\n",
    });
    const { code, err } = await tidemark("heartbeat", "--", "no-such-command-here");
    expect(code).toBe(1);
    expect(err).toContain("no-such-command-here could not be started");
  });

  it("ends with SIGTERM though what the command left behind holds its output", async () => {
    page("Is the build green?");
    const left = "setTimeout(() => 0, 30_000)";
    const code = `const { pid } = require('node:child_process').spawn(process.execPath, ['-e', ${JSON.stringify(left)}], { stdio: ['ignore', 'inherit', 'ignore'] }); console.log(pid); setInterval(() => 0, 1000);`;
    const program = [join(REPOSITORY, "src/cli/main.ts"), "heartbeat", "--workspace", workspace];
    const child = spawn(process.execPath, [...program, ...node(code)]);
    const [pid] = (await once(child.stdout, "data")) as [Buffer];
    child.kill("SIGTERM");
    expect(await once(child, "exit")).toEqual([0, null]);
    process.kill(Number(String(pid)), "SIGKILL");
  });

  it("is skipped while another process runs one", async () => {
    page("Is the build green?");
    await onlyOne(workspace, async () => {
      expect(await tidemark("heartbeat", ...node(ECHO))).toMatchObject({
        code: 0,
        out: "",
        err: "Skipped: the heartbeat before is still at work.\n",
      });
    });
    expect((await tidemark("heartbeat", ...node(ECHO))).out).toMatch(/^heard/);
  });

  it("that comes again and again ends cleanly with SIGTERM, while it waits", async () => {
    page("Is the build green?");
    const program = [join(REPOSITORY, "src/cli/main.ts"), "heartbeat", "--every", "2h"];
    const child = spawn(process.execPath, [
      ...program,
      "--workspace",
      workspace,
      ...node("console.log('up')"),
    ]);
    await once(child.stdout, "data");
    child.kill("SIGTERM");
    const [code] = (await once(child, "close")) as [number];
    expect(code).toBe(0);
  });

  it.each([
    [["--every", "soon", "--", "true"], "--every takes a time from 1s to 168h"],
    [["--every", "0s", "--", "true"], "--every takes a time"],
    [["--every", "30m"], "--every needs a command to run"],
  ])("refuses %j in one sentence", async (args, sentence) => {
    const { code, err } = await tidemark("heartbeat", ...args);
    expect(code).toBe(2);
    expect(err).toContain(sentence);
    expect(err.trim().split("\n")).toHaveLength(1);
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
    const told = "Remember: the deploy key lives in the blue vault.";
    const learnt = async (first: string): Promise<string[]> => {
      const folder = join(mkdtempSync(join(tmpdir(), "heartbeat-")), "workspace");
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
    expect(await learnt('<tidemark-heartbeat at="x">\nLook.\n</tidemark-heartbeat>')).toEqual([]);
    expect((await learnt("Look.")).join()).toContain("blue vault");
  });
});
