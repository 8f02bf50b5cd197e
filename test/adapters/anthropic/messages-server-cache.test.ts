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
  it("costs and saves nothing without a mark", () => {
    const cache = new PromptCache();
    const body = { system: LONG, messages: [user(text("hi"))] };
    for (let i = 0; i < 2; i += 1)
      expect(cache.book(body, info, i)).toEqual({
        input: requestTokens(body),
        write5m: 0,
        write1h: 0,
        read: 0,
      });
  });

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

  it("carries a mark along: each turn reads the last turn's prefix and writes what is new", () => {
    const cache = new PromptCache();
    const messages: Json[] = [];
    let cached = 0;
    for (let i = 0; i < 6; i += 1) {
      messages.push(user(text(`Question ${i}: ${words(20, "thing")}`)));
      const marked = [
        ...messages.slice(0, -1),
        user(text(`Question ${i}: ${words(20, "thing")}`, "5m")),
      ];
      const body = { system: LONG, messages: marked };
      const usage = cache.book(body, info, i * MINUTE);
      expect(usage.read).toBe(cached);
      expect(sum(usage)).toBe(requestTokens(body));
      cached = usage.read + usage.write5m;
      messages.push(assistant(text(`Answer ${i}`)));
    }
  });

  it("caches nothing below the model's minimum", () => {
    const cache = new PromptCache();
    const body = { system: [text("Be kind.", "5m")], messages: [user(text("hi"))] };
    cache.book(body, info, 0);
    expect(cache.book(body, info, 1)).toMatchObject({ read: 0, write5m: 0 });
    expect(cache.book(body, { ...info, minimumCacheable: 1 }, 2).write5m).toBeGreaterThan(0);
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

  it("divides what it writes by lifetime", () => {
    const cache = new PromptCache();
    const body = { system: [text(LONG, "1h")], messages: [user(text(words(60, "case"), "5m"))] };
    const { input, write1h, write5m } = cache.book(body, info, 0);
    expect(write1h).toBe(requestTokens({ system: [text(LONG)], messages: [] }));
    expect(write5m).toBe(requestTokens(body) - write1h);
    expect(input).toBe(0);
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

  it("reads the system's prefix when only the messages changed", () => {
    const cache = new PromptCache();
    const body = { system: [text(LONG, "5m")], messages: [user(text("hi", "5m"))] };
    const first = cache.book(body, info, 0);
    const second = cache.book({ ...body, messages: [user(text("good day", "5m"))] }, info, 1);
    expect(second.read).toBe(requestTokens({ system: [text(LONG)], messages: [] }));
    expect(second.read + second.write5m).toBeLessThanOrEqual(first.write5m + 10);
  });

  it.each([
    [19, true],
    [20, false],
  ])(
    "looks back over twenty blocks: %i new ones behind the cached one are found: %s",
    (blocks, found) => {
      const cache = new PromptCache();
      const head = user(text(LONG, "5m"));
      cache.book({ messages: [head] }, info, 0);
      const more = Array.from({ length: blocks - 1 }, (_, i) => text(`part ${i}`));
      const usage = cache.book(
        { messages: [user(text(LONG)), assistant(...more, text("end", "5m"))] },
        info,
        1,
      );
      expect(usage.read > 0).toBe(found);
    },
  );

  it("puts the top level's mark on the last block that can bear one", () => {
    const cache = new PromptCache();
    const body = { cache_control: { type: "ephemeral" }, messages: [user(text(LONG), text("hi"))] };
    expect(cache.book(body, info, 0)).toEqual({
      input: 0,
      write5m: requestTokens(body),
      write1h: 0,
      read: 0,
    });
  });
});
