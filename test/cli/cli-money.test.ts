import { existsSync, readFileSync } from "node:fs";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createCounts, createPromptCache } from "../../src/cli/replay/counts.ts";
import { anthropic } from "../../src/dialect/anthropic/anthropic.ts";
import { capabilitiesOf, costOf } from "../../src/dialect/models/capabilities.ts";
import { openaiChat } from "../../src/dialect/openai/chat.ts";
import type { Message, ProviderRequest } from "../../src/model/request.ts";
import { markCache } from "../../src/dialect/anthropic/breakpoints.ts";
import { exactTokens } from "../../src/tokens/exact.ts";
import { modelInfo, PromptCache } from "../support/messages-server/index.ts";
import { runs } from "../support/runs.ts";

const words = (many: number, word = "harbour"): string => `${word} `.repeat(many).trim();
const conversation = (sizes: readonly number[]): Message[] =>
  sizes.map((size, index) => ({
    role: index % 2 === 0 ? "user" : "assistant",
    content: [{ type: "text", text: `${index}: ${words(size)}` }],
  }));

describe("what a request costs", () => {
  const price = { input: 2, output: 10, cacheRead: 0.2, cacheWrite5m: 2.5, cacheWrite1h: 4 };

  it("is the input at its price, cached reads at a tenth, writes at five quarters or twice for an hour, and the reply", () => {
    expect(costOf({ input: 1_000_000, cacheWrite: 0, cacheRead: 0, output: 0 }, price)).toBe(2);
    expect(costOf({ input: 0, cacheWrite: 1_000_000, cacheRead: 0, output: 0 }, price)).toBe(2.5);
    expect(costOf({ input: 0, cacheWrite: 0, cacheRead: 1_000_000, output: 0 }, price)).toBeCloseTo(
      0.2,
      10,
    );
    expect(costOf({ input: 0, cacheWrite: 0, cacheRead: 0, output: 1_000_000 }, price)).toBe(10);
    expect(
      costOf(
        { input: 0, cacheWrite: 1_000_000, cacheRead: 0, output: 0, cacheWrite1h: 1_000_000 },
        price,
      ),
    ).toBe(4);
  });

  it("goes by the model's family, and says nothing about a model it does not know", () => {
    expect(capabilitiesOf("claude-opus-4-6").prices).toMatchObject({
      input: 5,
      output: 25,
      cacheRead: 0.5,
    });
    expect(capabilitiesOf("claude-sonnet-5-5").prices).toMatchObject({
      input: 2,
      output: 10,
      cacheRead: 0.1,
    });
    expect(capabilitiesOf("us.anthropic.claude-sonnet-4-5-20250929-v1:0").prices).toMatchObject({
      input: 3,
      output: 15,
    });
    expect(capabilitiesOf("gpt-4o-mini-2024-07-18").prices).toMatchObject({
      input: 0.15,
      cacheWrite5m: 0.15,
    });
    expect(capabilitiesOf("gpt-5-mini").prices).toBeUndefined();
    expect(capabilitiesOf("llama-9").prices).toBeUndefined();
  });

  it("rises for the whole request where long prompts cost more", () => {
    const haiku = capabilitiesOf("claude-haiku-5-5").prices;
    const usage = { input: 100_000, cacheWrite: 0, cacheRead: 0, output: 0 };
    expect(haiku && costOf(usage, haiku)).toBeCloseTo(0.01, 10);
    expect(haiku && costOf({ ...usage, input: 100_001 }, haiku)).toBeCloseTo(0.05, 4);
  });
});

describe("counting a request", () => {
  it("counts exactly what the tokenizer counts, system, tools and messages", async () => {
    const counts = createCounts(anthropic);
    const text = "The harbour master's list: 14 ships, 3 of them late.";
    const one = await counts.request({ messages: [{ role: "user", content: text }] });
    expect(one.total).toBe(4 + (await exactTokens(text)));
    const two = await counts.request({ system: text, messages: [{ role: "user", content: text }] });
    expect(two.total).toBeGreaterThan(one.total);
  });

  it("tells apart the blocks of Anthropic and the messages of OpenAI", async () => {
    const content = [
      { type: "text", text: "one" },
      { type: "text", text: "two" },
    ];
    expect(
      (await createCounts(anthropic).request({ messages: [{ role: "user", content }] })).units,
    ).toHaveLength(2);
    expect(
      (
        await createCounts(openaiChat).request({
          messages: [{ role: "user", content }],
        })
      ).units,
    ).toHaveLength(1);
  });

  it("takes a string for the block it stands for, and a cache mark for no difference", async () => {
    const counts = createCounts(anthropic);
    const units = await Promise.all(
      [
        "hello",
        [{ type: "text", text: "hello" }],
        [{ type: "text", text: "hello", cache_control: { type: "ephemeral" } }],
      ].map(
        async (content) =>
          (await counts.request({ messages: [{ role: "user", content }] })).units[0],
      ),
    );
    expect(new Set(units.map((unit) => unit?.key)).size).toBe(1);
    expect(units.map((unit) => unit?.marked)).toEqual([false, false, true]);
  });
});

