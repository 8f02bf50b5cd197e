// What a call below the mark costs more through an adapter than by the bare client.
//   npm run bench -- adapters
// Both make the same calls in turn, of a conversation that grows to 100 messages, against the same local server in another process.
import { createOpenAI } from "../node_modules/@ai-sdk/openai/dist/index.js";
import Anthropic from "../node_modules/@anthropic-ai/sdk/index.mjs";
import { type Content, GoogleGenAI } from "@google/genai";
import { Agent } from "../node_modules/@mastra/core/dist/agent/index.js";
import {
  generateText,
  type ModelMessage,
  wrapLanguageModel,
} from "../node_modules/ai/dist/index.js";
import { spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { ChatOpenAI } from "../node_modules/@langchain/openai/dist/index.js";
import { createAgent } from "../node_modules/langchain/dist/index.js";
import OpenAI from "../node_modules/openai/index.mjs";
import { tidemarkMiddleware } from "../src/adapters/ai-sdk.ts";
import { anthropicMiddleware } from "../src/adapters/anthropic.ts";
import { geminiMiddleware } from "../src/adapters/gemini.ts";
import { tidemarkMiddleware as langchainMiddleware } from "../src/adapters/langchain.ts";
import { TidemarkProcessor } from "../src/adapters/mastra.ts";
import { openaiMiddleware, wrapOpenAI } from "../src/adapters/openai.ts";
import { openTidemark, type Tidemark } from "../src/index.ts";
import { median, percentile, record, round } from "./support.ts";

const TURNS = 50;
const ROUNDS = 5;
const MAIN = join(import.meta.dirname, "../src/cli/main.ts");
const WORDS = "The harbour lies still, and the boats wait for the tide of the evening. ".repeat(6);

type Ask = (history: unknown[]) => Promise<unknown[]>;
interface Stack {
  readonly ask: (tidemark: Tidemark | undefined) => Ask;
}

const server = spawn(process.execPath, [join(import.meta.dirname, "support/adapters-server.ts")], {
  stdio: ["ignore", "pipe", "inherit"],
});
const [printed] = (await once(server.stdout, "data")) as [Buffer];
type Server = "responses" | "completions" | "messages" | "gemini";
const url = JSON.parse(printed.toString()) as Record<Server, string>;
const clientOf = (baseURL: string, tidemark: Tidemark | undefined): OpenAI =>
  new OpenAI({
    ...{ baseURL, apiKey: "test" },
    ...(tidemark && { fetch: openaiMiddleware(tidemark) }),
  });

const byResponses =
  (client: OpenAI): Ask =>
  async (input) =>
    (
      await client.responses.create({
        model: "gpt-6.2",
        input: input as OpenAI.Responses.ResponseInput,
      })
    ).output;

const byCompletions =
  (client: OpenAI): Ask =>
  async (history) => {
    const messages = history as OpenAI.ChatCompletionMessageParam[];
    const { choices } = await client.chat.completions.create({ model: "gpt-6.2", messages });
    return choices.map(({ message }) => message);
  };

const STACKS: Readonly<Record<string, Stack>> = {
  anthropic: {
    ask: (tidemark) => {
      const middleware = tidemark ? [anthropicMiddleware(tidemark)] : [];
      const client = new Anthropic({ baseURL: url.messages, apiKey: "test", middleware });
      return async (history) => {
        const messages = history as Anthropic.MessageParam[];
        const asked = { model: "claude-sonnet-5-5", max_tokens: 1_000, messages };
        return [{ role: "assistant", content: (await client.messages.create(asked)).content }];
      };
    },
  },
  gemini: {
    ask: (tidemark) => {
      const httpOptions = {
        baseUrl: url.gemini,
        ...(tidemark && { fetch: geminiMiddleware(tidemark) }),
      };
      const client = new GoogleGenAI({ apiKey: "test", httpOptions });
      return async (history) => {
        const { content: text } = history.pop() as { content: string };
        history.push({ role: "user", parts: [{ text }] });
        const contents = history as Content[];
        const model = "gemini-3.8-flash";
        const { candidates = [] } = await client.models.generateContent({ model, contents });
        return candidates.map(({ content }) => content);
      };
    },
  },
  "openai, responses": {
    ask: (tidemark) => byResponses(clientOf(url.responses, tidemark)),
  },
  "openai, responses, wrapped": {
    ask: (tidemark) => {
      const client = clientOf(url.responses, undefined);
      return byResponses(tidemark ? wrapOpenAI(client, tidemark) : client);
    },
  },
  "openai, chat completions": {
    ask: (tidemark) => byCompletions(clientOf(url.completions, tidemark)),
  },
  "openai, chat completions, wrapped": {
    ask: (tidemark) => {
      const client = clientOf(url.completions, undefined);
      return byCompletions(tidemark ? wrapOpenAI(client, tidemark) : client);
    },
  },
  "ai sdk": {
    ask: (tidemark) => {
      const bare = createOpenAI({ baseURL: url.responses, apiKey: "test" })("gpt-6.2");
      const model = tidemark
        ? wrapLanguageModel({ model: bare, middleware: tidemarkMiddleware(tidemark) })
        : bare;
      const providerOptions = { openai: { store: false } };
      return async (history) =>
        (await generateText({ model, messages: history as ModelMessage[], providerOptions }))
          .responseMessages;
    },
  },
  mastra: {
    ask: (tidemark) => {
      const agent = new Agent({
        ...{ id: "mate", name: "mate", instructions: "Be brief." },
        model: createOpenAI({ baseURL: url.responses, apiKey: "test" })("gpt-6.2") as never,
        inputProcessors: tidemark ? [new TidemarkProcessor(tidemark)] : [],
      });
      const options = { providerOptions: { openai: { store: false } } };
      return async (history) => {
        const { text } = await agent.generate(history as never, options);
        return [{ role: "assistant", content: text }];
      };
    },
  },
  langchain: {
    ask: (tidemark) => {
      const configuration = { baseURL: url.completions };
      const model = new ChatOpenAI({ model: "gpt-6.2", apiKey: "test", configuration });
      const middleware = tidemark ? [langchainMiddleware(tidemark)] : [];
      const agent = createAgent({ model, middleware });
      return async (history) => {
        const { messages } = await agent.invoke({ messages: history as never[] });
        // The state holds the message that was asked with too, as an object of its own.
        history.splice(0, history.length, ...messages.slice(0, -1));
        return messages.slice(-1);
      };
    },
  },
};

/** ms to the first byte of a streamed reply, as a program in any language asks for it. */
async function streamed(base: string, messages: readonly unknown[]) {
  const body = JSON.stringify({ model: "gpt-6.2", stream: true, messages });
  const start = performance.now();
  const response = await fetch(`${base}/chat/completions`, { method: "POST", body });
  const reader = response.body!.getReader();
  let { done } = await reader.read();
  const ms = performance.now() - start;
  while (!done) ({ done } = await reader.read());
  return ms;
}

/** ms by which the first byte of each streamed reply comes later through the proxy. */
async function proxied(): Promise<number[]> {
  const workspace = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
  const proxy = spawn(
    process.execPath,
    [MAIN, "proxy", "--workspace", workspace, "--port", "47471"],
    {
      stdio: ["ignore", "pipe", "inherit"],
      env: { ...process.env, OPENAI_BASE_URL: url.completions },
    },
  );
  await once(proxy.stdout, "data");
  const more: number[] = [];
  const messages: unknown[] = [];
  for (let turn = 0; turn < TURNS; turn += 1) {
    messages.push({ role: "user", content: `${turn}: ${WORDS}` });
    const direct = await streamed(url.completions, messages);
    more.push((await streamed("http://127.0.0.1:47471/openai/v1", messages)) - direct);
    messages.push({ role: "assistant", content: `Aye. ${WORDS}` });
  }
  proxy.kill();
  await once(proxy, "close");
  rmSync(workspace, { recursive: true });
  return more.slice(1);
}

/** ms that each call took longer than the bare client's, which made the same call beside it. */
async function played({ ask }: Stack): Promise<number[]> {
  const workspace = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
  const tidemark = await openTidemark({ workspace, distil: "extractive", listen: false });
  const ways = [ask(undefined), ask(tidemark)].map((way) => ({ way, history: [] as unknown[] }));
  const times: [number[], number[]] = [[], []];
  for (let turn = 0; turn < TURNS; turn += 1)
    for (const [at, { way, history }] of ways.entries()) {
      history.push({ role: "user", content: `${turn}: ${WORDS}` });
      const start = performance.now();
      const reply = await way(history);
      times[at as 0 | 1].push(performance.now() - start);
      history.push(...reply);
      await tidemark.idle();
    }
  await tidemark.close();
  rmSync(workspace, { recursive: true });
  // The first call opens things.
  return times[1].map((ms, turn) => ms - (times[0][turn] ?? 0)).slice(1);
}

const figures: Record<string, object> = {};
async function measure(name: string, play: () => Promise<number[]>): Promise<void> {
  const rounds: number[][] = [];
  for (let round = 0; round < ROUNDS; round += 1) rounds.push(await play());
  const of = (share: number): number => round(median(rounds.map((one) => percentile(one, share))));
  figures[name] = { "ms more, median": of(0.5), "ms more, p99": of(0.99) };
}
for (const [name, stack] of Object.entries(STACKS)) await measure(name, () => played(stack));
await measure("proxy, to the first byte", proxied);
record("adapters", { turns: TURNS, rounds: ROUNDS, ...figures });
server.kill();
process.exit(0);
