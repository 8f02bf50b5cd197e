import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { run, start, type Running } from "../support/cli.ts";
import {
  type MessagesServer,
  type ServerOptions,
  startMessagesServer,
} from "../support/messages-server/index.ts";
import { fileFolder } from "../support/afterwards.ts";

const servers: MessagesServer[] = [];
afterAll(async () => void (await Promise.all(servers.map((server) => server.close()))));

const serve = async (options: ServerOptions = {}): Promise<MessagesServer> => {
  const server = await startMessagesServer(options);
  servers.push(server);
  return server;
};
const keyed = (server: MessagesServer): { env: NodeJS.ProcessEnv } => ({
  env: { ANTHROPIC_API_KEY: "a-key", ANTHROPIC_BASE_URL: server.url },
});
const chat = (server: MessagesServer, workspace: string, ...more: string[]): Running =>
  start(["chat", "--workspace", workspace, ...more], keyed(server));

/** Makes the loader say of the SDK what it says of a package that is not there. */
const WITHOUT_SDK = `--import=data:text/javascript,${encodeURIComponent(
  'import{registerHooks}from"node:module";registerHooks({resolve(name,context,next){if(name==="@anthropic-ai/sdk")throw Object.assign(new Error("gone"),{code:"ERR_MODULE_NOT_FOUND"});return next(name,context)}})',
)}`;

describe("chat", () => {
  it("says without a key that there is nobody to talk to, and offers replay", async () => {
    const workspace = join(fileFolder(), "w");
    const { code, out, err } = await run(["chat", "--workspace", workspace]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^tidemark: ANTHROPIC_API_KEY is not set.+"tidemark replay FILE"\.\n$/);
    expect(existsSync(workspace)).toBe(false);
  });

  it("says what to install where there is no SDK", async () => {
    const { code, err } = await run(["chat", "--workspace", join(fileFolder(), "w")], {
      env: { ANTHROPIC_API_KEY: "a-key", NODE_OPTIONS: WITHOUT_SDK },
    });
    expect(code).toBe(1);
    expect(err).toBe(
      "tidemark: chat needs the Anthropic SDK, which is not installed: npm install @anthropic-ai/sdk\n",
    );
  });

  it("answers what a pipe says, line by line, and goes on behind a refusal", async () => {
    const message = "something is wrong";
    const server = await serve({
      fail: [undefined, { status: 400, type: "invalid_request_error", message }],
    });
    const { code, out, err } = await run(["chat", "--workspace", fileFolder()], {
      ...keyed(server),
      input: "/help\nGood morning\n\nAnd good evening\nAnd good night",
    });
    expect(code).toBe(1);
    expect(err).toMatch(/^ {2}No reply: .*something is wrong.*\n$/);
    expect(out).toMatch(/\/memory.+\/fold.+\/help/);
    expect(out).toMatch(/You said: Good morning\n[^]+You said: And good night/);
    const asked = server.requests.filter(({ path }) => path.startsWith("/v1/messages"));
    expect(asked.map(({ body }) => body.stream)).toEqual([true, true, true]);
    expect(asked.at(-1)?.body.messages).toHaveLength(3);
  });

  it("remembers in the next chat what was said in the last one", async () => {
    const server = await serve();
    const workspace = fileFolder();
    const first = await run(["chat", "--workspace", workspace], {
      ...keyed(server),
      input: "My cat's name is Whiskerino.",
    });
    expect(first.out).toContain("✓ remembered");
    const second = await run(["chat", "--workspace", workspace], {
      ...keyed(server),
      input: "What is my cat called?\n/memory cat",
    });
    expect(second.out).toContain("1 memory");
    expect(second.out).toMatch(/0\.\d\d .*Whiskerino/);
    const asked = server.requests.findLast(({ body }) => body.stream === true);
    expect(JSON.stringify(asked?.body.system)).toContain("Whiskerino");
  });

  it("keeps under the window it is given", async () => {
    const server = await serve({
      reply: () => "The log says that all is quiet on the water. ".repeat(60),
    });
    const running = chat(server, fileFolder(), "--window", "12k");
    for (let entry = 1; entry <= 14; entry++) {
      running.type(
        `Entry ${entry}: the pilot boat left at ${entry}:15. ${"Nothing else of note was seen from the tower. ".repeat(12)}`,
      );
    }
    await running.until("▼");
    running.end();
    const { out, code } = await running.done;
    expect(code).toBe(0);
    expect(out).toMatch(/▼ \d+ messages folded into a summary: [\d.]+k → [\d.]+k tokens/);
    expect(server.refusals).toEqual([]);
  });

  it("folds when asked to, and says why not when there is nothing to fold", async () => {
    const server = await serve({ reply: () => "A long story of the sea. ".repeat(80) });
    const { out } = await run(["chat", "--workspace", fileFolder()], {
      ...keyed(server),
      input: "/fold\none\n/fold\ntwo\nthree\nfour\n/fold\nfive",
    });
    expect(out).toContain("Not folded: there is nothing to fold before the last messages.");
    expect(out).toMatch(/▼ \d+ messages folded into a summary/);
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain("<tidemark-summary");
  });

  it("lets no reply command the terminal", async () => {
    const server = await serve({ reply: () => "plain \u001b[2J\u001b]0;owned\u0007 words" });
    const { out } = await run(["chat", "--workspace", fileFolder()], {
      ...keyed(server),
      input: "hello",
    });
    expect(out).toContain("plain [2J]0;owned words");
    expect(out).not.toContain("\u001b");
  });
});
