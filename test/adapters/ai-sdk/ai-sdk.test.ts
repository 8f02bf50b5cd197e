import { createOpenAI } from "@ai-sdk/openai";
import type { LanguageModelV3Middleware, LanguageModelV4Middleware } from "@ai-sdk/provider";
import {
  convertToModelMessages,
  createGateway,
  generateText,
  jsonSchema,
  type ModelMessage,
  Output,
  readUIMessageStream,
  streamText,
  ToolLoopAgent,
  type UIMessage,
  wrapLanguageModel,
  wrapProvider,
} from "ai";
import { describe, expect, it } from "vitest";
import { tidemarkMiddleware, tidemarkTools } from "../../../src/adapters/ai-sdk.ts";
import { freshTidemark } from "../../support/anthropic.ts";
import { afterwards } from "../../support/afterwards.ts";
import { said, startResponsesServer } from "../../support/responses-server.ts";

type Json = Record<string, unknown>;

async function openaiOf(reply: (body: Json) => Json[] = () => [said("Aye.")]) {
  const api = await startResponsesServer({ reply });
  afterwards(() => api.close());
  const { tidemark } = await freshTidemark();
  const provider = createOpenAI({ baseURL: api.url, apiKey: "test" });
  const middleware = tidemarkMiddleware(tidemark);
  const model = wrapLanguageModel({ model: provider("gpt-6.2"), middleware });
  return { api, tidemark, provider, middleware, model };
}

describe("the AI SDK's ways in", () => {
  it("fit the types of versions 6 and 7", async () => {
    const { tidemark } = await freshTidemark();
    const six: LanguageModelV3Middleware = tidemarkMiddleware(tidemark);
    const seven: LanguageModelV4Middleware = tidemarkMiddleware(tidemark);
    expect([six, seven].map(Object.keys)).toHaveLength(2);
  });

  it("are a provider whose models are all wrapped, and structured output", async () => {
    const { api, tidemark, provider, middleware } = await openaiOf(() => [said('{"pier":7}')]);
    const wrapped = wrapProvider({ provider, languageModelMiddleware: middleware });
    const schema = jsonSchema<{ pier: number }>({
      type: "object",
      properties: { pier: { type: "number" } },
    });
    const made = await generateText({
      ...{ model: wrapped.languageModel("gpt-6.2"), prompt: "Which pier?" },
      output: Output.object({ schema }),
    });
    expect([made.output, api.refusals]).toEqual([{ pier: 7 }, []]);
    expect(await tidemark.history.list()).toMatchObject([{ messages: 2 }]);
  });

  it("are an agent that remembers by its own tools, in its user's name alone", async () => {
    const { api, tidemark, model } = await openaiOf((body) => {
      const last = (body.input as Json[]).at(-1)!;
      if (last.type === "function_call_output") return [said(`Noted: ${String(last.output)}`)];
      const content = "The user moors at pier 7.";
      return [
        {
          ...{ type: "function_call", call_id: "call_1", status: "completed" },
          ...{ name: "memory_save", arguments: JSON.stringify({ content }) },
        },
      ];
    });
    const agent = new ToolLoopAgent({ model, tools: tidemarkTools(tidemark.as({ user: "ada" })) });
    const { text } = await agent.generate({ prompt: "I moor at pier 7." });
    expect(text).toMatch(/^Noted: (?!Error)/);
    expect(api.refusals).toEqual([]);
    const of = async (name: string) =>
      (await tidemark.as({ user: name }).memory.list()).map(({ content }) => content);
    expect([await of("ada"), await of("bob")]).toEqual([["The user moors at pier 7."], []]);
  });

  it("are UI messages, which come back from JSON", async () => {
    const { api, tidemark, model } = await openaiOf();
    let shown: UIMessage[] = [];
    for (const text of ["My boat is Zephyrine.", "What is it called?", "And where is it?"]) {
      shown.push({ id: text, role: "user", parts: [{ type: "text", text }] });
      const stream = streamText({ model, messages: await convertToModelMessages(shown) });
      let last: UIMessage | undefined;
      for await (const message of readUIMessageStream({ stream: stream.toUIMessageStream() }))
        last = message;
      shown = JSON.parse(JSON.stringify([...shown, last])) as UIMessage[];
    }
    expect(api.refusals).toEqual([]);
    expect(await tidemark.history.list()).toMatchObject([{ messages: 6 }]);
  });

  it("send nothing of who speaks, through a gateway that sends on all it is given", async () => {
    const { tidemark } = await freshTidemark();
    const bodies: string[] = [];
    const { languageModel } = createGateway({
      apiKey: "test",
      fetch: (_url, init) => {
        bodies.push(String(init?.body));
        return Promise.resolve(Response.json({ error: { message: "no" } }, { status: 400 }));
      },
    });
    const bare = languageModel("anthropic/claude-sonnet-5-5");
    const model = wrapLanguageModel({ model: bare, middleware: tidemarkMiddleware(tidemark) });
    const others: Record<string, { order: string[] }>[] = [
      {},
      { gateway: { order: ["anthropic"] } },
    ];
    for (const more of others) {
      const providerOptions = { tidemark: { user: "ada", conversation: "boats" }, ...more };
      const asked = generateText({ model, prompt: "Hi.", providerOptions, maxRetries: 0 });
      await expect(asked).rejects.toThrow();
    }
    expect(bodies).toHaveLength(2);
    expect(bodies.join(" ")).not.toMatch(/ada|boats/);
    expect(bodies[1]).toContain('"order":["anthropic"]');
    const [conversation] = await tidemark.as({ user: "ada" }).history.list();
    expect(conversation).toMatchObject({ label: "boats" });
  });

  it.each([
    ["ada", / takes an object with agent, .+, got "ada"\.$/],
    [null, / takes an object with agent, .+, got null\.$/],
    [{ usr: "ada" }, / knows no "usr"; did you mean "user"\?$/],
    [{ user: 7 }, /: "user" must be .+, got 7\.$/],
    [{ user: "ada", conversation: 7 }, /: "conversation" must be a text .+, got 7\.$/],
  ])("refuse %j for a speaker, and say where it stands", async (who, message) => {
    const { api, model } = await openaiOf();
    const providerOptions = { tidemark: who as Json as Record<string, string> };
    const asked = generateText({ model, prompt: "Hi.", providerOptions, maxRetries: 0 });
    await expect(asked).rejects.toThrow(message);
    await expect(asked).rejects.toThrow(/^providerOptions\.tidemark/);
    expect(api.requests).toEqual([]);
  });

  it("leave pictures and files as they are", async () => {
    const { api, tidemark, model } = await openaiOf();
    const picture = new Uint8Array([137, 80, 78, 71, 13, 10, 26, 10, 0, 0]);
    const messages: ModelMessage[] = [
      {
        role: "user",
        content: [
          { type: "text", text: "What is this?" },
          { type: "file", data: picture, mediaType: "image/png" },
        ],
      },
    ];
    for (const words of ["And now?", "And then?"]) {
      messages.push(...(await generateText({ model, messages })).responseMessages);
      messages.push({ role: "user", content: words });
    }
    await generateText({ model, messages });
    expect(api.refusals).toEqual([]);
    expect(JSON.stringify(api.requests.at(-1))).toContain("data:image/png;base64,iVBORw0KGgoAAA==");
    expect(await tidemark.history.list()).toHaveLength(1);
  });
});
