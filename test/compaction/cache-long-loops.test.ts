import { kindOf, afterwards, MODEL, prose } from "../support/anthropic.ts";
import { describe, expect, it } from "vitest";
import { openTidemark, type Options, type TidemarkEvent } from "../../src/index.ts";
import { capabilitiesOf, costOf } from "../../src/providers/common/models.ts";
import type { Message, ProviderRequest } from "../../src/core/request.ts";
import {
  distilAsk,
  type InputUsage,
  modelInfo,
  PromptCache,
  refusalOf,
} from "../support/messages-server/index.ts";
import { distilReply } from "../support/messages-server/distil-replies.ts";

const MINUTE = 60_000;
const mark = (ttl?: "1h") => ({ cache_control: { type: "ephemeral", ...(ttl ? { ttl } : {}) } });
const rules = prose(1_200, 3);
const tools = ["look", "find"].map((name, index) => ({
  name,
  description: prose(80, index),
  input_schema: { type: "object" },
}));

/** What one call read and wrote. */
interface Call extends InputUsage {
  readonly total: number;
  /** The first one of its epoch: a fold has changed what stands before it. */
  readonly first: boolean;
  readonly folded: boolean;
}

interface Talk {
  readonly calls: readonly Call[];
  readonly distils: readonly Call[];
  readonly events: readonly TidemarkEvent[];
  /** Dollars, calls behind the conversation included. */
  readonly cost: number;
}

interface TalkOptions {
  readonly turns: number;
  readonly base?: Record<string, unknown>;
  /** ms from the end of a turn to the next one. */
  readonly pace?: (turn: number) => number;
  /** Calls at once in this turn; 0: none. */
  readonly parallel?: (turn: number) => number;
  readonly words?: number;
  readonly window?: Options["window"];
  readonly model?: string;
}

/** A chat loop against the strict server's rules and its cache, without the wire between. */
async function talk({
  turns,
  base = { system: rules, tools },
  pace = () => 20_000,
  parallel = () => 0,
  words = 150,
  window = {},
  model = MODEL,
}: TalkOptions): Promise<Talk> {
  const cache = new PromptCache();
  const info = modelInfo(model);
  const prices = capabilitiesOf(model).prices!;
  let now = Date.UTC(2026, 0, 1);
  const calls: Call[] = [];
  const distils: Call[] = [];
  const events: TidemarkEvent[] = [];
  let cost = 0;
  const send = (request: ProviderRequest, list: Call[], folded: boolean, output: number) => {
    const body = JSON.parse(JSON.stringify(request)) as ProviderRequest;
    const refusal = refusalOf(body, info);
    if (refusal) throw new Error(refusal.message);
    const usage = cache.book(body, info, now);
    list.push({
      ...usage,
      total: usage.input + usage.write5m + usage.write1h + usage.read,
      first: list.length === 0 || folded,
      folded,
    });
    const spent = {
      input: usage.input,
      cacheWrite: usage.write5m + usage.write1h,
      cacheRead: usage.read,
      output,
    };
    cost += costOf({ ...spent, cacheWrite1h: usage.write1h }, prices);
    return spent;
  };
  const tidemark = await openTidemark({
    workspace: false,
    window: { tokens: 40_000, ...Object(window) },
    now: () => now,
    listen: (event) => events.push(event),
    distil: async ({ system, messages, tools: given, maxTokens }) => {
      await new Promise((resolve) => setImmediate(resolve));
      const request = {
        ...base,
        ...(system === undefined ? {} : { system }),
        ...(given === undefined ? {} : { tools: given }),
        model,
        max_tokens: maxTokens,
        messages,
      };
      const text = distilReply(request, distilAsk(request) ?? "", "well") as string;
      return { text, usage: send(request, distils, false, 300) };
    },
  });
  afterwards(() => tidemark.close());
  const messages: Message[] = [];
  let ids = 0;
  const call = async (reply: () => unknown[]): Promise<void> => {
    // A caller that marks its newest message takes the mark off the one before, as the provider's examples do.
    const turn = await tidemark.begin({ model, max_tokens: 400, ...base, messages });
    const spent = send(turn.request, calls, turn.folded !== undefined, 60);
    const message = { role: "assistant", content: reply() };
    await turn.end({
      id: "m",
      type: "message",
      model,
      stop_reason: "end_turn",
      ...message,
      usage: {
        input_tokens: spent.input,
        cache_creation_input_tokens: spent.cacheWrite,
        cache_read_input_tokens: spent.cacheRead,
        output_tokens: 60,
      },
    });
    messages.push(message);
    for (let rounds = 0; rounds < 4; rounds++)
      await new Promise((resolve) => setImmediate(resolve));
  };
  for (let turn = 0; turn < turns; turn++) {
    now += pace(turn);
    messages.push({ role: "user", content: `Turn ${turn}: ${prose(words, turn)}` });
    const many = parallel(turn);
    if (many > 0) {
      const wanted = Array.from({ length: many }, () => `call_${ids++}`);
      await call(() =>
        wanted.map((id) => ({ type: "tool_use", id, name: "look", input: { at: id } })),
      );
      messages.push({
        role: "user",
        content: wanted.map((id) => ({
          type: "tool_result",
          tool_use_id: id,
          content: `${id}: ${prose(10, turn)}`,
        })),
      });
    }
    await call(() => [{ type: "text", text: `Noted ${turn}. ${prose(20, turn)}` }]);
    await tidemark.idle();
  }
  await tidemark.close();
  return { calls, distils, events, cost };
}

