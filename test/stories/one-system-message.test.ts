import { describe, expect, it } from "vitest";
import { openTidemark, type TidemarkEvent } from "../../src/index.ts";
import { prose } from "../support/anthropic.ts";
import { startCompletionsServer } from "../support/completions-server.ts";

type Json = Record<string, unknown>;

const FACT = "The deploy key lives in the blue vault.";
const PIN = "Never touch the old lighthouse.";
const ASKS = 9;
const TOOLS = [{ type: "function", function: { name: "look", parameters: { type: "object" } } }];

/** The model looks something up now and then, and distils when it is asked to. */
const model = (body: Json): Json => {
  const last = (body.messages as Json[]).at(-1);
  const text = JSON.stringify(last?.content);
  if (text.includes("[tidemark] distil"))
    return { content: JSON.stringify({ facts: [], summary: "They spoke of ships and of keys." }) };
  if (last?.role === "user" && text.includes("Look it up."))
    return {
      content: null,
      tool_calls: ["a", "b"].map((id) => ({
        id,
        type: "function",
        function: { name: "look", arguments: "{}" },
      })),
    };
  return { content: prose(60, text.length) };
};

async function post(url: string, body: Json): Promise<Json> {
  const response = await fetch(`${url}/chat/completions`, {
    method: "POST",
    body: JSON.stringify(body),
  });
  return (await response.json()) as Json;
}

/** A conversation of thirty turns with memory, recall, a pin, tools and folds. */
async function story(preamble: readonly Json[]) {
  const server = await startCompletionsServer({ reply: model });
  const events: TidemarkEvent[] = [];
  const tidemark = await openTidemark({
    workspace: false,
    recall: {},
    window: { tokens: 6_000, reserve: 500 },
    distil: async ({ messages, maxTokens }: { messages: readonly Json[]; maxTokens: number }) => {
      const reply = await post(server.url, { model: "qwen3", messages, max_tokens: maxTokens });
      const [choice] = (reply.choices ?? []) as { message: { content: string } }[];
      if (choice === undefined) throw new Error(JSON.stringify(reply));
      return { text: choice.message.content };
    },
    listen: (event) => events.push(event),
  });
  await tidemark.memory.save(FACT);
  const messages: Json[] = [...preamble];
  const say = async (): Promise<void> => {
    const turn = await tidemark.begin({ model: "qwen3", messages, tools: TOOLS });
    const reply = await post(server.url, turn.request as Json);
    await turn.end(reply);
    const [choice] = (reply.choices ?? []) as { message: Json }[];
    if (choice === undefined) return;
    const { tool_calls: calls, ...words } = choice.message;
    messages.push(calls === undefined ? words : { ...words, tool_calls: calls });
    if (calls === undefined) return;
    for (const { id } of calls as { id: string }[])
      messages.push({ role: "tool", tool_call_id: id, content: prose(80, 7) });
    await say();
  };
  for (let at = 0; at < 30; at += 1) {
    const asks = at % ASKS === 4 ? "Look it up." : "Where does the deploy key live?";
    messages.push({ role: "user", content: `${prose(80, at)} ${asks} (${at})` });
    await say();
    if (at === 2) await tidemark.pin(PIN);
    await tidemark.idle();
  }
  const conversations = await tidemark.history.list();
  await tidemark.close();
  await server.close();
  return { server, events, conversations };
}

const text = [{ type: "text", text: "Be kind." }];

describe("a server that takes one system message, at the head, and voices in turn", () => {
  it.each([
    ["no system message", []],
    ["a system message", [{ role: "system", content: "Be kind." }]],
    ["one in parts", [{ role: "system", content: text }]],
    ["a developer message", [{ role: "developer", content: "Be kind." }]],
  ])("plays a story with memory, recall, a pin, tools and folds: %s", async (_, preamble) => {
    const { server, events, conversations } = await story(preamble);
    expect(server.refusals).toEqual([]);
    expect(events.filter(({ type }) => type === "folded").length).toBeGreaterThan(0);
    expect(events.filter(({ type }) => type === "distil-failed")).toEqual([]);
    expect(conversations).toHaveLength(1);
    const last = JSON.stringify(server.requests.findLast(({ tools }) => tools !== undefined));
    expect(last).toContain(PIN);
    expect(last).toContain("<tidemark-summary");
    expect(last).toContain(FACT);
  });
});
