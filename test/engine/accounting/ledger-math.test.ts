import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { LastCall } from "../../../src/model/ledger.ts";
import { readTokens, type Usage } from "../../../src/model/ports.ts";
import { add, NOTHING, spentOn, unfolded } from "../../../src/engine/runtime/spending.ts";
import { accountOf } from "../../../src/engine/accounting/ledger.ts";
import { runs } from "../../support/runs.ts";

// Round prices, dollars per million: 1 in, 10 out, 1.25 written, 0.1 read.
const prices = { input: 1, output: 10, cacheWrite5m: 1.25, cacheWrite1h: 2, cacheRead: 0.1 };
const usage = (input: number, cacheWrite: number, cacheRead: number, output = 0): Usage => ({
  input,
  cacheWrite,
  cacheRead,
  output,
});
const last = (more: Partial<LastCall> = {}): LastCall => ({
  at: 0,
  sent: 10_000,
  whole: 10_000,
  share: 1,
  prefix: "",
  ...more,
});
const seen = (given: Usage, more: Partial<Parameters<typeof unfolded>[0]> = {}) => ({
  usage: given,
  sent: 1_000,
  given: 1_000,
  at: 1_000,
  prefix: "",
  head: 0,
  ...more,
});

describe("what the whole history would have taken", () => {
  it("is what was paid while nothing is folded", () => {
    expect(unfolded(seen(usage(5, 9_995, 0, 100)), undefined).usage).toEqual(
      usage(5, 9_995, 0, 100),
    );
    expect(unfolded(seen(usage(5, 1_995, 10_000, 100)), last()).usage).toEqual(
      usage(5, 1_995, 10_000, 100),
    );
  });

  it("is larger by as much as the caller's own request is, cached as the last one of its kind was", () => {
    // 5,000 of 5,500 were read; of an unfolded 20,000 a turn ago so would have been all, and the new 2,000 written.
    const { usage: whole, last: next } = unfolded(
      seen(usage(0, 500, 5_000), { sent: 550, given: 2_200 }),
      last({ sent: 5_000, whole: 20_000, prefix: "" }),
    );
    expect(whole).toEqual(usage(0, 2_000, 20_000));
    expect(next).toEqual({ at: 1_000, sent: 5_500, whole: 22_000, share: 1, prefix: "" });
  });

  it("reads on from its cache where a fold has broken ours, as long as it lives", () => {
    // The fold's own request is written anew, 5,000; the unfolded one would have read the 20,000 of a minute ago.
    const call = usage(0, 5_000, 0);
    const before = last({ sent: 20_000, whole: 20_000 });
    expect(
      unfolded(seen(call, { sent: 500, given: 2_100, prefix: "fold", at: 60_000 }), before).usage,
    ).toEqual(usage(0, 1_000, 20_000));
    // After six minutes nothing is left of it either way.
    expect(
      unfolded(seen(call, { sent: 500, given: 2_100, prefix: "fold", at: 360_000 }), before).usage,
    ).toEqual(usage(0, 21_000, 0));
  });

  it("has lost its cache when ours was lost without our doing", () => {
    expect(
      unfolded(
        seen(usage(0, 6_000, 0), { sent: 600, given: 2_200, at: 400_000 }),
        last({ sent: 5_000, whole: 20_000 }),
      ).usage,
    ).toEqual(usage(0, 22_000, 0));
    // All but the last 1,500 of it: a message that was changed. As much at the end of the whole is not read either.
    expect(
      unfolded(
        seen(usage(0, 2_500, 3_500), { sent: 600, given: 2_200, head: 2_000 }),
        last({ sent: 5_000, whole: 20_000 }),
      ).usage,
    ).toEqual(usage(0, 3_500, 18_500));
    // The instructions alone: they are the same in both.
    expect(
      unfolded(
        seen(usage(0, 3_500, 2_500), { sent: 600, given: 2_200, head: 2_400 }),
        last({ sent: 5_000, whole: 20_000 }),
      ).usage,
    ).toEqual(usage(0, 19_500, 2_500));
  });

  it("is plain input where nothing is cached", () => {
    expect(
      unfolded(seen(usage(3_000, 0, 0, 7), { sent: 300, given: 1_200 }), last({ share: 0 })).usage,
    ).toEqual(usage(12_000, 0, 0, 7));
    // A provider that caches by itself reports no writes: what is not read is plain.
    expect(
      unfolded(
        seen(usage(500, 0, 5_000), { sent: 550, given: 2_200 }),
        last({ sent: 5_000, whole: 20_000 }),
      ).usage,
    ).toEqual(usage(2_000, 0, 20_000));
  });

  it("is smaller where Tidemark adds more than it takes", () => {
    expect(
      readTokens(unfolded(seen(usage(0, 1_500, 0), { sent: 150, given: 100 }), undefined).usage),
    ).toBe(1_000);
  });

  it("grows by what the provider counted, not by our count of all that is folded", () => {
    // Our count takes the folded history for a tenth more than it is: 22,000 for 20,000.
    const counted = (sent: number, given: number) => ({
      sent,
      given,
      model: "m",
      grown: { read: 900, sent: 1_000 },
    });
    const before = last({
      sent: 5_000,
      whole: 20_000,
      prefix: "fold",
      counted: counted(5_000, 22_000),
    });
    const { usage: next } = unfolded(
      seen(usage(0, 1_000, 5_000), { sent: 6_000, given: 23_000, prefix: "fold", model: "m" }),
      before,
    );
    expect(readTokens(next)).toBe(21_000);
    // What the caller took away of what is folded is known by our count alone, by the same measure.
    expect(
      readTokens(
        unfolded(
          seen(usage(0, 1_000, 5_000), { sent: 6_000, given: 21_000, prefix: "fold", model: "m" }),
          before,
        ).usage,
      ),
    ).toBe(19_200);
    // A call that folds: what came with it, by the measure of what came before: nine for ten.
    expect(
      readTokens(
        unfolded(
          seen(usage(0, 2_000, 0), { sent: 2_000, given: 23_000, prefix: "another", model: "m" }),
          before,
        ).usage,
      ),
    ).toBe(20_900);
    // Another model counts its own way, and a drift has its bounds.
    expect(
      readTokens(
        unfolded(
          seen(usage(0, 1_000, 5_000), { sent: 6_000, given: 23_000, prefix: "fold", model: "n" }),
          before,
        ).usage,
      ),
    ).toBe(23_000);
    expect(
      readTokens(
        unfolded(
          seen(usage(0, 1_000, 5_000), { sent: 6_000, given: 23_000, prefix: "fold", model: "m" }),
          { ...before, whole: 200_000 },
        ).usage,
      ),
    ).toBe(34_500);
  });

  it("is off by no more than what came in calls that folded, however our own count is off", () => {
    const turn = fc.record({ words: fc.integer({ min: 50, max: 2_000 }), folds: fc.boolean() });
    const measures = fc.record({
      talk: fc.double({ min: 0.8, max: 1.25, noNaN: true }),
      summary: fc.double({ min: 0.8, max: 1.25, noNaN: true }),
    });
    fc.assert(
      fc.property(measures, fc.array(turn, { minLength: 5, maxLength: 60 }), (count, turns) => {
        let state: LastCall | undefined;
        let [all, tail, summary, epoch, doubtful] = [0, 0, 0, 0, 0];
        for (const { words, folds } of turns) {
          all += words;
          tail += words;
          if (folds && all > tail / 2)
            [summary, tail, epoch, doubtful] = [
              400,
              Math.round(tail / 2),
              epoch + 1,
              doubtful + words,
            ];
          const [sent, given] = [
            Math.round(tail * count.talk + summary * count.summary),
            Math.round(all * count.talk),
          ];
          const done = unfolded(
            seen(usage(0, tail + summary, 0), {
              sent: epoch === 0 ? given : sent,
              given,
              prefix: `fold ${epoch}`,
              model: "m",
            }),
            state,
          );
          expect(Math.abs(readTokens(done.usage) - all)).toBeLessThanOrEqual(
            0.6 * doubtful + turns.length,
          );
          state = done.last;
        }
      }),
    );
  });

  it("keeps an account for each model, for each has a cache of its own", () => {
    const counted = (model: string) => ({
      sent: 1_000,
      given: 1_000,
      model,
      grown: { read: 0, sent: 0 },
    });
    const mine = last({
      sent: 5_000,
      whole: 20_000,
      prefix: "fold",
      counted: counted("m"),
      messages: 40,
    });
    // Another model has nothing of it in its cache.
    const other = unfolded(
      seen(usage(0, 5_500, 0), {
        sent: 550,
        given: 2_200,
        prefix: "fold",
        model: "n",
        messages: 42,
      }),
      mine,
    );
    expect(other.usage).toEqual(usage(0, 22_000, 0));
    // The first has read all it had; of the other's request that is less than all.
    const back = unfolded(
      seen(usage(0, 1_000, 5_000), {
        sent: 600,
        given: 2_400,
        prefix: "fold",
        model: "m",
        messages: 44,
      }),
      other.last,
    );
    expect(back.usage.cacheRead).toBe(20_000);
    expect(back.last.others?.map((call) => call.counted?.model)).toEqual(["n"]);
    // A fold broke the cache of both, and each is missed with the first call of its model; not where the provider looked no further back.
    const folded = (messages: number) =>
      unfolded(
        seen(usage(0, 3_000, 0), { sent: 300, given: 2_500, prefix: "next", model: "n", messages }),
        back.last,
      ).usage.cacheRead;
    expect([folded(46), folded(90)]).toEqual([22_000, 0]);
  });

  it("is what the provider would have charged, however models take turns, folds come and pauses are made", () => {
    const turn = fc.record({
      model: fc.constantFrom("m", "n", "o"),
      words: fc.integer({ min: 100, max: 2_000 }),
      folds: fc.boolean(),
      pause: fc.constantFrom(1_000, 1_000, 1_000, 400_000),
    });
    fc.assert(
      fc.property(fc.array(turn, { minLength: 5, maxLength: 80 }), (turns) => {
        let state: LastCall | undefined;
        let [all, tail, epoch, at] = [0, 0, 0, 0];
        const held = new Map<
          string,
          { sent: number; whole: number; epoch: number; at: number; messages: number }
        >();
        for (const [index, { model, words, folds, pause }] of turns.entries()) {
          at += pause;
          all += words;
          tail += words;
          if (folds && tail > 6_000) [tail, epoch] = [2_000, epoch + 1];
          const messages = 2 * index + 1;
          const before = held.get(model);
          const lives =
            before !== undefined && at - before.at <= 300_000 && messages - before.messages <= 20;
          const read = lives && before.epoch === epoch ? before.sent : 0;
          const done = unfolded(
            seen(usage(0, tail - read, read), {
              sent: tail,
              given: all,
              prefix: `fold ${epoch}`,
              model,
              at,
              messages,
            }),
            state,
          );
          expect(readTokens(done.usage)).toBe(all);
          expect(Math.abs(done.usage.cacheRead - (lives ? before.whole : 0))).toBeLessThanOrEqual(
            1,
          );
          held.set(model, { sent: tail, whole: all, epoch, at, messages });
          state = done.last;
        }
      }),
      { numRuns: runs(100) },
    );
  });

  it("always weighs what the caller's request weighs, in whole tokens, none below zero", () => {
    const tokens = fc.nat(500_000);
    const calls = fc.record({
      input: tokens,
      cacheWrite: tokens,
      cacheRead: tokens,
      sent: fc.nat(100_000),
      given: fc.nat(400_000),
      at: fc.nat(10_000_000),
      prefix: fc.constantFrom("", "a", "b"),
    });
    fc.assert(
      fc.property(fc.array(calls, { maxLength: 12 }), (all) => {
        let state: LastCall | undefined;
        for (const { input, cacheWrite, cacheRead, ...about } of all) {
          const done = unfolded(seen(usage(input, cacheWrite, cacheRead), about), state);
          const read = input + cacheWrite + cacheRead;
          const want = about.sent > 0 ? Math.round((read * about.given) / about.sent) : read;
          expect(Math.abs(readTokens(done.usage) - want)).toBeLessThanOrEqual(1);
          for (const part of Object.values(done.usage).filter((tokens) => tokens !== undefined))
            expect(Number.isInteger(part) && part >= 0).toBe(true);
          expect(done.last.share).toBeGreaterThanOrEqual(0);
          expect(done.last.share).toBeLessThanOrEqual(1);
          state = done.last;
        }
      }),
    );
  });
});

