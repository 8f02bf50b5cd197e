import { execFile } from "node:child_process";
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { promisify } from "node:util";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import {
  type Json,
  type MessagesServer,
  startMessagesServer,
} from "../support/messages-server/index.ts";
import { packed } from "../support/packed.ts";
import { blocks, toolsPage } from "../support/readme.ts";

const execute = promisify(execFile);
const examples = blocks("ts", toolsPage);
let folder: string;
let server: MessagesServer;

/** Anthropic's own memory tool is not asked, it is looked into. */
const inputFor = (tool: Json): Json =>
  tool.name === "memory"
    ? { command: "view", path: "/memories/team/keys.md" }
    : { query: "deploy key" };

/** Calls the first tool with a question; then says what came of it. */
const asksMemory = ({ messages, tools }: Json) => {
  const last = (messages as Json[]).findLast(({ role }) => role === "user");
  const answered = JSON.stringify(last?.content).includes("tool_result");
  return answered
    ? `It says: ${JSON.stringify(last?.content)}`
    : (tools as Json[])
        .slice(0, 1)
        .map((tool) => ({ type: "tool_use", name: tool.name, input: inputFor(tool) }));
};

beforeAll(async () => {
  folder = mkdtempSync(join((await packed()).project, "tools-"));
  server = await startMessagesServer({ reply: asksMemory });
  writeFileSync(join(folder, "package.json"), '{ "type": "module" }');
  examples.forEach((code, index) => writeFileSync(join(folder, `snippet-${index}.ts`), code));
  const tidemark = await openTidemark({ workspace: join(folder, "workspace") });
  await tidemark.memory.save("The deploy key lives in the blue vault.");
  await tidemark.close();
});
afterAll(async () => {
  rmSync(folder, { recursive: true, force: true, maxRetries: 5 });
  await server.close();
});

describe("docs/tools.md", () => {
  it.each([0, 1])("has examples that run as they stand and reach memory: %i", async (index) => {
    const { stdout, stderr } = await execute(process.execPath, [`snippet-${index}.ts`], {
      cwd: folder,
      env: {
        ...process.env,
        ANTHROPIC_BASE_URL: server.url,
        ANTHROPIC_API_KEY: "none is needed here",
      },
    });
    expect(stderr).toBe("");
    expect(stdout).toContain("The deploy key lives in the blue vault.");
    expect(server.refusals).toEqual([]);
  });

  it("names every tool", async () => {
    const tidemark = await openTidemark({ workspace: false, inject: "self-edit" });
    expect(tidemark.tools().filter(({ name }) => !toolsPage.includes(`\`${name}\``))).toEqual([]);
    await tidemark.close();
  });
});
