import { present } from "../../core/base.ts";
import { type Hit, isTrusted, placeInFiles } from "../../core/memory.ts";
import { type Purpose, readTokens, type Spent } from "../../core/request.ts";
import { contentTerms } from "../../core/text/terms.ts";
import { excerpt } from "../../memory/recalling/excerpt.ts";
import { add, NOTHING } from "../../session/own-calls.ts";
import type { Progress } from "../../tidemark/upkeep/mend.ts";
import { hung, type Io, plain, readable, table, type TextPage, titled, wrap } from "./layout.ts";
import { ago, count, dollarsOf, percent, tokens } from "./numbers.ts";

const INDENT = 7;
const LINES = 4;
const DOUBT = "unverified · ";

/**
 * Facts, passages and turns as a person reads them: score and text, then where it is from and how
 * old.
 */
export function hitLines(hits: readonly Hit[], query: string, page: TextPage): string[] {
  const { paint } = page;
  const wide = readable(page) - INDENT;
  const asked = new Set(contentTerms(query).terms);
  return hits.flatMap((hit) => {
    const lines = wrap(excerpt(plain(hit.text), asked, wide * LINES), wide, LINES);
    const age = hit.memory?.updatedAt ?? hit.at;
    const about = [...whence(hit).map(plain), ...(age === undefined ? [] : [ago(age)])].join(" · ");
    const doubt = hit.role === "tool" || (hit.memory && !isTrusted(hit.memory.origin)) ? DOUBT : "";
    return [
      ...lines.map((line, index) => {
        const score = paint.bold(paint.cyan(`  ${hit.score.toFixed(2)}`));
        const margin = index === 0 ? score : " ".repeat(INDENT - 1);
        return `${margin} ${line}`;
      }),
      ...hung(" ".repeat(INDENT), `${paint.yellow(doubt)}${paint.dim(about)}`, readable(page)),
    ];
  });
}

function whence(hit: Hit): string[] {
  const { from, source, memory, ref } = hit;
  if (from === "files") return [placeInFiles(hit)];
  if (from === "history") return present(["said in a conversation", ref]);
  const scope = memory?.scope === "agent:default" ? undefined : memory?.scope;
  return present([memory?.category, scope, source]);
}

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
    titled("Calls", "tokens read, the share of them from the cache, tokens written", page),
    ...table(rows, 2),
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

/** A work that ends sooner says nothing on its way; a longer one every so often, ms. */
const EVERY = 2_000;

/** Says on standard error how far a long work is. */
export function progressOn({ warn, now = Date.now }: Pick<Io, "warn" | "now">): Progress {
  let next = now() + EVERY;
  return (done, what) => {
    const at = now();
    if (at < next) return;
    next = at + EVERY;
    warn(`tidemark: ${done.toLocaleString("en")} ${what} …`);
  };
}
