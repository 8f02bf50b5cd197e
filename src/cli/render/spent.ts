import type { Purpose, Spent } from "../../model/spent.ts";
import { readTokens } from "../../model/ports.ts";
import { add, NOTHING } from "../../engine/runtime/spending.ts";
import { count, dollarsOf, percent, tokens } from "./numbers.ts";
import { hung, type TextPage, readable, table, titled } from "./layout.ts";

const SAYS: Readonly<Record<Purpose, string>> = {
  turn: "your calls",
  distil: "to distil",
  read: "to read short sessions",
  embed: "to embed",
};

/** Calls, tokens and money by purpose; nothing where no call was made. */
export function spentLines(spent: Readonly<Record<Purpose, Spent>>, page: TextPage): string[] {
  const used = (Object.keys(SAYS) as Purpose[]).filter((purpose) => spent[purpose].calls > 0);
  if (used.length === 0) return [];
  const { paint } = page;
  const all = used.map((purpose) => spent[purpose]).reduce(add, NOTHING);
  const rows = [
    ["", "calls", "read", "cached", "written", "money"].map(paint.dim),
    ...used.map((purpose) => row(SAYS[purpose], spent[purpose])),
    ...(used.length === 1 ? [] : [row("in all", all)]),
  ];
  // The price of embedding stands in no list.
  const unpriced = all.unpriced - spent.embed.unpriced;
  const note =
    `The price of ${count(unpriced, "call")} is not known: name the model (distil.model) ` +
    "or its prices (models).";
  return [
    "",
    ...titled("Calls", "tokens read, the share of them from the cache, tokens written", page),
    ...table(rows, { gap: 2, columns: page.columns }),
    ...(unpriced > 0 ? hung("  ", note, readable(page)).map(paint.dim) : []),
  ];
}

function row(what: string, spent: Spent): string[] {
  const read = readTokens(spent);
  return [
    what,
    String(spent.calls),
    tokens(read),
    read === 0 ? "" : percent(spent.cacheRead / read),
    tokens(spent.output),
    dollarsOf(spent),
  ];
}
