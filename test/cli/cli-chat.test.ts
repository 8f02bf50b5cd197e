import { existsSync } from "node:fs";
import { join } from "node:path";
import { afterAll, describe, expect, it } from "vitest";
import { folder, run, start, type Running } from "../support/cli.ts";
import {
  type MessagesServer,
  type ServerOptions,
  startMessagesServer,
} from "../support/messages-server/index.ts";

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
    const workspace = join(folder(), "w");
    const { code, out, err } = await run(["chat", "--workspace", workspace]);
    expect({ code, out }).toEqual({ code: 1, out: "" });
    expect(err).toMatch(/^tidemark: ANTHROPIC_API_KEY is not set.+"tidemark replay FILE"\.\n$/);
    expect(existsSync(workspace)).toBe(false);
  });

  it("that ends without a word says nothing of calls that nobody made", async () => {
    const server = await serve();
    for (const input of ["", "/help\n/quit"]) {
      const { code, out, err } = await run(["chat", "--workspace", folder()], {
        ...keyed(server),
        input,
      });
      expect([code, err]).toEqual([0, ""]);
      expect(out).not.toMatch(/middleware|saw no call|!/);
    }
  });

  it("says what to install where there is no SDK", async () => {
    const { code, err } = await run(["chat", "--workspace", join(folder(), "w")], {
      env: { ANTHROPIC_API_KEY: "a-key", NODE_OPTIONS: WITHOUT_SDK },
    });
    expect(code).toBe(1);
    expect(err).toBe(
      "tidemark: chat needs the Anthropic SDK, which is not installed: npm install @anthropic-ai/sdk\n",
    );
  });

  it("answers what a pipe says, line by line, with the level behind each reply", async () => {
    const server = await serve();
    const { code, out, err } = await run(["chat", "--workspace", folder()], {
      ...keyed(server),
      input: "Good morning\n\nAnd good evening",
    });
    expect({ code, err }).toEqual({ code: 0, err: "" });
    expect(out).toMatch(
      /You said: Good morning\n\n\[0 % of 192k · no folds\]\nYou said: And good evening\n\n\[0 % of 192k · no folds\]/,
    );
    const [first, second] = server.requests.filter(({ path }) => path.startsWith("/v1/messages"));
    expect(first?.body.stream).toBe(true);
    expect(second?.body.messages).toHaveLength(3);
  });

  it("takes the window the provider lists, and the table's where the list says nothing of it", async () => {
    const input = "/quit";
    expect(
      (
        await run(["chat", "--workspace", folder()], {
          ...keyed(await serve({ window: 300_000 })),
          input,
        })
      ).out,
    ).toContain("· window 300k ·");
    for (const listed of [
      { max_input_tokens: null, capabilities: null },
      { max_input_tokens: "all" },
    ])
      expect(
        (
          await run(["chat", "--workspace", folder()], {
            ...keyed(await serve({ models: { "claude-sonnet-5-5": { listed } } })),
            input,
          })
        ).out,
      ).toContain("· window 1M ·");
  });

  it("remembers in the next chat what was said in the last one", async () => {
    const server = await serve();
    const workspace = folder();
    const first = await run(["chat", "--workspace", workspace], {
      ...keyed(server),
      input: "My cat's name is Whiskerino.\n/quit",
    });
    expect(first.out).toMatch(/1 thing remembered from this conversation/);
    const second = await run(["chat", "--workspace", workspace], {
      ...keyed(server),
      input: "What is my cat called?\n/memory cat\n/quit",
    });
    expect(second.out).toContain("remembers 1 thing");
    expect(second.out).toMatch(/0\.\d\d .*Whiskerino/);
    expect(JSON.stringify(server.requests.at(-1)?.body.system)).toContain("Whiskerino");
  });

  it("keeps under the window it is given, and counts its folds", async () => {
    const server = await serve({
      reply: () => "The log says that all is quiet on the water. ".repeat(60),
    });
    const running = chat(server, folder(), "--window", "12k");
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
    expect(out).toMatch(/\[\d+ % of \d[\d.]*k · \d folds?\]/);
    expect(server.refusals).toEqual([]);
  });

  it("folds when asked to, and says why not when there is nothing to fold", async () => {
    const server = await serve({ reply: () => "A long story of the sea. ".repeat(80) });
    const { out } = await run(["chat", "--workspace", folder()], {
      ...keyed(server),
      input: "/fold\none\n/fold\ntwo\nthree\nfour\n/fold\nfive\n/quit",
    });
    expect(out).toContain("There is nothing to fold yet.");
    expect(out).toContain("Not folded: there is nothing to fold before the last messages.");
    expect(out).toMatch(/▼ \d+ messages folded into a summary/);
    expect(out).toContain("· 1 fold]");
    expect(JSON.stringify(server.requests.at(-1)?.body.messages)).toContain("<tidemark-summary");
  });

  it("knows its own commands, and no others", async () => {
    const server = await serve();
    const { out } = await run(["chat", "--workspace", folder()], {
      ...keyed(server),
      input: "/help\n/memroy\n/memory\n/quit\nnever read",
    });
    for (const name of ["/memory", "/fold", "/quit"]) expect(out).toContain(name);
    expect(out).toContain("There is no /memroy. Did you mean /memory?");
    expect(out).toContain("Nothing yet.");
    expect(server.requests).toEqual([]);
  });

  it("says in one line what the API refused, and goes on", async () => {
    const server = await serve({
      fail: [
        { status: 400, type: "invalid_request_error", message: "messages: something is wrong" },
        { status: 401, type: "authentication_error", message: "invalid x-api-key" },
      ],
    });
    const { code, out } = await run(["chat", "--workspace", folder()], {
      ...keyed(server),
      input: "one\ntwo\nthree",
    });
    expect(code).toBe(0);
    expect(out).toContain("  400: messages: something is wrong\n");
    expect(out).toContain("  the key was refused (invalid x-api-key); check ANTHROPIC_API_KEY\n");
    expect(out).toContain("You said: three");
    expect(server.requests.at(-1)?.body.messages).toHaveLength(1);
  });

  it("stops a reply at Ctrl-C and goes on, and ends at two", async () => {
    const server = await serve({ fail: ["hang", undefined] });
    const running = chat(server, folder());
    await running.until("/help lists");
    running.type("Are you there?");
    while (server.requests.length === 0) await new Promise((resolve) => setImmediate(resolve));
    running.interrupt();
    await running.until("(stopped)");
    running.type("And now?");
    await running.until("You said: And now?");
    await running.until("[0 % of");
    running.interrupt();
    await running.until("Ctrl-C again ends the chat");
    running.interrupt();
    expect((await running.done).code).toBe(0);
  });

  it("closes what it has open when it is told to end, in the middle of a reply too, and remembers", async () => {
    const server = await serve({ fail: [undefined, "hang"] });
    const workspace = folder();
    const running = chat(server, workspace);
    await running.until("/help lists");
    running.type("Remember that my cat is called Whiskerino.");
    await running.until("[0 % of");
    running.type("Are you there?");
    while (server.requests.filter(({ path }) => path.startsWith("/v1/messages")).length < 2)
      await new Promise((resolve) => setImmediate(resolve));
    running.terminate();
    expect((await running.done).code).toBe(0);
    const { out } = await run(["recall", "what is my cat called?", "--workspace", workspace]);
    expect(out).toContain("Whiskerino");
  });

  it("lets no reply command the terminal", async () => {
    const server = await serve({ reply: () => "plain \u001b[2J\u001b]0;owned\u0007 words" });
    const { out } = await run(["chat", "--workspace", folder()], {
      ...keyed(server),
      input: "hello",
    });
    expect(out).toContain("plain [2J]0;owned words");
    expect(out).not.toContain("\u001b");
  });
});
