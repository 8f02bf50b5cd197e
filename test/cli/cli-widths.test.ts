import { describe, expect, it } from "vitest";
import { plant } from "../../src/cli/conform/planting.ts";
import { report as conformed } from "../../src/cli/conform/report.ts";
import { diffLines, foldLines } from "../../src/cli/verbs/conversations.ts";
import { overview, verbHelp } from "../../src/cli/run.ts";
import { hitLines } from "../../src/cli/render/hits.ts";
import { ledgerLines } from "../../src/cli/render/ledger.ts";
import { createPaint, table, plain, width } from "../../src/cli/render/layout.ts";
import type { Played, Way } from "../../src/cli/replay/figures.ts";
import { report } from "../../src/cli/replay/report.ts";
import { VERBS } from "../../src/cli/verbs.ts";
import type { FoldDiff, FoldInfo } from "../../src/model/folds.ts";
import type { Purpose, Spent } from "../../src/model/ledger.ts";
import type { Hit, Memory } from "../../src/model/memory.ts";
import { NOTHING } from "../../src/engine/runtime/spending.ts";
import { accountOf } from "../../src/engine/accounting/ledger.ts";

// What chance seldom brings together is always tried: every figure at its longest at once, texts of wide characters, of one
// word without an end, of nothing; in every terminal from the narrowest one that is promised a width.

const COLUMNS = [40, 60, 80, 100] as const;
const TEXTS = [
  "港のデスクで話したこと、そして手紙のこと。".repeat(8),
  "x".repeat(300),
  "\u001b[31mred\u001b[0m\u0007 and some words more ".repeat(9),
  "a",
  "",
];
const ESCAPE = /\u001b|\u0007/;

function keeps(
  lines: (look: { columns: number; paint: ReturnType<typeof createPaint> }) => readonly string[],
): string[] {
  return COLUMNS.flatMap((columns) => {
    for (const line of lines({ columns, paint: createPaint(true) }))
      expect(width(line), line).toBeLessThanOrEqual(columns);
    const bare = lines({ columns, paint: createPaint(false) });
    for (const line of bare) expect(line).not.toMatch(ESCAPE);
    return [bare.join(" ").replace(/\s+/g, " ")];
  });
}

const PURPOSES: readonly (Purpose | "turn" | "unfolded")[] = [
  "turn",
  "unfolded",
  "distil",
  "correct",
  "catch-up",
  "embed",
];
const longest: Spent = {
  calls: 99_999,
  failed: 99_999,
  ms: 3_559_000_000,
  unpriced: 1,
  estimated: 99_999,
  dollars: 99_999.99,
  input: 9_999e6,
  cacheRead: 9_999e6,
  cacheWrite: 9_999e6,
  output: 99_999e6,
};
const SPENT: Readonly<Record<string, Spent>> = {
  longest,
  priced: { ...longest, unpriced: 0, estimated: 0 },
  unpriced: { ...longest, unpriced: 99_999, dollars: 0 },
  usual: {
    ...NOTHING,
    calls: 89,
    failed: 2,
    input: 4_572,
    cacheRead: 411_114,
    output: 9_800,
    ms: 45_400,
    dollars: 12.22,
  },
  nothing: NOTHING,
};

