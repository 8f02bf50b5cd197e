import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { usageIn } from "../../src/providers/usage-and-overflow.ts";
import type { ReportedUsage } from "../../src/index.ts";
import type { Complete, Message } from "../../src/core/request.ts";
import {
  afterwards,
  asked,
  freshTidemark,
  MODEL,
  prose,
  setUp,
  typesOf,
} from "../support/anthropic.ts";
import { assistant, play, user } from "../support/talk.ts";

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
        ...(usage === undefined ? {} : { usage: usage as ReportedUsage }),
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

  for (const usage of [
    { input: 900, cacheRead: 100, output: 50 },
    { input_tokens: 900, cache_read_input_tokens: 100, output_tokens: 50 },
    { prompt_tokens: 1_000, prompt_tokens_details: { cached_tokens: 100 }, completion_tokens: 50 },
  ])
    it(`is what is booked: ${Object.keys(usage).join(", ")}`, async () => {
      const { memory, told } = await booked(usage);
      expect(memory.calls).toBeGreaterThan(1);
      expect(memory).toMatchObject({
        input: 900 * memory.calls,
        cacheRead: 100 * memory.calls,
        output: 50 * memory.calls,
      });
      expect(told).toEqual([]);
    });

  it.each([undefined, { inputTokens: 900 }])(
    "may be left out, or be what cannot be read: our own count stands for it (%j)",
    async (usage) => {
      const { memory, told } = await booked(usage);
      expect(memory.calls).toBeGreaterThan(1);
      expect(memory.input).toBeGreaterThan(0);
      expect(told).toEqual([]);
    },
  );
});

/** Figures, of which the server counts fewer tokens than the estimate. */
const figures = (count: number, seed: number): string =>
  Array.from({ length: count }, (_, at) => ((at + seed * 1_000) * 2_654_435_761).toString(16)).join(
    " ",
  );

describe("a call that is cut off", () => {
  it("is booked as the provider counts, though it never says so", async () => {
    const { server, tidemark, client, events } = await setUp({
      window: { tokens: 20_000, patience: 20 },
      server: { window: 20_000, distil: "hang" },
    });
    afterwards(() => server.script({ distil: "well" }));
    const messages: Message[] = [];
    const say = async (words: number): Promise<void> => {
      messages.push(user(`Note ${messages.length}. ${figures(words, messages.length)}`));
      messages.push(
        assistant(
          (
            await client.messages.create({
              model: MODEL,
              max_tokens: 500,
              messages: [...messages] as never,
            })
          ).content,
        ),
      );
    };
    for (let at = 0; at < 60 && asked(server).length === 0; at++) await say(90);
    await say(900);
    expect(typesOf(events)).toContain("folded");
    const { distil } = (await tidemark.stats()).calls;
    const [cut] = asked(server);
    expect(distil.calls).toBe(1);
    expect(Math.abs(distil.input / cut!.tokens - 1)).toBeLessThan(0.06);
    expect(server.refusals).toEqual([]);
  });
});
