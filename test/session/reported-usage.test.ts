import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { usageIn } from "../../src/providers/usage-and-overflow.ts";
import type { ReportedUsage } from "../../src/index.ts";
import type { Complete } from "../../src/core/request.ts";
import { freshTidemark, prose } from "../support/anthropic.ts";
import { play } from "../support/talk.ts";

const answer = JSON.stringify({
  facts: [{ content: "The boat is called Nixe.", category: "core", importance: 0.9, from: [1] }],
  summary: "They spoke of a boat.",
});
const count = fc.nat(1_000_000);

describe("the usage a host's function reports", () => {
  it("is read in our words, in Anthropic's and in OpenAI's", () => {
    fc.assert(
      fc.property(
        fc.integer({ min: 1, max: 1_000_000 }),
        count,
        count,
        count,
        (input, cacheWrite, cacheRead, output) => {
          const usage = { input, cacheWrite, cacheRead, output };
          expect(usageIn(usage)).toEqual(usage);
          expect(usageIn({ input, output })).toEqual({ ...usage, cacheWrite: 0, cacheRead: 0 });
          const anthropic = {
            input_tokens: input,
            cache_creation_input_tokens: cacheWrite,
            cache_read_input_tokens: cacheRead,
            output_tokens: output,
            service_tier: "standard",
          };
          expect(usageIn(anthropic)).toEqual(usage);
          expect(
            usageIn({
              ...anthropic,
              cache_creation_input_tokens: null,
              cache_read_input_tokens: null,
            }),
          ).toEqual({ ...usage, cacheWrite: 0, cacheRead: 0 });
          const chat = {
            prompt_tokens: input + cacheRead,
            completion_tokens: output,
            total_tokens: input + cacheRead + output,
            prompt_tokens_details: { cached_tokens: cacheRead },
          };
          expect(usageIn(chat)).toEqual({ ...usage, cacheWrite: 0 });
          expect(
            usageIn({
              input_tokens: input + cacheRead,
              output_tokens: output,
              input_tokens_details: { cached_tokens: cacheRead },
            }),
          ).toEqual({ ...usage, cacheWrite: 0 });
        },
      ),
    );
  });

  const UNREAD = [
    {},
    { tokens: 5 },
    { inputTokens: 5 },
    { input: -1, output: 5 },
    { input: NaN },
    { input_tokens: "5", output_tokens: 5 },
    { prompt_tokens: Infinity },
    { input: 0, output: 0 },
    5,
    "five",
    [5],
  ];
  it("is not guessed at where it cannot be read", () => {
    for (const usage of [undefined, null, ...UNREAD]) expect(usageIn(usage)).toBeUndefined();
    fc.assert(fc.property(fc.anything(), (usage) => void usageIn(usage)));
  });

  async function booked(usage: unknown) {
    const complete: Complete<ReportedUsage> = () =>
      Promise.resolve({
        text: answer,
        usage: usage as ReportedUsage,
      });
    const { tidemark, events } = await freshTidemark({
      window: { tokens: 12_000 },
      distil: complete,
    });
    const calls = (at: number): string => `Note ${at}. ${prose(500, at)}`;
    await play(tidemark, { calls, turns: 40, idle: true });
    return {
      memory: (await tidemark.stats()).calls.distil,
      told: events.flatMap((event) => (event.type === "degraded" ? [event] : [])),
    };
  }

  it("is what is booked", async () => {
    const { memory, told } = await booked({ input: 900, cacheRead: 100, output: 50 });
    expect(memory.calls).toBeGreaterThan(1);
    expect(memory).toMatchObject({
      input: 900 * memory.calls,
      cacheRead: 100 * memory.calls,
      output: 50 * memory.calls,
    });
    expect(told).toEqual([]);
  });

  it("may be what cannot be read: our own count stands for it", async () => {
    const { memory, told } = await booked({ inputTokens: 900 });
    expect(memory.calls).toBeGreaterThan(1);
    expect(memory.input).toBeGreaterThan(0);
    expect(told).toEqual([]);
  });
});