describe("an account", () => {
  it("is the unfolded history less all that was paid: a saving, in dollars by hand", () => {
    // Ten turns of 100,000 read from the cache would have been 0.10 $; folded they were 20,000 each: 0.02 $, and one call
    // to distil took 100,000 read, 2,000 written and 1,000 out: 0.01 + 0.0025 + 0.01 $. One rewrite after the fold: 0.025 $.
    const turns = Array.from({ length: 10 }, () => ({
      purpose: "turn" as const,
      spent: spentOn(usage(0, 0, 20_000), { prices }),
    }));
    const rewrite = { purpose: "turn" as const, spent: spentOn(usage(0, 20_000, 0), { prices }) };
    const whole = Array.from({ length: 11 }, () => ({
      purpose: "unfolded" as const,
      spent: spentOn(usage(0, 0, 100_000), { prices }),
    }));
    const distil = {
      purpose: "distil" as const,
      spent: spentOn(usage(0, 2_000, 100_000, 1_000), { prices, ms: 3_000 }),
    };
    const account = accountOf([...turns, rewrite, ...whole, distil]);
    expect(account.unfolded.dollars).toBeCloseTo(0.11, 10);
    expect(account.turns.dollars).toBeCloseTo(0.02 + 0.025, 10);
    expect(account.memoryTotal.dollars).toBeCloseTo(0.0225, 10);
    expect(account.saved.dollars).toBeCloseTo(0.11 - 0.045 - 0.0225, 10);
    expect(account.saved.tokens).toBe(1_100_000 - 220_000 - 103_000);
    expect(account.memory.distil).toMatchObject({ calls: 1, ms: 3_000, output: 1_000 });
    expect(account.memory.correct.calls).toBe(0);
  });

  it("is a loss, below zero, when folding cost more than it spared", () => {
    const account = accountOf([
      { purpose: "turn", spent: spentOn(usage(0, 20_000, 0), { prices }) },
      { purpose: "unfolded", spent: spentOn(usage(0, 0, 40_000), { prices }) },
      { purpose: "distil", spent: spentOn(usage(40_000, 0, 0), { prices }) },
    ]);
    expect(account.saved.dollars).toBeCloseTo(0.004 - 0.025 - 0.04, 10);
    expect(account.saved.tokens).toBe(-20_000);
  });

  it("knows no dollars where a price is not known, but for an embedder's", () => {
    const turn = { purpose: "turn" as const, spent: spentOn(usage(10, 0, 0), { prices }) };
    expect(
      accountOf([
        turn,
        { purpose: "distil", spent: spentOn(usage(10, 0, 0), { prices: undefined }) },
      ]).saved,
    ).toEqual({ tokens: -20 });
    expect(
      accountOf([
        turn,
        { purpose: "embed", spent: spentOn(usage(10, 0, 0), { prices: undefined }) },
      ]).saved.dollars,
    ).toBeCloseTo(-0.00001, 10);
  });

  it("says by how much it may be off: by nothing while nothing is folded and all is reported", () => {
    const spent = (given: Usage, estimated = false) => spentOn(given, { prices, estimated });
    const same = accountOf([
      { purpose: "turn", spent: spent(usage(0, 1_000, 0)) },
      { purpose: "unfolded", spent: spent(usage(0, 1_000, 0)) },
      { purpose: "distil", spent: spent(usage(0, 0, 5_000)) },
    ]);
    expect(same.saved).toEqual({
      tokens: -5_000,
      dollars: expect.closeTo(-0.0005, 10) as number,
      within: 0,
    });
    const folded = accountOf([
      { purpose: "turn", spent: spent(usage(0, 1_000, 0)) },
      { purpose: "unfolded", spent: spent(usage(0, 0, 100_000)) },
    ]);
    expect(folded.saved.within).toBeCloseTo(0.0001, 10);
    const guessed = accountOf([
      { purpose: "turn", spent: spent(usage(1_000, 0, 0), true) },
      { purpose: "unfolded", spent: spent(usage(1_000, 0, 0), true) },
    ]);
    expect(guessed.saved.within).toBeCloseTo(0.0001, 10);
    // At most all that such calls of memory are booked with; those of an embedder have no price.
    const broken = accountOf([
      { purpose: "distil", spent: spent(usage(1_000, 0, 0), true) },
      {
        purpose: "embed",
        spent: spentOn(usage(9_000, 0, 0), { prices: undefined, estimated: true }),
      },
    ]);
    expect(broken.saved).toMatchObject({
      dollars: expect.closeTo(-0.001, 10) as number,
      within: expect.closeTo(0.001, 10) as number,
    });
  });

  it("charges a long request as its model does", () => {
    const long = { ...prices, long: { above: 100_000, times: 5 } };
    expect(spentOn(usage(100_000, 0, 0), { prices: long }).dollars).toBeCloseTo(0.1, 10);
    expect(spentOn(usage(100_001, 0, 0), { prices: long }).dollars).toBeCloseTo(0.500005, 10);
  });

  it("sums in any order and leaves nothing out", () => {
    const some = fc.record({
      input: fc.nat(1e6),
      cacheWrite: fc.nat(1e6),
      cacheRead: fc.nat(1e6),
      output: fc.nat(1e6),
    });
    fc.assert(
      fc.property(fc.array(some, { maxLength: 10 }), (all) => {
        const spent = all.map((one) => spentOn(one, { prices }));
        const [there, back] = [spent.reduce(add, NOTHING), spent.toReversed().reduce(add, NOTHING)];
        expect(there.calls).toBe(all.length);
        expect({ ...there, dollars: 0 }).toEqual({ ...back, dollars: 0 });
        expect(there.dollars).toBeCloseTo(back.dollars, 8);
      }),
    );
  });
});
