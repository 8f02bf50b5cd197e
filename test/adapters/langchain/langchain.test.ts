import { ChatAnthropic } from "@langchain/anthropic";
import { type BaseMessage, ToolMessage } from "@langchain/core/messages";
import { MemorySaver } from "@langchain/langgraph";
import { ChatOpenAI } from "@langchain/openai";
import { createAgent, createMiddleware, tool } from "langchain";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { anthropicMiddleware } from "../../../src/adapters/anthropic.ts";
import { tidemarkMiddleware } from "../../../src/adapters/langchain.ts";
import type { Tidemark } from "../../../src/index.ts";
import { freshServer, freshTidemark, MODEL, prose, spoken } from "../../support/anthropic.ts";
import { afterwards } from "../../support/afterwards.ts";
import { startCompletionsServer } from "../../support/completions-server.ts";
import { said, startResponsesServer } from "../../support/responses-server.ts";
import { DISTILLED } from "../stacks/stack.ts";

type Json = Record<string, unknown>;
type Agent = ReturnType<typeof createAgent>;

const SMALL = { window: { tokens: 4_000, reserve: 1 } };
const isDistilling = (body: Json): boolean => JSON.stringify(body).includes("[tidemark] distil");
const line = (turn: number): string => `Turn ${turn}: my boat is Zephyrine. ${prose(240, turn)}`;

/** Says so many things, each with the whole state that came before. */
async function loop(agent: Agent, turns: number, tidemark: Tidemark): Promise<BaseMessage[]> {
  let messages: BaseMessage[] = [];
  for (let turn = 0; turn < turns; turn++) {
    const asked = [...messages, { role: "user", content: line(turn) }];
    ({ messages } = (await agent.invoke({ messages: asked as never[] })) as {
      messages: BaseMessage[];
    });
    await tidemark.idle();
  }
  return messages;
}

async function completions(options: Parameters<typeof startCompletionsServer>[0] = {}) {
  const api = await startCompletionsServer({
    reply: (body) => ({ content: isDistilling(body) ? DISTILLED : `Aye. ${prose(60, 3)}` }),
    ...options,
  });
  afterwards(() => api.close());
  const configuration = { baseURL: api.url, logLevel: "off" } as const;
  return { api, model: new ChatOpenAI({ model: "gpt-6.2", apiKey: "test", configuration }) };
}

async function folded(tidemark: Tidemark): Promise<void> {
  const [conversation, ...others] = await tidemark.history.list();
  expect(others).toEqual([]);
  expect(conversation!.folds).toBeGreaterThan(0);
  expect((await tidemark.memory.list()).length).toBeGreaterThan(0);
}