describe("in 40, 60, 80 and 100 columns, with everything at its longest", () => {
  it("stand the books, a saving or a loss, whatever a conversation is called", () => {
    for (const spent of Object.values(SPENT))
      for (const whole of [0, 1, 3])
        for (const label of [...TEXTS, undefined]) {
          const account = accountOf(
            PURPOSES.map((purpose) => ({
              purpose,
              spent: purpose === "unfolded" ? { ...spent, dollars: spent.dollars * whole } : spent,
            })),
          );
          const one = {
            conversation: "0mwri4als00033b1bfdce7",
            ...(label === undefined ? {} : { label }),
            ...account,
          };
          keeps((look) =>
            ledgerLines(
              { total: account, conversations: Array.from({ length: 100 }, () => one) },
              look,
            ),
          );
        }
  });

  it("lose no figure of the books for want of room", () => {
    const account = accountOf(PURPOSES.map((purpose) => ({ purpose, spent: longest })));
    const ledger = { total: account, conversations: [] };
    for (const shown of keeps((look) => ledgerLines(ledger, look)))
      for (const figure of [
        "99999",
        "399996",
        "29997M",
        "33 %",
        "99999M",
        "989 h",
        "$99999.99 +",
        "$399999.96 +",
      ])
        expect(shown).toContain(figure);
  });

  it("stand hits, where they are from, and why they are", () => {
    for (const text of TEXTS)
      for (const from of ["memory", "files", "history"] as const) {
        const memory = {
          id: "m",
          category: text,
          scope: `project:${text}`,
          origin: "tool" as const,
          updatedAt: 0,
        } as Memory;
        const hit: Hit = {
          id: "m",
          from,
          content: text,
          text,
          score: 1,
          why: { words: 1, meaning: 1, recency: 1, use: 1, importance: 1 },
          source: text,
          ref: text,
          role: "tool",
          ...(from === "memory" ? { memory } : {}),
        };
        const shown = keeps((look) => [...hitLines([hit], text, look)]);
        for (const one of shown)
          for (const part of ["unverified", "1.00"]) expect(one).toContain(part);
      }
  });

  it("stand folds and what became of their messages", () => {
    for (const label of [...TEXTS, undefined]) {
      const text = label ?? "";
      const fold: FoldInfo = {
        id: "0mwri4bop0002add7f34a3",
        conversation: "0mwri4als00033b1bfdce7",
        ...(label === undefined ? {} : { label }),
        at: 0,
        messages: 99_999,
        before: 99_999e6,
        after: 99_999e6,
        undoneAt: 1,
      };
      for (const one of keeps(({ columns, paint }) => foldLines([fold, fold], columns, { paint })))
        for (const part of ["d7f34a3", "99999 messages", "99999M → 99999M tokens", "undone"])
          expect(one).toContain(part);
      const glance = { ordinal: 1_234_567, role: text === "" ? "assistant" : text, words: text };
      const memory = {
        id: "m",
        content: text,
        scope: `agent:${text}`,
        kind: "fact",
        category: text,
        files: [text, text],
      };
      for (const pinned of [true, false])
        for (const all of [true, false]) {
          const remembered = {
            summary: text,
            memories: [memory],
            gone: 99_999_999,
            files: memory.files,
            pins: [{ id: "0mwri7eer0005c45a6128f", text, pinned }],
          };
          const diff: FoldDiff = {
            fold,
            kept: [glance],
            dropped: Array.from({ length: 30 }, () => ({ ...glance, shortened: true as const })),
            earlier: 9_999_999_999,
            remembered,
            tokens: { before: 99_999e6, after: 99_999e6 },
          };
          for (const one of keeps((look) => diffLines(diff, look, all)))
            for (const part of ["1234567", "9999999999", "99999999 more", "shortened"])
              expect(one).toContain(part);
        }
    }
  });

  it("stands what is left of canaries", () => {
    const canaries = plant(1);
    for (const name of TEXTS) {
      const survived = {
        folds: 10,
        before: 9_999e6,
        after: 9_999e6,
        invalid: 99_999,
        refused: `at fold 2: ${name}`,
        stuck: true,
        early: true,
        inPrompt: canaries.map(() => true),
        inSearch: canaries.map(() => true),
      };
      const ways = [
        ["", name],
        ["Tidemark", "no model"],
        ["Tidemark", "poor model"],
      ].map(([by = "", called = ""]) => ({ by, name: called, canaries, survived }));
      for (const one of keeps((look) =>
        conformed(ways, { folds: 100, window: 999e6, seed: 2 ** 31 }, look as never),
      ))
        for (const part of ["no model", "poor model", "9999M", "99999", "100 %"])
          expect(one).toContain(part);
    }
  });

  it("stands a conversation that was played", () => {
    for (const text of TEXTS)
      for (const [cost, refused] of [
        [99_999.99, 9_999_999],
        [99_999.99, 0],
        [undefined, 0],
      ] as const) {
        const way: Way = {
          requests: 9_999_999,
          refused,
          ...(refused > 0 ? { refusedFrom: 9_999_999 } : {}),
          largest: 9_999e6,
          input: 9_999e6,
          cacheWrite: 9_999e6,
          cacheRead: 9_999e6,
          output: 9_999e6,
          ...(cost === undefined ? {} : { cost }),
        };
        const step = {
          request: 1,
          came: 3,
          level: 1.2,
          mark: "brim" as const,
          sent: 1,
          whole: 1,
          flushed: true,
          folded: { messages: 3, before: 9e9, after: 9e8 },
          refused: true,
          recovered: true,
        };
        const remembered = (["tool", "user"] as const).map((origin) => ({
          content: text,
          category: text,
          importance: 1,
          origin,
        }));
        const about = {
          format: "anthropic" as const,
          messages: 999_999_999,
          model: text,
          guessedModel: true,
          window: 999e6,
          limit: 999e6,
          counting: "exact" as const,
          folds: 99_999,
          facts: 99_999_999,
          memoryCalls: 999_999,
          ms: 1,
        };
        const played: Played = {
          file: `/tmp/${text}`,
          ...about,
          steps: [step, step, step],
          with: way,
          without: { ...way, ...(cost === undefined ? {} : { cost: cost / 2 }) },
          remembered,
          troubles: [text],
          notes: [text],
        };
        for (const one of keeps((look) => report(played, look)))
          for (const part of ["9999M", "29997M", "facts saved", "99999 folds"])
            expect(one).toContain(part);
      }
  });

  it("stands the help of every verb, each word of it", async () => {
    const verbs = await Promise.all(
      Object.entries(VERBS).map(async ([name, { load }]) => [name, await load()] as const),
    );
    const words = (text: string): string => text.replaceAll("\\", " ").replace(/\s+/g, " ");
    for (const one of keeps(({ columns }) => overview(columns).split("\n")))
      for (const { says } of Object.values(VERBS)) expect(words(one)).toContain(says);
    for (const [name, verb] of verbs)
      for (const one of keeps(({ columns }) => verbHelp(name, verb, columns).split("\n")))
        for (const text of [...Object.values(verb.flags).map(({ says }) => says), ...verb.examples])
          expect(words(one)).toContain(text);
  });

  it("breaks no example within quotes so that a shell would read other words", async () => {
    for (const [name, { load }] of Object.entries(VERBS)) {
      const verb = await load();
      for (const columns of [40, 60, 80, 100])
        for (const quoted of verb.examples.join(" ").match(/"[^"]*"/g) ?? [])
          expect(verbHelp(name, verb, columns).replaceAll("\\\n", "")).toContain(quoted);
    }
  });

  it("stands any table, with every cell in it", () => {
    const rows = [
      ["", "one", "two", "three", "four"],
      ["a name", "1", "", "3", "4".repeat(20)],
      ["another name of many words", "", "22", "3".repeat(15), ""],
      [],
      ["x".repeat(50), "1", "2", "3", "4"],
    ];
    for (const one of keeps(({ columns }) => table(rows, { columns })))
      for (const cell of rows.flatMap(([, ...cells]) => cells)) expect(one).toContain(plain(cell));
  });
});
