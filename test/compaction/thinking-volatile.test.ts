import type { Anthropic } from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { MODEL, prose, setUp, spoken } from "../support/anthropic.ts";

describe("thinking behind a message that its caller shows otherwise from the next turn on", () => {
  it("is never refused, folds or not", async () => {
    const { server, client, tidemark, events } = await setUp({
      window: { tokens: 9_000 },
      distil: "extractive",
    });
    const history: Anthropic.MessageParam[] = [];
    for (let turn = 0; turn < 60; turn++) {
      const question = `Turn ${turn}: ${prose(150, turn)}`;
      const sent: Anthropic.MessageParam[] = [
        ...history,
        { role: "user", content: `${question}\n\nFound for this: ${prose(40, turn + 500)}` },
      ];
      const { content } = await client.messages.create({
        model: MODEL,
        max_tokens: 2_000,
        thinking: { type: "adaptive" },
        messages: sent,
      });
      history.push({ role: "user", content: question }, { role: "assistant", content });
      await tidemark.idle();
    }
    expect(spoken(server).map(({ status }) => status)).toEqual(
      Array.from({ length: 60 }, () => 200),
    );
    expect(events.filter(({ type }) => type === "folded").length).toBeGreaterThan(0);
    expect(await tidemark.history.list()).toHaveLength(1);
    expect(JSON.stringify(history)).toContain('"thinking"');
  });
});
