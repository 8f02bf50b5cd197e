import { describe, expect, it } from "vitest";
import { anthropic } from "../../src/providers/anthropic/messages.ts";
import { TidemarkError } from "../../src/index.ts";
import type { SessionState } from "../../src/core/history.ts";
import type { Message } from "../../src/core/request.ts";
import {
  learn,
  tokensOf,
  limitOf,
  markOf,
  marksOf,
} from "../../src/session/options/save-and-fold-marks.ts";
import { checkOptions } from "../../src/session/options/read-options.ts";
import { leastTail } from "../../src/providers/common/seams-and-thinking.ts";

const user = (text: string): Message => ({ role: "user", content: text });
const says = (text: string): Message => ({ role: "assistant", content: [{ type: "text", text }] });
const calls = (...ids: string[]): Message => ({
  role: "assistant",
  content: ids.map((id) => ({ type: "tool_use", id, name: "read", input: {} })),
});
const answers = (...ids: string[]): Message => ({
  role: "user",
  content: ids.map((id) => ({ type: "tool_result", tool_use_id: id, content: "ok" })),
});

describe("the limit", () => {
  const shared = { tokens: 100_000, promptPlusReply: true };
  const apart = { tokens: 100_000, promptPlusReply: false };

  it("leaves room for the whole reply where prompt and reply share the window", () => {
    expect(limitOf(shared, 8_000)).toBe(92_000);
    expect(limitOf(shared, 40_000)).toBe(60_000);
  });

  it("leaves at most a quarter where they do not", () => {
    expect(limitOf(apart, 8_000)).toBe(92_000);
    expect(limitOf(apart, 40_000)).toBe(75_000);
  });

  it("does not take a max_tokens as large as the window at its word", () => {
    expect(limitOf(shared, 99_000)).toBe(75_000);
  });

  it("leaves some room when no max_tokens is given", () => {
    expect(limitOf(shared, undefined)).toBe(100_000 - 4_096);
    expect(limitOf({ tokens: 8_000, promptPlusReply: true }, undefined)).toBe(6_000);
  });

  it("is what the host says: window, reserve and cap", () => {
    expect(limitOf(shared, 8_000, { tokens: 50_000 })).toBe(42_000);
    expect(limitOf(shared, 8_000, { reserve: 1_000 })).toBe(99_000);
    expect(limitOf(shared, 8_000, { cap: 30_000 })).toBe(30_000);
    expect(limitOf(shared, 8_000, { cap: 300_000 })).toBe(92_000);
    expect(limitOf(shared, 8_000, { tokens: 500, reserve: 5_000 })).toBe(1);
  });
});

describe("the marks", () => {
  const marks = marksOf();

  it("stand at 60, 70 and 90 % unless said otherwise", () => {
    expect([0.599, 0.6, 0.699, 0.7, 0.899, 0.9, 1.5].map((level) => markOf(level, marks))).toEqual([
      "below",
      "flush",
      "flush",
      "compact",
      "compact",
      "brim",
      "brim",
    ]);
    expect(markOf(0.5, marksOf({ flushAt: 0.4, compactAt: 0.45, brimAt: 0.5 }))).toBe("brim");
  });

  it.each([
    [{ flushAt: 0.8 }, /marks that rise/],
    [{ brimAt: 1.2 }, /brimAt" must be a number from 0 to 1/],
    [{ flushAt: 0 }, /marks that rise/],
    [{ keepLast: 0 }, /keepLast" must be a whole number from 1, got 0/],
    [{ keepLast: 2.5 }, /keepLast/],
    [{ patience: -1 }, /patience/],
    [{ tokens: 0 }, /tokens" must be a number above 0/],
    [{ reserve: Number.NaN }, /reserve" must be a number above 0/],
    [{ tokens: 8_000, reserve: 8_000 }, /no room is left/],
  ])("are refused with what is wrong: %j", (options, message) => {
    expect(() => checkOptions({ window: options })).toThrow(TidemarkError);
    expect(() => checkOptions({ window: options })).toThrow(message);
  });
});

describe("the least a tail must keep", () => {
  const loop = [calls("1"), answers("1"), calls("2"), answers("2")];
  it.each([
    [
      "the last user message, where it is among the last",
      [user("a"), says("b"), user("c"), says("d"), user("e"), calls("1"), answers("1")],
      4,
    ],
    [
      "the whole tail inside a tool loop that is longer than it",
      [user("a"), ...loop, calls("3"), answers("3")],
      2,
    ],
    ["calls with results that words stand behind", [user("a"), ...loop, user("and hurry")], 3],
    ["the last message, where nothing is open", [user("a"), says("b"), says("c"), says("d")], 3],
  ])("is %s", (_name, messages, from) => {
    expect(leastTail(anthropic, messages, 2)).toBe(from);
  });
});

describe("calibration", () => {
  const model = "some-model";
  const taught = (state: SessionState, reported: number, estimated: number): SessionState => ({
    ...state,
    ...learn(state, { model, reported, estimated }),
  });

  it("takes the provider's last word and estimates only what is new", () => {
    expect(tokensOf(taught({}, 1_234, 1_000), model, 1_050)).toBe(1_284);
  });
});
