import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { ledgerLines } from "../../src/cli/render/ledger.ts";
import { lasted } from "../../src/cli/render/numbers.ts";
import { createPaint, width } from "../../src/cli/render/layout.ts";
import type { LedgerLine, Spent } from "../../src/model/ledger.ts";
import { NOTHING, spentOn } from "../../src/engine/runtime/spending.ts";
import { accountOf } from "../../src/engine/accounting/ledger.ts";
import type { Ledger } from "../../src/engine/options/types.ts";
import { runs } from "../support/runs.ts";

type Line = Pick<LedgerLine, "purpose" | "spent">;
const look = { paint: createPaint(false), columns: 80 };
const prices = { input: 1, output: 10, cacheWrite5m: 1.25, cacheWrite1h: 2, cacheRead: 0.1 };
const usage = (input: number) => ({ input, cacheWrite: 0, cacheRead: 0, output: 0 });
const of = (purpose: Line["purpose"], spent: Partial<Spent>): Line => ({
  purpose,
  spent: { ...NOTHING, calls: 1, ...spent },
});
const books = (...conversations: (readonly [string | undefined, readonly Line[]])[]): Ledger => ({
  total: accountOf(conversations.flatMap(([, lines]) => lines)),
  conversations: conversations.map(([label, lines], at) => ({
    conversation: `conversation-${at}`,
    ...(label === undefined ? {} : { label }),
    ...accountOf(lines),
  })),
});
const shown = (ledger: Ledger): string => ledgerLines(ledger, look).join("\n");

describe("the books in the terminal", () => {
  const turn = of("turn", {
    calls: 12,
    input: 20_000,
    cacheRead: 60_000,
    output: 900,
    dollars: 0.9,
  });
  const whole = of("unfolded", { calls: 12, input: 300_000, dollars: 3 });

  it("show tokens, cache reads, time, money and failures of memory's calls, by purpose and together", () => {
    const distil = of("distil", {
      calls: 3,
      failed: 1,
      input: 10_000,
      cacheRead: 30_000,
      output: 1_500,
      ms: 9_400,
      dollars: 0.2,
    });
    const correct = of("correct", { calls: 1, input: 2_000, output: 500, ms: 700, dollars: 0.05 });
    expect(shown(books(["desk", [turn, whole, distil, correct]]))).toMatchInlineSnapshot(`
      "
      Calls tokens read, the share of them from the cache, tokens written
                           calls  failed  read  cached  written    time   money
        your calls            12           80k    75 %      900           $0.90
        to distil              3       1   40k    75 %     1.5k   9.4 s   $0.20
        to mend summaries      1            2k     0 %      500  700 ms  $0.050
        memory's in all        4       1   42k    71 %       2k    10 s   $0.25
        the whole history     12          300k     0 %        0           $3.00
        Tidemark has saved $1.85, its own calls and caches written anew counted.
        1 call of memory's failed: nothing came of it but the bill."
    `);
  });

  it("call a loss a loss, and say what is not known", () => {
    const lines = (...more: Line[]): string =>
      shown(books([undefined, [of("turn", spentOn(usage(100_000), { prices })), ...more]]));
    const dear = lines(of("unfolded", spentOn(usage(50_000), { prices, failed: true })));
    expect(dear).toMatch(
      /A loss: Tidemark has cost \$0\.050 more than the whole history would have, its\s+own calls counted\.\n {2}1 of the calls would not have fitted/,
    );
    const unknown = lines(
      of("distil", spentOn(usage(50_000), { prices: undefined, estimated: true })),
    );
    expect(unknown).toMatch(
      /to distil .+\?\n[^]*A loss: Tidemark took 150k tokens more[^]*Nobody reported all tokens of 1 call:[^]*The price of 1 call is not known/,
    );
    expect(ledgerLines({ total: accountOf([]), conversations: [] }, look)).toEqual([]);
  });

  it("claim no saving that is within the error of the reckoning", () => {
    const near = (dollars: number): string =>
      shown(
        books(["desk", [of("turn", { dollars: 1 }), of("unfolded", { dollars: 1 + dollars })]]),
      );
    expect(near(0.005)).toContain(
      "Tidemark has cost about what the whole history would have: $0.0050 less",
    );
    expect(near(0.05)).toContain("Tidemark has saved $0.050");
    expect(near(-0.001)).toContain("A loss: Tidemark has cost $0.0010 more");
  });

  it("keep to 80 columns, whatever they hold", () => {
    const spent = fc.record({
      ...{
        calls: fc.nat(999),
        failed: fc.nat(99),
        ms: fc.nat(10 ** 7),
        estimated: fc.nat(9),
        unpriced: fc.nat(3),
        dollars: fc.nat(50 * 10 ** 6).map((micro) => micro / 10 ** 6),
      },
      ...{
        input: fc.nat(10 ** 8),
        cacheWrite: fc.nat(10 ** 8),
        cacheRead: fc.nat(10 ** 8),
        output: fc.nat(10 ** 8),
      },
    });
    const line = fc.record({
      purpose: fc.constantFrom<Line["purpose"][]>(
        "turn",
        "unfolded",
        "distil",
        "correct",
        "catch-up",
        "embed",
      ),
      spent,
    });
    const label = fc.option(
      fc.oneof(
        fc.string({ unit: "binary", maxLength: 60 }),
        fc.constant("港のデスクで話したこと、そして手紙のこと"),
      ),
      { nil: undefined },
    );
    fc.assert(
      fc.property(
        fc.array(fc.tuple(label, fc.array(line, { maxLength: 6 })), { maxLength: 10 }),
        (conversations) => {
          for (const row of ledgerLines(books(...conversations), look))
            expect(width(row), row).toBeLessThanOrEqual(80);
        },
      ),
      { numRuns: runs(133) },
    );
    // Every figure at its longest at once, which chance seldom brings together.
    const longest = {
      calls: 99_999,
      failed: 99_999,
      ms: 3_559_000_000,
      unpriced: 1,
      dollars: 99_999.99,
      input: 9_999 * 10 ** 6,
      cacheRead: 1,
    };
    for (const row of ledgerLines(
      books([
        "the desk at the harbour",
        [of("distil", longest), of("correct", longest), of("turn", longest)],
      ]),
      look,
    ))
      expect(width(row), row).toBeLessThanOrEqual(80);
    const unknown = { ...longest, unpriced: 99_999, dollars: 0 };
    for (const row of ledgerLines(
      books(["the desk at the harbour", [of("distil", unknown), of("turn", unknown)]]),
      look,
    ))
      expect(width(row), row).toBeLessThanOrEqual(80);
  });

  it("say how long in at most three digits", () => {
    expect(
      [0, 850, 999.6, 3_210, 9_960, 45_400, 59_600, 86_000, 599_000, 3_569_000, 5_400_000].map(
        lasted,
      ),
    ).toEqual([
      "0 ms",
      "850 ms",
      "1 s",
      "3.2 s",
      "10 s",
      "45 s",
      "1 min",
      "1.4 min",
      "10 min",
      "59 min",
      "1.5 h",
    ]);
  });
});
