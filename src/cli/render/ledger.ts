import { present } from "../../base/guards.ts";
import type { Account, Purpose, Spent } from "../../model/ledger.ts";
import { readTokens } from "../../model/ports.ts";
import type { Ledger } from "../../engine/options/types.ts";
import { count, dollarsOf, lasted, money, percent, tokens } from "./numbers.ts";
import { type Page, readable, titled, table, hung } from "./layout.ts";

const SAYS: Readonly<Record<Purpose, string>> = {
  distil: "to distil",
  correct: "to mend summaries",
  "catch-up": "to catch up",
  embed: "to embed",
};

/** The books as a person reads them: what was paid, what it would have been, and the difference. Those of each conversation are told as JSON. */
export function ledgerLines({ total }: Ledger, page: Page): string[] {
  if (total.turns.calls + total.memoryTotal.calls === 0) return [];
  const { paint } = page;
  const used = (Object.keys(SAYS) as Purpose[]).filter(
    (purpose) => total.memory[purpose].calls > 0,
  );
  const rows = [
    ["", "calls", "failed", "read", "cached", "written", "time", "money"].map(paint.dim),
    row("your calls", total.turns),
    ...used.map((purpose) => row(SAYS[purpose], total.memory[purpose])),
    ...(used.length === 1 ? [] : [row("memory's in all", total.memoryTotal)]),
    // What of these would not have fitted has a sentence of its own.
    row("the whole history", { ...total.unfolded, failed: 0 }),
  ];
  const [text, colour] = verdict(total);
  const said = (line: string): string[] => hung("  ", line, readable(page));
  return [
    "",
    ...titled("Calls", "tokens read, the share of them from the cache, tokens written", page),
    ...table(filled(rows), { gap: 2, columns: page.columns }),
    ...said(text).map((line) => (colour === undefined ? line : paint[colour](line))),
    ...notes(total).flatMap(said).map(paint.dim),
  ];
}

function row(what: string, spent: Spent): string[] {
  const read = readTokens(spent);
  return [
    what,
    String(spent.calls),
    spent.failed > 0 ? String(spent.failed) : "",
    tokens(read),
    read === 0 ? "" : percent(spent.cacheRead / read),
    tokens(spent.output),
    spent.ms === 0 ? "" : lasted(spent.ms),
    dollarsOf(spent),
  ];
}

/** What it comes to: a saving, a loss, or too little to be told from nothing by the reckoning. A loss is never called so. */
function verdict({ saved }: Account): [text: string, colour?: "green" | "yellow"] {
  const { dollars, tokens: fewer, within = 0 } = saved;
  if (dollars === undefined)
    return fewer >= 0
      ? [`Tidemark spared ${tokens(fewer)} tokens, its own calls counted.`]
      : [
          `A loss: Tidemark took ${tokens(-fewer)} tokens more than the whole history would have.`,
          "yellow",
        ];
  if (dollars < 0)
    return [
      `A loss: Tidemark has cost ${money(-dollars)} more than the whole history would have, its own calls counted.`,
      "yellow",
    ];
  if (dollars <= within)
    return [
      `Tidemark has cost about what the whole history would have: ${money(dollars)} less, which is within the error of the reckoning.`,
    ];
  return [
    `Tidemark has saved ${money(dollars)}, its own calls and caches written anew counted.`,
    "green",
  ];
}

function notes({ turns, memoryTotal, memory, unfolded }: Account): string[] {
  const estimated = turns.estimated + memoryTotal.estimated - memory.embed.estimated;
  const unpriced = turns.unpriced + memoryTotal.unpriced - memory.embed.unpriced;
  return present([
    unfolded.failed > 0 &&
      `${unfolded.failed} of the calls would not have fitted the window with the whole history.`,
    memoryTotal.failed > 0 &&
      `${count(memoryTotal.failed, "call of memory's failed: nothing came of it", "calls of memory's failed: nothing came of them")} but the bill.`,
    estimated > 0 &&
      `Nobody reported all tokens of ${count(estimated, "call")}: what is missing is our own count.`,
    unpriced > 0 &&
      `The price of ${count(unpriced, "call")} is not known: name the model (distil.model) or its prices (models).`,
  ]);
}

/** Without the columns that say nothing but their name. */
function filled(rows: readonly (readonly string[])[]): (readonly string[])[] {
  const says = (at: number): boolean =>
    at === 0 || rows.slice(1).some((row) => (row[at] ?? "") !== "");
  return rows.map((row) => row.filter((_, at) => says(at)));
}
