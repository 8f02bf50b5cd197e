import { appendFileSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it, vi } from "vitest";
import { claudeHooks } from "../../../src/adapters/claude-agent.ts";
import type { Tidemark } from "../../../src/index.ts";
import { agentLog } from "../../support/agent-log.ts";
import { freshFolder, freshTidemark, typesOf } from "../../support/anthropic.ts";
import { freshFolder as freshPlace } from "../../support/afterwards.ts";
import { runApart } from "../../support/cli.ts";
import { executeHere } from "../../support/cli-here.ts";

type Event = keyof ReturnType<typeof claudeHooks>;

const KEY = "The deploy key of the harbour lives in the blue vault.";
const rules = { distil: "extractive" } as const;

/** A session whose hooks are called as the agent calls them. */
function sessionOf(tidemark: Tidemark, hooks = claudeHooks(tidemark), id = "session") {
  const log = agentLog(id);
  const call = async (event: Event, more: object = {}): Promise<string> => {
    const about = { session_id: id, transcript_path: log.path, cwd: "/boats" };
    const given = { ...about, hook_event_name: event, ...more };
    const answer: object = (await hooks[event][0]?.hooks[0]?.(given)) ?? {};
    const { hookSpecificOutput: told } = answer as {
      hookSpecificOutput?: { hookEventName: string; additionalContext: string };
    };
    if (told === undefined) expect(answer).toEqual({});
    else expect(told.hookEventName).toBe(event);
    if (told) log.told(told.additionalContext);
    return told?.additionalContext ?? "";
  };
  return { log, call, prompt: (prompt: string) => call("UserPromptSubmit", { prompt }) };
}

const said = async (tidemark: Tidemark, conversation = "session") =>
  (await tidemark.history.read({ conversation })).messages.map(({ role, text }) => [role, text]);

describe("claudeHooks", () => {
  it("tell a session what is known, once, and again behind a compaction", async () => {
    const { tidemark } = await freshTidemark(rules);
    await tidemark.memory.save(KEY);
    const { log, call, prompt } = sessionOf(tidemark);
    // No start is told of.
    expect(await prompt("Hello there.")).toContain(KEY);
    log.turn("Hello there.", "Aye.");
    expect(await prompt("Where is the deploy key of the harbour?")).toBe("");
    log.compact();
    expect(await call("SessionStart", { source: "compact" })).toContain(KEY);
    expect(await prompt("Where is the deploy key of the harbour?")).toBe("");
    // Another process, which has the log alone.
    const resumed = sessionOf(tidemark);
    writeFileSync(resumed.log.path, readFileSync(log.path));
    expect(await resumed.call("SessionStart", { source: "resume" })).toBe("");
  });

  it("recall what a prompt asks for and the session was not told, in few words", async () => {
    const { tidemark } = await freshTidemark(rules);
    const { call, prompt } = sessionOf(tidemark);
    await call("SessionStart", { source: "startup" });
    await tidemark.memory.save(KEY);
    expect(await prompt("What a fine day it is at sea.")).toBe("");
    expect(await call("UserPromptSubmit", { prompt: KEY, source: "schedule_wakeup" })).toBe("");
    const asked = "Where is the deploy key of the harbour?";
    expect(await prompt(asked)).toMatch(/^<tidemark-recall>[^]*blue vault/);
    expect(await prompt(asked)).toBe("");
  });

  it("read what people and the model said, and nothing else, each word once", async () => {
    const { tidemark } = await freshTidemark(rules);
    const { log, call } = sessionOf(tidemark);
    log.turn("My boat is called Zephyrine.", "A fine name.");
    log.say(["user", "<system-reminder>Be brief.</system-reminder>", { isMeta: true }]);
    await call("PreCompact", { trigger: "auto", custom_instructions: null });
    // Saved before anything is left out.
    const facts = (await tidemark.memory.list()).map(({ content }) => content);
    expect(facts.join()).toContain("My boat is called Zephyrine.");
    log.compact();
    log.turn("It lies at pier 7.", "Noted.");
    const all = [
      ["user", "My boat is called Zephyrine."],
      ["assistant", "A fine name."],
      ["user", "It lies at pier 7."],
      ["assistant", "Noted."],
    ];
    for (let times = 0; times < 2; times++) {
      await call("Stop", { stop_hook_active: false, last_assistant_message: "Noted." });
      expect(await said(tidemark)).toEqual(all);
    }
    expect(await tidemark.history.list()).toHaveLength(1);
  });

  it.each([0, 1])("wait for a log that is written a little later (turns before: %i)", async (n) => {
    const { tidemark } = await freshTidemark(rules);
    const { log, call } = sessionOf(tidemark);
    if (n > 0) log.turn("Hello.", "Aye.");
    const before = n > 0 ? readFileSync(log.path, "utf8") : "";
    const prompt_id = log.turn("And the gull?", "Aye.");
    const late = readFileSync(log.path, "utf8").slice(before.length);
    if (n > 0) writeFileSync(log.path, before);
    else rmSync(log.path);
    setTimeout(() => appendFileSync(log.path, late), 30);
    await call("Stop", { prompt_id, last_assistant_message: "Aye." });
    expect(await said(tidemark)).toHaveLength(2 * n + 2);
  });

  it("keep two users apart, and sub-agents out", async () => {
    const { tidemark } = await freshTidemark(rules);
    for (const user of ["ada", "bob"]) {
      const view = tidemark.as({ user });
      const { log, call } = sessionOf(view, claudeHooks(view), user);
      log.turn(`My boat is called ${user}ine.`, "Aye.");
      await call("Stop");
      expect(await call("Stop", { agent_id: "a1" })).toBe("");
    }
    const known = await sessionOf(tidemark.as({ user: "ada" })).prompt("Hello there.");
    expect(known).toContain("adaine");
    expect(known).not.toContain("bobine");
  });

  it("never fail an agent: trouble is told, and where it is off nothing is said", async () => {
    const { tidemark, events } = await freshTidemark(rules);
    await tidemark.memory.save(KEY);
    const { log, call } = sessionOf(tidemark);
    expect(await call("Stop")).toBe("");
    writeFileSync(log.path, '{"torn');
    expect(await call("PreCompact")).toBe("");
    expect(typesOf(events).filter((type) => type === "degraded")).toHaveLength(2);
    await tidemark.close();
    expect(await call("UserPromptSubmit", { prompt: "Hello there." })).toBe("");
    expect(typesOf(events)).toContain("passed");
    vi.stubEnv("TIDEMARK", "off");
    const { tidemark: off } = await freshTidemark(rules);
    vi.unstubAllEnvs();
    expect(await sessionOf(off).prompt("Hello there.")).toBe("");
    expect(() => claudeHooks({} as Tidemark)).toThrow(/openTidemark/);
  });
});

