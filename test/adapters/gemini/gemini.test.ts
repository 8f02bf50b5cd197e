import { type Content, type GenerateContentConfig, GoogleGenAI } from "@google/genai";
import { describe, expect, it } from "vitest";
import { geminiMiddleware, type GeminiOptions } from "../../../src/adapters/gemini.ts";
import { freshTidemark, prose, typesOf } from "../../support/anthropic.ts";
import { afterwards } from "../../support/afterwards.ts";
import { lastSaid, startGeminiServer } from "../../support/gemini-server.ts";
import type { TimedOptions } from "../../support/timed.ts";
import { DISTILLED } from "../stacks/stack.ts";

type Json = Record<string, unknown>;

const isDistilling = (text: string): boolean => text.includes("[tidemark] distil");

async function google(
  options: TimedOptions = {},
  server: Partial<Parameters<typeof startGeminiServer>[0]> = {},
  adapter: GeminiOptions = {},
) {
  const api = await startGeminiServer({
    reply: (body) => [{ text: isDistilling(lastSaid(body)) ? DISTILLED : `Aye: ${prose(40, 3)}` }],
    ...server,
  });
  afterwards(() => api.close());
  const { tidemark, events } = await freshTidemark(options);
  const fetch = geminiMiddleware(tidemark, adapter);
  const client = new GoogleGenAI({ apiKey: "test", httpOptions: { baseUrl: api.url, fetch } });
  const ask = (contents: string | Content[], config: GenerateContentConfig = {}) =>
    client.models.generateContent({ model: "gemini-3.8-flash", contents, config });
  return { api, tidemark, events, client, ask };
}

const said = (text: string): Content => ({ role: "user", parts: [{ text }] });
const called = (thoughtSignature: string, args: Json = { path: "a" }): Content => ({
  role: "model",
  parts: [{ functionCall: { name: "read", args }, thoughtSignature }],
});
const answered = (output: string): Content => ({
  role: "user",
  parts: [{ functionResponse: { name: "read", response: { output } } }],
});
const UNSIGNED = "skip_thought_signature_validator";