const shareOf = (calls: readonly Call[]): number =>
  calls.reduce((sum, { read }) => sum + read, 0) / calls.reduce((sum, { total }) => sum + total, 0);
const later = ({ calls }: Talk): Call[] => calls.filter(({ first }) => !first);

/** Calls that did not read all that the one before them had written. */
const misses = ({ calls }: Talk): number[] =>
  calls.flatMap(({ read, first }, index) =>
    !first && read < calls[index - 1]!.total ? [index] : [],
  );

describe("a long loop", () => {
  it("reads from the cache all that the last call wrote, with 25 calls in one turn too, and so do its distillings", async () => {
    const loop = await talk({
      turns: 90,
      words: 100,
      window: { tokens: 20_000 },
      parallel: (turn) => (turn % 10 === 0 ? 25 : turn % 7 === 0 ? 2 : 0),
    });
    expect(loop.events.filter(({ type }) => type === "folded").length).toBeGreaterThan(1);
    expect(misses(loop)).toEqual([]);
    expect(shareOf(later(loop))).toBeGreaterThan(0.9);
    expect(loop.distils.length).toBeGreaterThan(1);
    expect(shareOf(loop.distils)).toBeGreaterThan(0.85);
    for (const { read, total } of loop.distils) expect(read / total).toBeGreaterThan(0.85);
    // A fold leaves the caller's own tools and rules warm, though our sections behind them are new.
    for (const { read } of loop.calls.filter(({ folded }) => folded))
      expect(read).toBeGreaterThan(1_200);
    expect(loop.events.filter((event) => kindOf(event) === "waited")).toEqual([]);
  });

  const long = [{ type: "text", text: rules, ...mark("1h") }];
  it("does so with marks of the caller's that last an hour", async () => {
    const loop = await talk({
      turns: 45,
      base: { system: long, tools: [tools[0], { ...tools[1], ...mark("1h") }] },
      window: { tokens: 24_000 },
      pace: () => 4 * MINUTE,
      parallel: (turn) => (turn % 5 === 0 ? 24 : 0),
    });
    expect(misses(loop)).toEqual([]);
    expect(shareOf(later(loop))).toBeGreaterThan(0.9);
    expect(shareOf(loop.distils)).toBeGreaterThan(0.85);
  });
});

describe("a conversation the provider has forgotten", () => {
  /** Long pauses now and then: lunch, a night. */
  const pauses = (turn: number): number => (turn % 9 === 8 ? 12 * MINUTE : 20_000);

  it("is folded early, where a summary is at hand", async () => {
    const options = { turns: 80, words: 260, pace: pauses };
    const early = await talk(options);
    const levels = (loop: Talk): number[] =>
      loop.events.flatMap((event) => (event.type === "folded" ? [event.before / 39_600] : []));
    expect(levels(early).some((level) => level > 0.6 && level < 0.7)).toBe(true);
    expect(
      early.events.filter(
        (event) => kindOf(event) === "waited" || kindOf(event) === "fold-refused",
      ),
    ).toEqual([]);
  });

  it("is left as it is while it is warm, below the flush mark, and with no summary at hand", async () => {
    const warm = await talk({ turns: 60, words: 260 });
    expect(
      warm.events
        .flatMap((event) => (event.type === "folded" ? [event.before / 39_600] : []))
        .every((level) => level >= 0.69),
    ).toBe(true);
    const below = await talk({
      turns: 30,
      words: 260,
      pace: () => 12 * MINUTE,
      window: { tokens: 200_000 },
    });
    expect(below.events.filter(({ type }) => type === "folded" || type === "distilled")).toEqual(
      [],
    );
  });
});
