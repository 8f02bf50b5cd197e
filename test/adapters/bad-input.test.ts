// What every adapter says of a wrong use, a body it cannot read, a request that can never fit, a speaker nobody can tell.
import OpenAI from "openai";
import { expect, it } from "vitest";
import { tidemarkMiddleware, tidemarkTools } from "../../src/adapters/ai-sdk.ts";
import type { ApiRequest } from "../../src/adapters/anthropic.ts";
import { anthropicMiddleware } from "../../src/adapters/anthropic.ts";
import { claudeHooks } from "../../src/adapters/claude-agent.ts";
import { geminiMiddleware } from "../../src/adapters/gemini.ts";
import { tidemarkMiddleware as langchainMiddleware } from "../../src/adapters/langchain.ts";
import { TidemarkProcessor } from "../../src/adapters/mastra.ts";
import { createServer } from "../../src/adapters/mcp.ts";
import { openaiMiddleware, wrapOpenAI } from "../../src/adapters/openai.ts";
import type { Tidemark } from "../../src/index.ts";
import { afterwards, freshTidemark, typesOf } from "../support/anthropic.ts";
import { STACKS } from "./stacks/all.ts";

const client = { apiKey: "test", maxRetries: 0, logLevel: "off" } as const;

type Make = (tidemark: Tidemark, options?: object) => unknown;
/** How each is made, whether it waits for calls, and whether it has options. */
const MAKERS: [name: string, make: Make, waits: boolean, hasOptions: boolean][] = [
  ["anthropicMiddleware", anthropicMiddleware, true, true],
  ["openaiMiddleware", openaiMiddleware, true, true],
  ["wrapOpenAI", (of, options) => wrapOpenAI(new OpenAI(client), of, options), true, true],
  ["tidemarkMiddleware", (tidemark) => tidemarkMiddleware(tidemark), true, false],
  ["tidemarkTools", tidemarkTools, false, true],
  ["TidemarkProcessor", (tidemark) => new TidemarkProcessor(tidemark), true, false],
  ["tidemarkMiddleware", langchainMiddleware, true, true],
  ["geminiMiddleware", geminiMiddleware, true, true],
  ["claudeHooks", (tidemark) => claudeHooks(tidemark), true, false],
  ["createServer", createServer, false, true],
];

it.each(MAKERS)("%s says what is wrong with it", async (name, make, waits, hasOptions) => {
  const { tidemark, events } = await freshTidemark();
  const made = (given: unknown) => (): unknown => make(given as Tidemark);
  // A copy, or the object of another copy of the package, is not the one that was opened.
  for (const given of [{}, undefined, null, "tidemark", { ...tidemark }])
    expect(made(given)).toThrow(
      new RegExp(`^${name} needs the object that openTidemark gave; [^.]+\\?$`),
    );
  expect(made(Promise.resolve(tidemark))).toThrow(
    `${name} was given a promise: write \`await openT`,
  );
  if (hasOptions)
    expect(() => make(tidemark, { identty: 1 })).toThrow(
      new RegExp(`^(?:${name}|tools) knows no (?:option )?"identty"; `),
    );
  make(tidemark);
  await tidemark.close();
  const reason = expect.stringMatching(`^no call came through ${name} before this Tidemark was`);
  expect(events).toEqual(waits ? [{ type: "passed", reason }] : []);
});

const window = { code: "window" };
const openai = { status: 400, code: "context_length_exceeded" };
/** In each stack's own way. */
const refusalOf = (name: string): object =>
  /^OpenAI/.test(name)
    ? openai
    : /^(?:Gemini|the proxy)/.test(name)
      ? { status: 400 }
      : name === "LangChain"
        ? { cause: { cause: window } }
        : window;

it.each(STACKS)(
  "$name refuses what can never fit, and sends nothing",
  async ({ name, serve, talk }) => {
    const api = await serve();
    afterwards(() => api.close());
    const { tidemark } = await freshTidemark({
      distil: "extractive",
      window: { tokens: 20, reserve: 1 },
    });
    await expect(talk(api, tidemark).say("Hello.")).rejects.toMatchObject(refusalOf(name));
    expect(api.requests).toEqual([]);
  },
);

// The AI SDK's and Mastra's users are named by values, and a proxy's by nobody.
it.each(STACKS.filter(({ name }) => !/SDK|Mastra|proxy|completions/.test(name)))(
  "$name answers nobody where the speaker cannot be told",
  async ({ serve, talk }) => {
    const api = await serve();
    afterwards(() => api.close());
    const { tidemark } = await freshTidemark();
    const asked = talk(api, tidemark).say("Hello.", { user: "?" });
    await expect(asked).rejects.toThrow(/identity\(request\) failed: who is it\?/);
    expect([api.requests, await tidemark.history.list()]).toEqual([[], []]);
  },
);

type Through = (tidemark: Tidemark, out: typeof fetch) => typeof fetch;
const throughOpenAI: Through = (tidemark, out) => openaiMiddleware(tidemark, { fetch: out });
const POSTS: [path: string, through: Through][] = [
  [
    "/v1/messages",
    (tidemark, out) => (url, init) => {
      const request = { url, headers: new Headers(), ...init } as ApiRequest;
      return anthropicMiddleware(tidemark)(request, (sent) => out(sent.url, sent as never), {});
    },
  ],
  ["/responses", throughOpenAI],
  ["/chat/completions", throughOpenAI],
  [
    "/v1beta/models/gemini-3.8-flash:generateContent",
    (tidemark, out) => geminiMiddleware(tidemark, { fetch: out }),
  ],
];
it.each(POSTS)(
  "a body that is no conversation passes as it is, and is told of: %s",
  async (path, through) => {
    const { tidemark, events } = await freshTidemark();
    const bodies = ["no JSON", "[1]", "7", "", "{}", '{"messages":7,"input":7,"contents":7}'];
    const sent: unknown[] = [];
    const send = through(tidemark, async (_, init) => Response.json(sent.push(init?.body)));
    for (const body of bodies) await send(`http://127.0.0.1${path}`, { method: "POST", body });
    expect(sent).toEqual(bodies);
    expect(new Set(typesOf(events))).toEqual(new Set(["passed"]));
    expect(await tidemark.history.list()).toEqual([]);
  },
);
