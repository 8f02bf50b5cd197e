import {
  generateText,
  type ModelMessage,
  stepCountIs,
  streamText,
  tool,
  wrapLanguageModel,
} from "ai-6";
import { createOpenAI } from "openai-of-ai-6";
import { describe, expect, it } from "vitest";
import { z } from "zod";
import { tidemarkMiddleware } from "../../../src/adapters/ai-sdk.ts";
import { freshTidemark, prose } from "../../support/anthropic.ts";
import { afterwards } from "../../support/afterwards.ts";
import { lastWords, said, startResponsesServer } from "../../support/responses-server.ts";
import { DISTILLED } from "../stacks/stack.ts";

describe("the AI SDK before this one, version 6", () => {
  it.each(["whole", "streamed"])("folds, distils, remembers and runs tools: %s", async (how) => {
    const api = await startResponsesServer({
      reply: (body) => {
        if (lastWords(body).includes("[tidemark] distil")) return [said(DISTILLED)];
        const last = (body.input as { type?: string }[]).at(-1);
        if (last?.type === "function_call_output") return [said(`Read: ${prose(100, 3)}`)];
        const call_id = `call_${api.requests.length}`;
        const call = { type: "function_call", name: "read", arguments: '{"path":"a"}' };
        return [{ ...call, call_id, status: "completed" }];
      },
    });
    afterwards(() => api.close());
    const { tidemark } = await freshTidemark({ window: { tokens: 8_000, reserve: 1 } });
    const model = wrapLanguageModel({
      model: createOpenAI({ baseURL: api.url, apiKey: "test" })("gpt-6.2"),
      middleware: tidemarkMiddleware(tidemark),
    });
    const read = tool({ inputSchema: z.object({ path: z.string() }), execute: () => prose(60, 5) });
    const messages: ModelMessage[] = [];
    for (let turn = 0; turn < 12; turn++) {
      const content = `Turn ${turn}: my boat is Zephyrine. ${prose(240, turn)}`;
      messages.push({ role: "user", content });
      const asked = {
        ...{ model, messages, tools: { read }, stopWhen: stepCountIs(3) },
        ...{ system: "Be brief.", maxRetries: 0 },
        providerOptions: { tidemark: { user: "ada" }, openai: { store: false } },
      };
      const { messages: made } = await (how === "whole"
        ? (await generateText(asked)).response
        : streamText(asked).response);
      messages.push(...made);
      await tidemark.idle();
    }
    expect(api.refusals).toEqual([]);
    const ada = tidemark.as({ user: "ada" });
    const [conversation, ...others] = await ada.history.list();
    expect(others).toEqual([]);
    expect(conversation?.folds).toBeGreaterThan(0);
    expect((await ada.memory.list()).map(({ content }) => content)).toContain(
      "The user's boat is called Zephyrine.",
    );
  });
});
