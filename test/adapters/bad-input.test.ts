// What every adapter says of a wrong use, a body it cannot read, a request that can never fit, a speaker nobody can tell.
import { createOpenAI } from "@ai-sdk/openai";
import Anthropic from "@anthropic-ai/sdk";
import { GoogleGenAI } from "@google/genai";
import { ChatOpenAI } from "@langchain/openai";
import { generateText, wrapLanguageModel } from "ai";
import { createAgent } from "langchain";
import OpenAI from "openai";
import { describe, expect, it } from "vitest";
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
import { afterwards, freshTidemark, MODEL, prose, typesOf } from "../support/anthropic.ts";
import { serveGemini } from "./stacks/gemini.ts";
import { serveCompletions, serveMessages, serveResponses } from "./stacks/servers.ts";
import type { Stack } from "./stacks/stack.ts";

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

/** A client whose calls go through the adapter. */
interface Asked {
  readonly name: string;
  readonly serve: Stack["serve"];
  readonly ask: (
    url: string,
    tidemark: Tidemark,
    way: Way,
  ) => (words: string, system?: string) => Promise<unknown>;
  /** Who sends the body itself, and where. */
  readonly posts?: readonly [
    make: (tidemark: Tidemark, out: typeof fetch) => typeof fetch,
    path: string,
  ];
  /** What a request that can never fit is refused with, in the stack's own way. */
  readonly refused: object;
}
interface Way {
  readonly identity?: () => never;
}

const gpt = (baseURL: string) => createOpenAI({ baseURL, apiKey: "test" })("gpt-6.2");
const tooLong = { code: "window" };

const ASKED: Asked[] = [
  {
    name: "Anthropic's middleware",
    serve: serveMessages,
    ask: (baseURL, tidemark, way) => {
      const middleware = [anthropicMiddleware(tidemark, way)];
      const anthropic = new Anthropic({ ...client, baseURL, middleware });
      return (content, system) =>
        anthropic.messages.create({
          ...{ model: MODEL, max_tokens: 100, messages: [{ role: "user", content }] },
          ...(system && { system }),
        });
    },
    posts: [
      (tidemark, out) => (url, init) => {
        const request = { url, headers: new Headers(), ...init } as ApiRequest;
        return anthropicMiddleware(tidemark)(request, (sent) => out(sent.url, sent as never), {});
      },
      "/v1/messages",
    ],
    refused: tooLong,
  },
  {
    name: "OpenAI's responses",
    serve: serveResponses,
    ask: (baseURL, tidemark, way) => {
      const openai = new OpenAI({
        ...client,
        baseURL,
        fetch: openaiMiddleware(tidemark, way),
      });
      return (input, instructions) =>
        openai.responses.create({ model: "gpt-6.2", input, instructions });
    },
    posts: [(tidemark, out) => openaiMiddleware(tidemark, { fetch: out }), "/responses"],
    refused: { status: 400, code: "context_length_exceeded" },
  },
  {
    name: "OpenAI's chat completions, wrapped",
    serve: serveCompletions,
    ask: (baseURL, tidemark, way) => {
      const openai = wrapOpenAI(new OpenAI({ ...client, baseURL }), tidemark, way);
      return (content, system = "Be brief.") =>
        openai.chat.completions.create({
          model: "gpt-6.2",
          messages: [
            { role: "system", content: system },
            { role: "user", content },
          ],
        });
    },
    posts: [(tidemark, out) => openaiMiddleware(tidemark, { fetch: out }), "/chat/completions"],
    refused: { status: 400, code: "context_length_exceeded" },
  },
  {
    name: "the AI SDK",
    serve: serveResponses,
    ask: (url, tidemark) => {
      const middleware = tidemarkMiddleware(tidemark);
      const model = wrapLanguageModel({ model: gpt(url), middleware });
      return (prompt, instructions) => generateText({ model, prompt, instructions, maxRetries: 0 });
    },
    refused: tooLong,
  },
  {
    name: "Mastra's processor",
    serve: serveResponses,
    ask: (url, tidemark) => {
      const { model } = new TidemarkProcessor(tidemark).processInputStep({ model: gpt(url) });
      return (prompt, instructions) => generateText({ model, prompt, instructions, maxRetries: 0 });
    },
    refused: tooLong,
  },
  {
    name: "LangChain",
    serve: serveCompletions,
    ask: (baseURL, tidemark, way) => {
      const model = new ChatOpenAI({
        ...{ model: "gpt-6.2", apiKey: "test", maxRetries: 0 },
        configuration: { baseURL, logLevel: "off" },
      });
      const middleware = [langchainMiddleware(tidemark, way)];
      return async (content, systemPrompt = "Be brief.") =>
        createAgent({ model, tools: [], middleware, systemPrompt }).invoke({
          messages: [{ role: "user", content }],
        });
    },
    refused: { cause: tooLong },
  },
  {
    name: "Gemini",
    serve: serveGemini,
    ask: (baseUrl, tidemark, way) => {
      const httpOptions = { baseUrl, fetch: geminiMiddleware(tidemark, way) };
      const google = new GoogleGenAI({ apiKey: "test", httpOptions });
      return (contents, systemInstruction) =>
        google.models.generateContent({
          ...{ model: "gemini-3.8-flash", contents },
          config: { ...(systemInstruction && { systemInstruction }) },
        });
    },
    posts: [
      (tidemark, out) => geminiMiddleware(tidemark, { fetch: out }),
      "/v1beta/models/gemini-3.8-flash:generateContent",
    ],
    refused: { status: 400 },
  },
];

describe.each(ASKED)("$name", ({ name, ask, serve, posts, refused }) => {
  async function opened(options?: object, way: Way = {}) {
    const api = await serve();
    afterwards(() => api.close());
    const { tidemark, events } = await freshTidemark({ distil: "extractive", ...options });
    return { api, tidemark, events, say: ask(api.url, tidemark, way) };
  }

  it("refuses what can never fit in the stack's own way, and sends nothing", async () => {
    const { api, say } = await opened({ window: { tokens: 1_000, reserve: 1 } });
    await expect(say("Hello.", prose(3_000, 1))).rejects.toMatchObject(refused);
    expect(api.requests).toEqual([]);
    await say("Hello.");
    expect(api.requests).toHaveLength(1);
  });

  // The AI SDK's and Mastra's users are named by values.
  it.skipIf(/SDK|Mastra/.test(name))(
    "answers nobody where the speaker cannot be told",
    async () => {
      const identity = (): never => {
        throw new Error("who is it?");
      };
      const { api, say, tidemark } = await opened({}, { identity });
      await expect(say("Hello.")).rejects.toThrow(/identity\(request\) failed: who is it\?/);
      expect([api.requests, await tidemark.history.list()]).toEqual([[], []]);
    },
  );

  it.skipIf(!posts)("passes a body that is no conversation as it is, and tells", async () => {
    const { tidemark, events } = await freshTidemark();
    const [make, path] = posts!;
    const bodies = ["no JSON", "[1]", "7", "", "{}", '{"messages":7,"input":7,"contents":7}'];
    const sent: unknown[] = [];
    const through = make(tidemark, (_, init) =>
      Promise.resolve(Response.json(sent.push(init?.body))),
    );
    for (const body of bodies) await through(`http://127.0.0.1${path}`, { method: "POST", body });
    expect(sent).toEqual(bodies);
    expect(new Set(typesOf(events))).toEqual(new Set(["passed"]));
    expect(await tidemark.history.list()).toEqual([]);
  });
});
