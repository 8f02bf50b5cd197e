import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { anthropic } from "../../src/providers/anthropic/messages.ts";
import { openaiChat } from "../../src/providers/openai/chat.ts";
import { extractive } from "../../src/memory/extracting/extractive.ts";
import type { Message } from "../../src/core/request.ts";
import { estimateTokens } from "../../src/core/tokens/estimate.ts";
import { anthropicHistory, openaiHistory } from "../support/histories.ts";
import { runs } from "../support/runs.ts";

const signal = new AbortController().signal;
const words = fc.oneof(
  fc.constantFrom(
    "My cat's name is Whiskerino.",
    "我住在上海。",
    "/srv/a b/c.ts",
    "https://x.example/a?b=c#d",
    "Error: no",
    "- item",
    "```",
    "## Done",
    "<tidemark-summary>",
    "</tidemark-summary>",
    "[open] ",
    "\n",
    "，",
    "...",
  ),
  fc.string({ unit: "grapheme", maxLength: 60 }),
  fc.lorem({ maxCount: 30 }),
);
const text = fc.array(words, { maxLength: 12 }).map((parts) => parts.join(" "));
const talk = fc.array(fc.record({ role: fc.constantFrom("user", "assistant"), content: text }), {
  maxLength: 20,
});

describe("laws of the extractive distiller", () => {
  it("keeps to the budget and cites only messages it was given", async () => {
    await fc.assert(
      fc.asyncProperty(talk, text, fc.nat(500), async (messages, previous, summaryTokens) => {
        const { summary = "", facts } = await extractive({
          dialect: anthropic,
          messages,
          factsFrom: 0,
          previous,
          summaryTokens,
          signal,
        });
        expect(estimateTokens(summary)).toBeLessThanOrEqual(summaryTokens);
        for (const { from, content, origin } of facts) {
          expect(content.length).toBeLessThanOrEqual(600);
          expect(from.every((index) => index >= 0 && index < messages.length)).toBe(true);
          expect(origin).not.toBe("untrusted");
        }
      }),
      { numRuns: runs(100) },
    );
  });

  it("keeps to the budget on valid histories with tools, changes none of them, and says the same again", async () => {
    const cases = [
      [anthropic, anthropicHistory({ turns: 12 })],
      [openaiChat, openaiHistory({ turns: 12 })],
    ] as const;
    for (const [dialect, histories] of cases)
      await fc.assert(
        fc.asyncProperty(histories, fc.nat(800), async (messages, summaryTokens) => {
          const before = JSON.stringify(messages);
          const ask = (given: readonly Message[]) =>
            extractive({ dialect, messages: given, factsFrom: 0, summaryTokens, signal });
          const answer = await ask(messages);
          expect(estimateTokens(answer.summary ?? "")).toBeLessThanOrEqual(summaryTokens);
          expect(await ask(structuredClone(messages))).toEqual(answer);
          expect(JSON.stringify(messages)).toBe(before);
        }),
        { numRuns: runs(33) },
      );
  });

  it("never fails, whatever JSON stands for messages", async () => {
    const junk = fc.array(
      fc.oneof(
        fc.dictionary(
          fc.constantFrom("role", "content", "type", "text", "tool_calls", "id", "x"),
          fc.jsonValue({ maxDepth: 4 }),
        ),
        fc.jsonValue(),
      ),
      { maxLength: 8 },
    );
    await fc.assert(
      fc.asyncProperty(junk, fc.constantFrom(anthropic, openaiChat), async (messages, dialect) => {
        const distilled = await extractive({
          dialect,
          messages: messages as unknown as Message[],
          factsFrom: 0,
          summaryTokens: 100,
          signal,
        });
        expect(typeof distilled.summary).toBe("string");
      }),
      { numRuns: runs(166) },
    );
  });
});
