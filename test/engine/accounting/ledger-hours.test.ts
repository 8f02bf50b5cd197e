import { describe, expect, it } from "vitest";
import { capabilitiesOf, costOf } from "../../../src/dialect/models/capabilities.ts";
import { openTidemark } from "../../../src/index.ts";
import type { Message, ProviderRequest } from "../../../src/model/request.ts";
import { markCache } from "../../../src/dialect/anthropic/breakpoints.ts";
import { unfolded } from "../../../src/engine/runtime/spending.ts";
import { afterwards, MODEL, prose } from "../../support/anthropic.ts";
import {
  type InputUsage,
  type Json,
  modelInfo,
  PromptCache,
} from "../../support/messages-server/index.ts";

const MINUTE = 60_000;
const prices = capabilitiesOf(MODEL).prices!;
const mark = (ttl?: "1h") => ({
  cache_control: { type: "ephemeral" as const, ...(ttl ? { ttl } : {}) },
});
const rules = prose(1_200, 3);
const long = { system: [{ type: "text" as const, text: rules, ...mark("1h") }] };
const whole = { system: rules, ...mark("1h") };
const dollarsOf = ({ input, write5m, write1h, read }: InputUsage, output: number): number =>
  costOf(
    { input, cacheWrite: write5m + write1h, cacheWrite1h: write1h, cacheRead: read, output },
    prices,
  );

interface Bill {
  readonly paid: number;
  readonly unfolded: number;
}

/** The same conversation folded, and whole beside it, each with a cache of its own; `more`: what the last message holds in its own turn only. */
async function played(
  base: Record<string, unknown>,
  {
    pace = () => 20_000,
    turns = 110,
    more,
  }: {
    pace?: (turn: number) => number;
    turns?: number;
    more?: (turn: number) => string;
  } = {},
) {
  const [cache, other, info] = [new PromptCache(), new PromptCache(), modelInfo(MODEL)];
  let [now, folds] = [Date.UTC(2026, 0, 1), 0];
  const real = { paid: 0, unfolded: 0 };
  const tidemark = await openTidemark({
    workspace: false,
    inject: false,
    window: { tokens: 12_000 },
    distil: "extractive",
    now: () => now,
  });
  afterwards(() => tidemark.close());
  const messages: Message[] = [];
  for (let turn = 0; turn < turns; turn++) {
    now += pace(turn);
    const said = `Turn ${turn}: ${prose(150, turn)}`;
    messages.push({ role: "user", content: said });
    const request: ProviderRequest = {
      model: MODEL,
      max_tokens: 400,
      ...base,
      messages: more
        ? messages.with(-1, { role: "user", content: `${said}\n\n${more(turn)}` })
        : messages,
    };
    const { request: sent, window, folded, end } = await tidemark.begin(request);
    if (folded) folds++;
    const used = cache.book(JSON.parse(JSON.stringify(sent)) as Json, info, now);
    real.paid += dollarsOf(used, 60);
    real.unfolded += dollarsOf(
      other.book(
        JSON.parse(JSON.stringify(markCache(request, window.used + 5_000))) as Json,
        info,
        now,
      ),
      60,
    );
    const message = {
      role: "assistant",
      content: [{ type: "text", text: `Noted ${turn}. ${prose(20, turn)}` }],
    };
    const lives = {
      cache_creation: {
        ephemeral_5m_input_tokens: used.write5m,
        ephemeral_1h_input_tokens: used.write1h,
      },
    };
    await end({
      id: "m",
      type: "message",
      model: MODEL,
      stop_reason: "end_turn",
      ...message,
      usage: {
        input_tokens: used.input,
        cache_creation_input_tokens: used.write5m + used.write1h,
        cache_read_input_tokens: used.read,
        output_tokens: 60,
        ...lives,
      },
    });
    messages.push(message);
    await tidemark.idle();
  }
  expect(folds).toBeGreaterThan(1);
  const { turns: paid, unfolded: reckoned } = (await tidemark.stats()).ledger.total;
  const booked: Bill = { paid: paid.dollars, unfolded: reckoned.dollars };
  return { real, booked };
}

