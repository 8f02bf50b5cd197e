import { present } from "../../core/base.ts";
import { type Hit, isTrusted, placeInFiles } from "../../core/memory.ts";
import { type Purpose, readTokens, type Spent } from "../../core/request.ts";
import { termSet } from "../../core/text/terms.ts";
import { excerpt } from "../../memory/recalling/excerpt.ts";

import type { Progress } from "../../tidemark/upkeep/mend.ts";
import { type Io, paint, plain, table, titled } from "./layout.ts";
import { ago, count, dollarsOf, percent, tokens } from "./numbers.ts";
import { add, NOTHING } from "../../session/metered-and-spent.ts";

const CHARACTERS = 300;
const DOUBT = "unverified · ";

/**
 * Facts, passages and turns as a person reads them: score and text, then where it is from and how
 * old.
 */
export function hitLines(hits: readonly Hit[], query: string): string[] {
  const asked = termSet(query);
  return hits.flatMap((hit) => {
    const age = hit.memory?.updatedAt ?? hit.at;
    const about = [...whence(hit).map(plain), ...(age === undefined ? [] : [ago(age)])].join(" · ");
    const doubt = hit.role === "tool" || (hit.memory && !isTrusted(hit.memory.origin)) ? DOUBT : "";
    const score = paint.bold(paint.cyan(hit.score.toFixed(2)));
    return [
      `  ${score} ${excerpt(plain(hit.text), asked, CHARACTERS)}`,
      `       ${paint.yellow(doubt)}${paint.dim(about)}`,
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
export function spentLines(spent: Readonly<Record<Purpose, Spent>>): string[] {
  const used = (Object.keys(SAYS) as Purpose[]).filter((purpose) => spent[purpose].calls > 0);
  if (used.length === 0) return [];
  const all = used.map((purpose) => spent[purpose]).reduce(add, NOTHING);
  const rows = [
    ["", "calls", "read", "cached", "written", "money"].map(paint.dim),
    ...used.map((purpose) => row(SAYS[purpose], spent[purpose])),
    ...(used.length === 1 ? [] : [row("in all", all)]),
  ];
  // The price of embedding stands in no list.
  const unpriced = all.unpriced - spent.embed.unpriced;
  return present([
    "",
    titled("Calls", "tokens read, the share of them from the cache, tokens written"),
    table(rows, 2),
    unpriced > 0 &&
      paint.dim(
        `  The price of ${count(unpriced, "call")} is not known: name the model (distil.model) ` +
          "or its prices (models).",
      ),
  ]);
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