describe("Gemini", () => {
  it.each([undefined, "gemini-3.8-flash-lite"])(
    "is distilled by its caller's client (%s)",
    async (model) => {
      const { api, tidemark, client } = await google({
        ...{ window: { tokens: 8_000, reserve: 1 }, ...(model && { distil: { model } }) },
      });
      const contents: Content[] = [];
      const config: GenerateContentConfig = {
        systemInstruction: "Be brief.",
        thinkingConfig: { thinkingBudget: 512 },
        tools: [{ functionDeclarations: [{ name: "read" }] }, { googleSearch: {} }],
      };
      for (let turn = 0; turn < 16; turn++) {
        contents.push(said(`Turn ${turn}: my boat is Zephyrine. ${prose(240, turn)}`));
        const parts = [];
        const stream = await client.models.generateContentStream({
          ...{ model: "gemini-3.8-flash", contents, config },
        });
        for await (const { candidates } of stream)
          parts.push(...(candidates?.[0]?.content?.parts ?? []));
        contents.push({ role: "model", parts });
        await tidemark.idle();
      }
      expect(api.refusals).toEqual([]);
      const [conversation] = await tidemark.history.list();
      expect(conversation!.folds).toBeGreaterThan(0);
      const own = api.requests.find((body) => isDistilling(lastSaid(body)))!;
      // The server's own tools would run.
      if (model) expect(own).not.toHaveProperty("tools");
      else expect(own.tools).toEqual([{ functionDeclarations: [{ name: "read" }] }]);
      expect(own.toolConfig).toEqual(
        model ? undefined : { functionCallingConfig: { mode: "NONE" } },
      );
      const { thinkingConfig } = own.generationConfig as GenerateContentConfig;
      expect(thinkingConfig).toEqual(model ? undefined : config.thinkingConfig);
      expect(api.paths).toContain(`/v1/models/${model ?? "gemini-3.8-flash"}:generateContent`);
      const last = api.requests.findLast((body) => !isDistilling(lastSaid(body)))!;
      expect(JSON.stringify(last.contents)).toContain("The user told of a boat");
      expect(JSON.stringify(last.systemInstruction)).toContain("Be brief.");
      expect((await tidemark.memory.list()).map(({ content }) => content)).toContain(
        "The user's boat is called Zephyrine.",
      );
    },
  );

  it("is asked once how large its window is", async () => {
    const { api, tidemark, ask } = await google({}, { window: 5_000 });
    await ask("Hello.");
    await tidemark.idle();
    await ask("Hello again.");
    expect(api.paths.filter((path) => path === "/v1/models/gemini-3.8-flash")).toHaveLength(1);
    await expect(ask("Hello.", { systemInstruction: prose(5_000, 1) })).rejects.toMatchObject({
      ...{ name: "ApiError", status: 400 },
      message: expect.stringMatching(/"INVALID_ARGUMENT".*|limit is \d+ \(window 5000\)/) as string,
    });
    expect(api.refusals).toEqual([]);
  });

  it("passes where the server holds the history, and is told of once", async () => {
    const { api, tidemark, events, ask, client } = await google();
    for (const words of ["Hello.", "And now?"])
      await ask(words, { cachedContent: "cachedContents/a" });
    expect(api.requests).toEqual(
      ["Hello.", "And now?"].map((words) => ({
        contents: [said(words)],
        cachedContent: "cachedContents/a",
        generationConfig: {},
      })),
    );
    expect(typesOf(events).filter((type) => type === "history-held")).toHaveLength(1);
    for (const input of ["Hello.", "And then?"])
      await client.interactions.create({
        ...{ model: "gemini-3.8-flash", input, previous_interaction_id: "i" },
      });
    // Nor is it told at the close that nothing came.
    await tidemark.close();
    expect(typesOf(events).filter((type) => type === "passed")).toHaveLength(1);
  });

  it("leaves all that is no chat untouched", async () => {
    const { api, events, client } = await google();
    const model = "gemini-3.8-flash";
    await client.models.get({ model });
    await client.models.embedContent({ model, contents: "x" });
    await client.models.countTokens({ model, contents: "x" });
    await client.caches.create({ model, config: { contents: "x" } });
    expect(api.paths).toEqual([
      ...["", ":batchEmbedContents", ":countTokens"].map((verb) => `/v1/models/${model}${verb}`),
      "/v1/cachedContents",
    ]);
    expect(api.requests).toEqual([]);
    expect(typesOf(events)).not.toContain("passed");
  });

  it("hears of a call whose signature is gone, and goes on without one of another model", async () => {
    const { api, events, ask } = await google();
    const lost = [said("Read it."), { ...called(""), parts: [{ functionCall: { name: "read" } }] }];
    await expect(ask([...lost, answered("Tide.")])).rejects.toThrow(/missing a thought_signature/);
    const reply = await ask([said("Read it."), called("b3RoZXI="), answered("Tide.")]);
    expect(reply.text).toContain("Aye");
    expect(api.refusals).toHaveLength(2);
    expect(JSON.stringify(api.requests.at(-1))).toContain(UNSIGNED);
    expect(typesOf(events)).toContain("thinking-refused");
  });

  it("keeps a call's signature word for word through folds in its own turn", async () => {
    let calls = 0;
    const { api, tidemark, ask } = await google(
      { window: { tokens: 6_000, reserve: 1 } },
      {
        reply: (body) =>
          isDistilling(lastSaid(body))
            ? [{ text: DISTILLED }]
            : [{ functionCall: { name: "read", args: { path: `${calls++}` } } }, { text: "So." }],
      },
    );
    const contents = [said("Read them all.")];
    for (let turn = 0; turn < 16; turn++) {
      const { candidates } = await ask(contents);
      contents.push(candidates![0]!.content!, answered(prose(300, turn)));
      await tidemark.idle();
    }
    expect(api.refusals).toEqual([]);
    const [conversation] = await tidemark.history.list();
    expect(conversation!.folds).toBeGreaterThan(0);
    const sent = JSON.stringify(api.requests.findLast((body) => !isDistilling(lastSaid(body))));
    const [call] = contents.at(-4)!.parts!;
    expect(sent).toContain(call!.thoughtSignature);
    expect(sent).not.toContain(UNSIGNED);
  });
});