const cases: [string, Record<string, unknown>, ((turn: number) => number)?][] = [
  ["five minutes for all", { system: rules }],
  ["an hour for the system text", long],
  ["an hour for all, a turn every ten minutes", whole, () => 10 * MINUTE],
  [
    "an hour for the system text, a pause now and then",
    long,
    (turn) => (turn % 8 === 7 ? 12 * MINUTE : 20_000),
  ],
];

describe("the money in the books", () => {
  for (const [name, base, pace] of cases)
    it(`is the provider's bill, and nearly what the whole history would have been billed: ${name}`, async () => {
      const { real, booked } = await played(base, pace ? { pace } : {});
      expect(booked.paid).toBeCloseTo(real.paid, 6);
      expect(booked.unfolded / real.unfolded).toBeGreaterThan(0.995);
      expect(booked.unfolded / real.unfolded).toBeLessThan(1.005);
    });

  it("is nearly that too with a last message that holds more in its own turn than later", async () => {
    const { real, booked } = await played(
      { system: rules },
      { more: (turn) => `Found for this: ${prose(120, turn + 500)}` },
    );
    expect(booked.paid).toBeCloseTo(real.paid, 6);
    expect(booked.unfolded / real.unfolded).toBeGreaterThan(0.98);
    expect(booked.unfolded / real.unfolded).toBeLessThan(1.02);
  });

  it("holds a summary the provider made on its own within a call, on both sides", async () => {
    const tidemark = await openTidemark({ workspace: false, inject: false });
    afterwards(() => tidemark.close());
    const turn = await tidemark.begin({
      model: MODEL,
      max_tokens: 100,
      messages: [{ role: "user", content: "hi" }],
    });
    const sampling = (type: string, input: number) => ({
      type,
      input_tokens: input,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 10,
      cache_creation: null,
    });
    const usage = {
      input_tokens: 500,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 20,
      iterations: [
        sampling("message", 300),
        sampling("compaction", 180_000),
        sampling("message", 200),
      ],
    };
    await turn.end({
      id: "m",
      type: "message",
      role: "assistant",
      model: MODEL,
      stop_reason: "end_turn",
      content: "Hello.",
      usage,
    });
    const { turns, unfolded: reckoned, saved } = (await tidemark.stats()).ledger.total;
    expect(turns).toMatchObject({ calls: 1, input: 180_500, output: 30 });
    expect(reckoned).toMatchObject({ input: 180_500, output: 30 });
    expect(saved).toEqual({ tokens: 0, dollars: 0, within: 0 });
  });
});

describe("how long what was written lives", () => {
  const usage = { input: 0, cacheWrite: 10_000, cacheRead: 0, output: 0 };
  it("is as long for the whole history as for what was sent: a minute after a fold, and after ten", () => {
    const before = { at: 0, sent: 20_000, whole: 60_000, share: 1, prefix: "", hour: 60_000 };
    const seen = {
      usage: { ...usage, cacheWrite1h: 10_000 },
      sent: 1_000,
      given: 6_200,
      prefix: "fold",
      head: 0,
    };
    for (const at of [MINUTE, 10 * MINUTE])
      expect(unfolded({ ...seen, at }, before).usage).toEqual({
        input: 0,
        cacheWrite: 2_000,
        cacheWrite1h: 2_000,
        cacheRead: 60_000,
        output: 0,
      });
    expect(unfolded({ ...seen, at: 61 * MINUTE }, before).usage).toMatchObject({
      cacheWrite: 62_000,
      cacheWrite1h: 62_000,
      cacheRead: 0,
    });
    // Of a history whose system text alone lives on, that is read.
    const head = { ...before, hour: 3_000 };
    expect(
      unfolded(
        {
          ...seen,
          usage: { ...usage, cacheRead: 3_000, cacheWrite: 7_000, cacheWrite1h: 0 },
          at: 10 * MINUTE,
        },
        head,
      ).usage,
    ).toMatchObject({ cacheRead: 3_000, cacheWrite: 59_000 });
  });
});