describe("the prompt cache", () => {
  const ask = async (
    messages: readonly Message[],
    system = words(900, "rule"),
  ): Promise<ProviderRequest> => markCache({ system, messages }, 10_000);

  it("reads what the request before wrote, and writes what is new", async () => {
    const counts = createCounts(anthropic);
    const cache = createPromptCache("anthropic");
    const messages = conversation([300, 200, 100, 200, 300]);
    const first = await counts.request(await ask(messages.slice(0, 1)));
    const second = await counts.request(await ask(messages.slice(0, 3)));
    expect(cache(first)).toEqual({ input: 0, cacheRead: 0, cacheWrite: first.total });
    expect(cache(second)).toEqual({
      input: 0,
      cacheRead: first.total,
      cacheWrite: second.total - first.total,
    });
  });

  it("keeps the system text when a fold changes the messages, and nothing when the system text changes", async () => {
    const counts = createCounts(anthropic);
    const cache = createPromptCache("anthropic");
    const system = await counts.request({ system: words(1_200, "rule"), messages: [] });
    cache(await counts.request(await ask(conversation([300, 200, 100]), words(1_200, "rule"))));
    const folded = cache(
      await counts.request(
        await ask([{ role: "user", content: words(200, "summary") }], words(1_200, "rule")),
      ),
    );
    expect(folded.cacheRead).toBe(system.total);
    expect(
      cache(
        await counts.request(
          await ask([{ role: "user", content: words(200, "summary") }], words(1_200, "other")),
        ),
      ).cacheRead,
    ).toBe(0);
  });

  it("reads in steps of 128 from 1,024 tokens on where the provider caches by itself, and never charges for writing", async () => {
    const counts = createCounts(openaiChat);
    const cache = createPromptCache("openai-chat");
    const messages: Message[] = [
      { role: "system", content: words(1_000) },
      { role: "user", content: words(400) },
      { role: "assistant", content: "yes" },
      { role: "user", content: "go on" },
    ];
    const first = await counts.request({ messages: messages.slice(0, 2) });
    expect(cache(first)).toEqual({ input: first.total, cacheWrite: 0, cacheRead: 0 });
    const second = cache(await counts.request({ messages }));
    expect(second.cacheRead % 128).toBe(0);
    expect(second.cacheRead).toBeGreaterThan(first.total - 128);
    expect(second.cacheWrite).toBe(0);
  });

  it("never reads more than there is, and accounts for every token once", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(fc.integer({ min: 0, max: 400 }), { minLength: 1, maxLength: 9 }), {
          minLength: 1,
          maxLength: 6,
        }),
        fc.boolean(),
        async (requests, native) => {
          const counts = createCounts(native ? anthropic : openaiChat);
          const cache = createPromptCache(native ? "anthropic" : "openai-chat");
          for (const sizes of requests) {
            const request = await counts.request(
              native ? await ask(conversation(sizes)) : { messages: conversation(sizes) },
            );
            const { input, cacheRead, cacheWrite } = cache(request);
            expect(input + cacheRead + cacheWrite).toBe(request.total);
            expect(Math.min(input, cacheRead, cacheWrite)).toBeGreaterThanOrEqual(0);
          }
        },
      ),
      { numRuns: runs(20) },
    );
  });

  const file = "../shared/data/agents/claude-code-subagent.anthropic.json";
  it.skipIf(!existsSync(file))(
    "agrees with the strict server's cache on a real conversation",
    async () => {
      const { messages } = JSON.parse(readFileSync(file, "utf8")) as { messages: Message[] };
      const counts = createCounts(anthropic);
      const ours = createPromptCache("anthropic");
      const theirs = new PromptCache();
      const shares = { ours: 0, theirs: 0, total: { ours: 0, theirs: 0 } };
      for (let upTo = 1; upTo < messages.length; upTo += 2) {
        const request = markCache({ messages: messages.slice(0, upTo) }, upTo * 1_000);
        const counted = await counts.request(request);
        const one = ours(counted);
        const other = theirs.book(request, modelInfo("claude-sonnet-5-5"), upTo);
        shares.ours += one.cacheRead;
        shares.theirs += other.read;
        shares.total.ours += counted.total;
        shares.total.theirs += other.input + other.write5m + other.write1h + other.read;
      }
      expect(shares.ours / shares.total.ours).toBeCloseTo(shares.theirs / shares.total.theirs, 1);
    },
  );
});