describe("an agent of LangChain's", () => {
  it("is folded over OpenAI's Responses, reasoning and all", async () => {
    const api = await startResponsesServer({
      reply: (body) => [
        { type: "reasoning", summary: [], encrypted_content: "x".repeat(200) },
        said(isDistilling(body) ? DISTILLED : `Aye. ${prose(60, 3)}`),
      ],
    });
    afterwards(() => api.close());
    const { tidemark } = await freshTidemark(SMALL);
    const model = new ChatOpenAI({
      ...{ model: "gpt-6.2", apiKey: "test", useResponsesApi: true, zdrEnabled: true },
      configuration: { baseURL: api.url },
    });
    const systemPrompt = "Be brief.";
    const middleware = [tidemarkMiddleware(tidemark)];
    await loop(createAgent({ model, systemPrompt, middleware }), 12, tidemark);
    expect(api.refusals).toEqual([]);
    await folded(tidemark);
  });

  it.each(["agent", "client"])("is folded over Anthropic's API, by its %s", async (way) => {
    const server = await freshServer();
    const { tidemark } = await freshTidemark({ window: { tokens: 8_000, reserve: 1 } });
    const model = new ChatAnthropic({
      ...{ model: MODEL, apiKey: "test", anthropicApiUrl: server.url, maxTokens: 2_000 },
      thinking: { type: "adaptive" },
      clientOptions: way === "client" ? { middleware: [anthropicMiddleware(tidemark)] } : {},
    });
    const middleware = way === "agent" ? [tidemarkMiddleware(tidemark)] : [];
    const state = await loop(createAgent({ model, middleware }), 16, tidemark);
    expect(server.refusals).toEqual([]);
    await folded(tidemark);
    const thoughts = (value: unknown): number =>
      JSON.stringify(value).split('"type":"thinking"').length - 1;
    expect(thoughts(state)).toBeGreaterThan(10);
    expect(thoughts(spoken(server).at(-1)!.body)).toBeGreaterThan(0);
  });

  it("keeps two threads of a checkpointer apart, at once", async () => {
    const { api, model } = await completions();
    const { tidemark } = await freshTidemark(SMALL);
    const checkpointer = new MemorySaver();
    const agent = createAgent({ model, middleware: [tidemarkMiddleware(tidemark)], checkpointer });
    for (let turn = 0; turn < 8; turn++) {
      const messages = [{ role: "user", content: line(turn) }];
      const say = (thread_id: string) =>
        agent.invoke({ messages }, { configurable: { thread_id } });
      await Promise.all([say("one"), say("two")]);
      await tidemark.idle();
    }
    expect(api.refusals).toEqual([]);
    const talks = await tidemark.history.list();
    expect(talks.map(({ label }) => label).toSorted()).toEqual(["one", "two"]);
    for (const { folds } of talks) expect(folds).toBeGreaterThan(0);
    const { values } = await agent.getState({ configurable: { thread_id: "one" } });
    expect((values as { messages: unknown[] }).messages).toHaveLength(16);
  });

  it("sends on the very messages that stay, and what is cut keeps all else of itself", async () => {
    let asked = 0;
    const { model } = await completions({
      reply: (body) => {
        if (isDistilling(body)) return { content: DISTILLED };
        if ((body.messages as Json[]).at(-1)!.role === "tool") return { content: "Read." };
        const call = { id: `call_${asked++}`, type: "function" };
        return { tool_calls: [{ ...call, function: { name: "look", arguments: "{}" } }] };
      },
    });
    const { tidemark } = await freshTidemark({ window: { tokens: 3_000, reserve: 1 } });
    const chart = { map: new Map([["pier", 7]]) };
    const look = tool(() => [prose(2_400, asked), chart], {
      ...{ name: "look", schema: z.object({}) },
      responseFormat: "content_and_artifact",
    });
    const sent: { messages: BaseMessage[]; state: BaseMessage[] }[] = [];
    const watch = createMiddleware({
      name: "watch",
      wrapModelCall: (request, handler) => {
        sent.push({ messages: request.messages, state: request.state.messages });
        return handler(request);
      },
    });
    const agent = createAgent({
      ...{ model, tools: [look] },
      middleware: [tidemarkMiddleware(tidemark), watch],
    });
    const state = await loop(agent as never, 6, tidemark);
    const results = state.filter((message) => ToolMessage.isInstance(message));
    expect(results.every(({ artifact }) => artifact === chart)).toBe(true);
    expect(results.every(({ text }) => text.length > 4_000)).toBe(true);
    const last = sent.at(-1)!;
    expect(last.messages.length).toBeLessThan(last.state.length);
    const kept = new Set<unknown>(state);
    expect(last.messages.filter((message) => kept.has(message)).length).toBeGreaterThan(0);
    const cut = sent
      .flatMap(({ messages }) => messages)
      .filter((message) => ToolMessage.isInstance(message) && !kept.has(message)) as ToolMessage[];
    expect(cut.length).toBeGreaterThan(0);
    for (const { artifact, id, tool_call_id } of cut)
      expect(results.find((one) => one.id === id)).toMatchObject({ artifact, tool_call_id });
  });

  it("shows nothing of a distilling to who watches the run", async () => {
    const { api, model } = await completions({
      reply: (body) => {
        if (isDistilling(body)) return { content: DISTILLED };
        if ((body.messages as Json[]).at(-1)!.role === "tool") return { content: "Aye." };
        const call = { id: `call_${api.requests.length}`, type: "function" };
        return { tool_calls: [{ ...call, function: { name: "rest", arguments: "{}" } }] };
      },
    });
    const { tidemark } = await freshTidemark(SMALL);
    const schema = { type: "object" as const, properties: {} };
    const rest = tool(() => tidemark.idle().then(() => prose(90, 3)), { name: "rest", schema });
    const agent = createAgent({ model, tools: [rest], middleware: [tidemarkMiddleware(tidemark)] });
    let shown = "";
    let messages: unknown[] = [];
    for (let turn = 0; turn < 8; turn++) {
      const asked = { messages: [...messages, { role: "user", content: line(turn) }] as never[] };
      for await (const [kind, part] of await agent.stream(asked, {
        streamMode: ["messages", "values"],
      }))
        if (kind === "messages") shown += (part as [BaseMessage, unknown])[0].text;
        else ({ messages } = part as { messages: unknown[] });
    }
    expect(api.requests.some(isDistilling)).toBe(true);
    expect(shown).toContain("Aye.");
    expect(shown).not.toContain("The user told of a boat");
  });

  it("is refused what no fold can fit, by the smaller of two windows that are named", async () => {
    const { tidemark } = await freshTidemark();
    const model = new ChatAnthropic({ model: "claude-sonnet-4-5", apiKey: "test" });
    expect(model.profile.maxInputTokens).toBe(1_000_000);
    const systemPrompt = prose(260_000, 1);
    const agent = createAgent({ model, systemPrompt, middleware: [tidemarkMiddleware(tidemark)] });
    const asked = agent.invoke({ messages: [{ role: "user", content: "Hello." }] });
    await expect(asked).rejects.toThrow(/\(window 200000\)/);
  });
});
