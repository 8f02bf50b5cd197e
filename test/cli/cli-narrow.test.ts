import { describe, expect, it } from "vitest";
import { diffLines, foldLines } from "../../src/cli/verbs/conversations.ts";
import type { Io } from "../../src/cli/render/io.ts";
import { ledgerLines } from "../../src/cli/render/ledger.ts";
import { createPaint, table, width } from "../../src/cli/render/layout.ts";
import { execute } from "../../src/cli/run.ts";
import { openTidemark } from "../../src/index.ts";
import type { FoldDiff, FoldInfo } from "../../src/model/folds.ts";
import type { LedgerLine } from "../../src/model/ledger.ts";
import { NOTHING } from "../../src/engine/runtime/spending.ts";
import { accountOf } from "../../src/engine/accounting/ledger.ts";
import { folder } from "../support/cli.ts";

const paint = createPaint(true);
const within = (columns: number, lines: readonly string[]): void => {
  for (const line of lines) expect(width(line), line).toBeLessThanOrEqual(columns);
};

const fold: FoldInfo = {
  id: "0mwri4bop0002add7f34a3",
  conversation: "0mwri4als00033b1bfdce7",
  label: "the desk by the window, on the left",
  at: 0,
  messages: 137,
  before: 18_383,
  after: 2_833,
  undoneAt: 1,
};
const spent = {
  ...NOTHING,
  calls: 89,
  failed: 2,
  input: 4_572,
  cacheRead: 411_114,
  output: 9_800,
  ms: 45_400,
  dollars: 12.22,
};
const line = (purpose: LedgerLine["purpose"], about = spent) => ({ purpose, spent: about });

describe("a terminal of 60 columns", () => {
  it("shows folds in lines of their own, without losing what they say", () => {
    const lines = foldLines([fold], 60, { paint });
    within(60, lines);
    for (const word of [
      "d7f34a3",
      "137 messages",
      "18.4k → 2.8k tokens",
      "the desk by the window",
      "undone",
    ])
      expect(lines.join("\n").replace(/\s+/g, " ")).toContain(word);
    expect(foldLines([fold], Infinity, { paint })).toHaveLength(1);
    expect(foldLines([fold], Infinity, { paint })[0]).toContain(fold.label);
  });

  it("shows a diff", () => {
    const memory = {
      id: "m",
      content: "The desk is on the left. ".repeat(5).trim(),
      scope: "agent:default",
      kind: "fact" as const,
      category: "decision",
      files: ["MEMORY.md", "memory/2026-11-22.md"],
    };
    const glance = {
      ordinal: 1,
      role: "assistant",
      words: "Understood, and noted down for all the days to come, as it was said.",
    };
    const diff: FoldDiff = {
      fold,
      kept: [glance],
      dropped: [{ ...glance, shortened: true }],
      earlier: 0,
      remembered: {
        summary: "They spoke of the desk. ".repeat(9),
        memories: [memory],
        gone: 2,
        files: memory.files,
        pins: [
          {
            id: "0mwri7eer0005c45a6128f",
            text: "Invoices are always in euro, whatever else is said.",
            pinned: false,
          },
        ],
      },
      tokens: { before: 18_383, after: 2_833 },
    };
    const lines = diffLines(diff, { paint, columns: 60 }, false);
    within(60, lines);
    expect(lines.join("\n")).toContain(fold.id);
  });

  it("shows the books, failures, prices and all", () => {
    const lines = (["turn", "unfolded", "distil", "correct", "catch-up"] as const).map((purpose) =>
      line(purpose),
    );
    const books = {
      total: accountOf(lines),
      conversations: [
        {
          conversation: "0mwri4als00033b1bfdce7",
          label: "the desk by the window",
          ...accountOf(lines.slice(0, 3)),
        },
      ],
    };
    const shown = ledgerLines(books, { paint, columns: 60 });
    within(60, shown);
    for (const word of ["your calls", "to mend", "failed", "$12.22", "time"])
      expect(shown.join("\n")).toContain(word);
    // A column that says nothing makes room for the others.
    const calm = ledgerLines(
      {
        ...books,
        total: accountOf(lines.map((one) => ({ ...one, spent: { ...spent, failed: 0 } }))),
        conversations: [],
      },
      { paint, columns: 60 },
    );
    expect(calm.join("\n")).not.toContain("failed");
  });

  it("shows what a pin and a workspace are, in whole words", async () => {
    const workspace = folder();
    const tidemark = await openTidemark({ workspace, distil: "extractive" });
    await (
      await tidemark.begin({
        model: "m",
        max_tokens: 100,
        messages: [{ role: "user", content: "Good morning." }],
      })
    ).end({
      type: "message",
      role: "assistant",
      content: "Good morning.",
      usage: { input_tokens: 9, output_tokens: 3 },
    });
    await tidemark.close();
    for (const [args, piped] of [
      [["pin", "Invoices are always in euro, and the desk is on the left."], 1],
      [["pins"], 2],
      [["stats"], undefined],
    ] as const) {
      const said: string[] = [];
      const io: Io = {
        say: (text = "") => said.push(...text.split("\n")),
        write: () => undefined,
        warn: (text) => said.push(text),
        paint,
        columns: 60,
        seen: { output: true, errors: true },
        env: {},
      };
      expect(await execute([...args, "--workspace", workspace], io)).toBe(0);
      within(
        60,
        said.filter((text) => !text.includes(workspace)),
      );
      // To a program a thing is one line.
      if (piped === undefined) continue;
      said.length = 0;
      await execute([...args, "--workspace", workspace], {
        ...io,
        seen: { output: false, errors: false },
        columns: 80,
      });
      expect(said).toHaveLength(piped);
    }
  });

  it("keeps a table as it is where there is room", () => {
    const rows = [
      ["what", "calls", "money"],
      ["the whole history", "89", "$0.22"],
    ];
    expect(table(rows, { columns: 80 })).toEqual(table(rows));
    expect(table(rows, { columns: 22 })).toEqual([
      "  what     calls money",
      "  the         89 $0.22",
      "  whole",
      "  history",
    ]);
    // What no longer stands beside the rest stands below it.
    expect(table(rows, { columns: 20 })).toEqual([
      "  what",
      "    calls, money",
      "  the whole history",
      "    89, $0.22",
    ]);
  });
});
