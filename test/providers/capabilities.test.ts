import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { capabilitiesOf, OVERRIDES } from "../../src/providers/common/models.ts";
import { check } from "../../src/core/schema.ts";
import { openTidemark } from "../../src/index.ts";
import { anyCharacter } from "../support/any-character.ts";

describe("the window of a model", () => {
  it.each([
    ["claude-opus-5-5", 1_000_000],
    ["claude-sonnet-5-5", 1_000_000],
    ["claude-fable-5-2", 1_000_000],
    ["claude-opus-4-8", 200_000],
    ["anthropic/claude-sonnet-4.6", 200_000],
    ["us.anthropic.claude-opus-4-7-v1:0", 200_000],
    ["claude-sonnet-4-5[1m]", 1_000_000],
    ["claude-haiku-4-5-20251001", 200_000],
    ["anthropic.claude-opus-4-1-20250805-v1:0", 200_000],
    ["claude-3-7-sonnet-latest", 200_000],
    ["gpt-4o-mini-2024-07-18", 128_000],
    ["chatgpt-4o-latest", 128_000],
    ["gpt-4.1-mini", 1_047_576],
    ["gpt-4-turbo-2024-04-09", 128_000],
    ["gpt-4", 8_192],
    ["gpt-3.5-turbo", 16_385],
    ["o1", 200_000],
    ["openai/o4-mini", 200_000],
    ["gpt-5.1-chat-latest", 128_000],
    ["gemini-4-argon", 1_048_576],
    ["deepseek-v4-pro", 1_000_000],
    ["x-ai/grok-4.7", 500_000],
    ["moonshotai/kimi-k3.1-pro", 1_000_000],
    ["zai/glm-5.2", 1_000_000],
    ["MiniMax-M3", 500_000],
    ["alibaba/qwen3.8-max-0902", 991_000],
  ])("%s is %i, prompt and reply together", (model, tokens) => {
    expect(capabilitiesOf(model)).toMatchObject({
      window: tokens,
      windowBy: "table",
      promptPlusReply: true,
    });
  });

  it.each([
    ["claude-3-5-sonnet-20241022", 200_000],
    ["gpt-5", 272_000],
    ["openai/gpt-6.2-astra", 922_000],
    // The smaller window of its family, until it is listed.
    ["gpt-6.2", 272_000],
    ["gpt-6.9-nova", 272_000],
    ["gemini-2.5-pro", 1_048_576],
    ["models/gemini-1.5-pro-002", 1_048_576],
    ["gemini-3-pro-image-preview", 65_536],
  ])("%s is %i for the prompt alone", (model, tokens) => {
    expect(capabilitiesOf(model)).toMatchObject({
      window: tokens,
      windowBy: "table",
      promptPlusReply: false,
    });
  });

  it("is guessed at 200,000 for a model nobody listed", () => {
    for (const model of [
      "",
      "house-model",
      "claude-opus-9",
      "claude-opus-50",
      "gpt-9",
      "llama-3-8b",
      "o17",
    ])
      expect(capabilitiesOf(model)).toMatchObject({
        window: 200_000,
        windowBy: "guess",
        promptPlusReply: true,
      });
  });
});