describe("tidemark hook", () => {
  const hook = async (args: readonly string[], input: unknown) => {
    const text = typeof input === "string" ? input : JSON.stringify(input);
    const { code, out, err } = await runApart(["hook", ...args], { input: text });
    expect(code).toBe(0);
    return { out, err };
  };

  it("answers for a program of its own: what is known, what was said", async () => {
    const workspace = freshFolder();
    const { tidemark } = await freshTidemark({ ...rules, workspace });
    await tidemark.memory.save(KEY);
    await tidemark.close();
    const log = agentLog("session");
    const about = { session_id: "session", transcript_path: log.path, cwd: "/boats" };
    const started = await hook(["SessionStart", "--workspace", workspace], about);
    expect(JSON.parse(started.out)).toMatchObject({
      hookSpecificOutput: { hookEventName: "SessionStart" },
    });
    expect(started).toMatchObject({ err: "", out: expect.stringContaining("blue vault") });
    log.turn("My boat is called Zephyrine.", "A fine name.");
    const stopped = await hook(["Stop", "--workspace", workspace], about);
    expect(stopped).toEqual({ out: "{}\n", err: "" });
    const { tidemark: later } = await freshTidemark({ ...rules, workspace });
    expect(await said(later)).toHaveLength(2);
  });

  it("holds no agent up, whatever it is given", async () => {
    const none = join(freshPlace(), "none");
    const ran = await Promise.all([
      hook(["Stop", "--workspace", none], {}),
      hook(["Stop"], "no JSON"),
      executeHere(["hook", "PostToolUse"]),
      // Claude Code takes the usual exit code, 2, for a refusal of the prompt.
      executeHere(["hook", "Stop", "--workspce", none]),
    ]);
    const lines = ran.map(({ err }) => err.trim().split("\n"));
    expect(lines).toEqual([
      [expect.stringMatching(/no workspace at/)],
      [expect.stringMatching(/hook takes the JSON of a hook on stdin/)],
      [expect.stringMatching(/hook takes SessionStart, UserPromptSubmit/)],
      [expect.stringMatching(/--workspace/)],
    ]);
    for (const one of ran) expect("code" in one ? one.code : 0).toBe(0);
  });
});
