import { describe, expect, it } from "vitest";
import {
  type InputUsage,
  type Json,
  modelInfo,
  PromptCache,
  requestTokens,
} from "../../support/messages-server/index.ts";

const info = modelInfo("claude-sonnet-4-6", { minimumCacheable: 1_024 });
const MINUTE = 60_000;
const words = (count: number, of: string): string =>
  Array.from({ length: count }, (_, i) => `${of} number ${i}`).join(", ");
const text = (said: string, ttl?: "5m" | "1h"): Json => ({
  type: "text",
  text: said,
  ...(ttl === undefined ? {} : { cache_control: { type: "ephemeral", ttl } }),
});
const user = (...content: Json[]): Json => ({ role: "user", content });
const assistant = (...content: Json[]): Json => ({ role: "assistant", content });
const LONG = words(500, "rule");

const sum = ({ input, write5m, write1h, read }: InputUsage): number =>
  input + write5m + write1h + read;

describe("caching arithmetic", () => {
  it("writes a prefix once and reads it afterwards; the sum is always the whole request", () => {
    const cache = new PromptCache();
    const one = { system: [text(LONG, "5m")], messages: [user(text("hi"))] };
    const two = {
      ...one,
      messages: [...one.messages, assistant(text("hello")), user(text("and now?"))],
    };
    const first = cache.book(one, info, 0);
    expect(first.read).toBe(0);
    expect(first.write5m).toBeGreaterThan(1_024);
    expect(sum(first)).toBe(requestTokens(one));
    const second = cache.book(two, info, MINUTE);
    expect(second).toEqual({
      input: requestTokens(two) - first.write5m,
      write5m: 0,
      write1h: 0,
      read: first.write5m,
    });
  });

  it("forgets after five minutes or an hour, counted from the last use", () => {
    for (const [ttl, life] of [
      ["5m", 5 * MINUTE],
      ["1h", 60 * MINUTE],
    ] as const) {
      const cache = new PromptCache();
      const body = { system: [text(LONG, ttl)], messages: [user(text("hi"))] };
      expect(cache.book(body, info, 0)[ttl === "1h" ? "write1h" : "write5m"]).toBeGreaterThan(0);
      expect(cache.book(body, info, life - 1).read).toBeGreaterThan(0);
      expect(cache.book(body, info, 2 * life - 2).read).toBeGreaterThan(0);
      expect(cache.book(body, info, 3 * life).read).toBe(0);
    }
  });

  it("misses when the tools, the system, an earlier message or the model changed", () => {
    const tool = { name: "look", input_schema: { type: "object" } };
    const body = {
      tools: [tool],
      system: LONG,
      messages: [user(text("hi")), assistant(text("hello")), user(text("go", "5m"))],
    };
    const changes: Json[] = [
      { tools: [{ ...tool, description: "looks" }] },
      { system: `${LONG}.` },
      { messages: [user(text("hi!")), ...body.messages.slice(1)] },
    ];
    for (const change of changes) {
      const cache = new PromptCache();
      cache.book(body, info, 0);
      expect(cache.book({ ...body, ...change }, info, 1).read).toBe(0);
    }
    const cache = new PromptCache();
    cache.book(body, info, 0);
    expect(cache.book(body, { ...info, id: "claude-opus-4-8" }, 1).read).toBe(0);
    expect(cache.book(body, info, 2).read).toBe(requestTokens(body));
  });
});