describe("what a model can do", () => {
  it("is Anthropic's own list: thinking bound from the fifth generation on, betas only where they are listed", () => {
    expect(capabilitiesOf("claude-sonnet-5-5")).toMatchObject({
      boundThinking: true,
      clearAt: "mid-conversation-system-clear-at-2026-08-21",
      midConversationSystem: true,
      cacheMinimumTokens: 1_024,
    });
    expect(capabilitiesOf("us.anthropic.claude-sonnet-4-5-20250929-v1:0")).toMatchObject({
      boundThinking: false,
      midConversationSystem: false,
      cacheMinimumTokens: 1_024,
    });
    expect(
      ["claude-opus-5-5", "claude-opus-4-7", "claude-opus-4-6", "claude-haiku-4-5"].map(
        (model) => capabilitiesOf(model).cacheMinimumTokens,
      ),
    ).toEqual([512, 2_048, 4_096, 4_096]);
  });

  it("of a model nobody listed is little: bound thinking, none of the betas, no price", () => {
    for (const model of ["claude-opus-9", "claude-next", "house-model", ""]) {
      const { clearAt, midConversationSystem, boundThinking, prices } = capabilitiesOf(model);
      expect([clearAt, midConversationSystem, boundThinking]).toEqual([undefined, false, true]);
      if (!model.includes("opus")) expect(prices).toBeUndefined();
    }
  });

  it("costs what its version costs, not its family's first", () => {
    const cost = (model: string) => capabilitiesOf(model).prices;
    expect(cost("claude-opus-4-1")).toMatchObject({
      input: 15,
      cacheWrite5m: 18.75,
      cacheWrite1h: 30,
      cacheRead: 1.5,
      output: 75,
    });
    expect(cost("claude-opus-4-6")).toMatchObject({
      input: 5,
      cacheWrite5m: 6.25,
      cacheWrite1h: 10,
      cacheRead: 0.5,
      output: 25,
    });
    expect(cost("claude-fable-5-1")).toMatchObject({ input: 10, cacheRead: 0.25 });
    expect(cost("claude-fable-5")).toMatchObject({ input: 10, cacheRead: 1 });
    expect(cost("claude-haiku-5-5")).toMatchObject({
      input: 0.1,
      output: 0.5,
      long: { above: 100_000, times: 5 },
    });
  });

  it("may be told by the host, by any part of the name; what it does not tell stays", () => {
    const own = {
      "sonnet-5*": { window: 300_000 },
      "claude-*-5-5": { clearAt: undefined },
      "house.model": { boundThinking: false },
    };
    expect(capabilitiesOf("anthropic/Claude-Sonnet-5-5", own)).toEqual({
      ...capabilitiesOf("claude-sonnet-5-5"),
      window: 300_000,
      windowBy: "host",
      clearAt: undefined,
    });
    expect(capabilitiesOf("house.model-2", own)).toMatchObject({
      boundThinking: false,
      windowBy: "guess",
    });
    expect(capabilitiesOf("houseXmodel", own).boundThinking).toBe(true);
  });

  it("never throws for any name, and is the same at every asking", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), fc.string(), (model, pattern) => {
        expect(capabilitiesOf(model, { [`x${pattern}`]: { window: 5 } })).toEqual(
          capabilitiesOf(model, { [`x${pattern}`]: { window: 5 } }),
        );
        const { window, cacheMinimumTokens } = capabilitiesOf(model);
        expect(window).toBeGreaterThan(0);
        expect(cacheMinimumTokens).toBeGreaterThanOrEqual(0);
      }),
    );
  });

  it.each([
    [[], /an object such as/],
    [{ "": { window: 5 } }, /patterns that name at least a part/],
    [{ a: 5 }, /a" must be an object/],
    [{ a: { windows: 5 } }, /a\.windows"; did you mean "(?:advanced\.models\.)?a\.window"/],
    [{ a: { window: -1 } }, /\.window" must be a number of tokens above 0, got -1/],
    [{ a: { boundThinking: "no" } }, /\.boundThinking" must be true or false/],
    [{ a: { clearAt: "a b" } }, /\.clearAt" must be the name of a beta/],
    [{ a: { prices: { input: 1 } } }, /\.prices\.output" must be a number of dollars/],
  ])("%j is refused by name", async (models, message) => {
    expect(() => check(OVERRIDES, models, "models")).toThrow(message);
    await expect(
      openTidemark({ workspace: false, advanced: { models: models as never } }),
    ).rejects.toMatchObject({ code: "config", message: expect.stringMatching(message) });
  });

  it("decides the limit of a request: the host's word over the provider's answer and the table", async () => {
    const tidemark = await openTidemark({
      workspace: false,
      advanced: { models: { "sonnet-5-5": { window: 50_000 } } },
    });
    const turn = await tidemark.begin({
      model: "claude-sonnet-5-5",
      max_tokens: 1_000,
      messages: [{ role: "user", content: "Hello." }],
    });
    expect(turn.window.limit).toBe(49_000);
    await tidemark.close();
  });
});
