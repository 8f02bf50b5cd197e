import { describe, expect, it } from "vitest";
import { windowOf } from "../src/tokens/windows.ts";

describe("the window of a model", () => {
  it.each([
    ["claude-opus-5-5", 1_000_000],
    ["claude-sonnet-5-5", 1_000_000],
    ["claude-sonnet-5", 1_000_000],
    ["claude-haiku-5-5", 1_000_000],
    ["claude-fable-5-2", 1_000_000],
    ["claude-mythos-5-1", 1_000_000],
    ["claude-opus-4-8", 200_000],
    ["claude-opus-4-6", 200_000],
    ["anthropic/claude-sonnet-4.6", 200_000],
    ["us.anthropic.claude-opus-4-7-v1:0", 200_000],
    ["claude-sonnet-4-5[1m]", 1_000_000],
    ["claude-haiku-4-5-20251001", 200_000],
    ["claude-opus-4-5-20251101", 200_000],
    ["claude-sonnet-4-5-20250929", 200_000],
    ["claude-sonnet-4-20250514", 200_000],
    ["claude-opus-4@20250514", 200_000],
    ["anthropic.claude-opus-4-1-20250805-v1:0", 200_000],
    ["claude-3-7-sonnet-latest", 200_000],
    ["gpt-4o", 128_000],
    ["gpt-4o-mini-2024-07-18", 128_000],
    ["chatgpt-4o-latest", 128_000],
    ["gpt-4.1-mini", 1_047_576],
    ["gpt-4-turbo-2024-04-09", 128_000],
    ["gpt-4-0125-preview", 128_000],
    ["gpt-4", 8_192],
    ["gpt-4-0613", 8_192],
    ["gpt-4-32k", 32_768],
    ["gpt-3.5-turbo", 16_385],
    ["o1", 200_000],
    ["o3-mini", 200_000],
    ["openai/o4-mini", 200_000],
    ["o1-mini", 128_000],
    ["gpt-5.1-chat-latest", 128_000],
  ])("%s is %i, prompt and reply together", (model, tokens) => {
    expect(windowOf(model)).toEqual({ tokens, guessed: false, promptPlusReply: true });
  });

  it.each([
    ["claude-3-5-sonnet-20241022", 200_000],
    ["claude-3-opus-20240229", 200_000],
    ["claude-2.1", 200_000],
    ["claude-instant-1.2", 100_000],
    ["gpt-5", 272_000],
    ["gpt-5-mini-2025-08-07", 272_000],
    ["gemini-2.5-pro", 1_048_576],
    ["models/gemini-1.5-pro-002", 2_097_152],
    ["gemini-3-pro-image-preview", 65_536],
  ])("%s is %i for the prompt alone", (model, tokens) => {
    expect(windowOf(model)).toEqual({ tokens, guessed: false, promptPlusReply: false });
  });

  it("is guessed at 200,000 for a model nobody listed", () => {
    for (const model of ["", "house-model", "claude-opus-9", "claude-opus-50", "gpt-9", "llama-3-8b", "o17"]) expect(windowOf(model)).toEqual({ tokens: 200_000, guessed: true, promptPlusReply: true });
  });

  it("does not depend on upper and lower case", () => {
    expect(windowOf("Claude-Opus-4-6")).toEqual(windowOf("claude-opus-4-6"));
  });
});
