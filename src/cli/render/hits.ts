import { present } from "../../base/guards.ts";
import { placeInFiles, type Hit, isTrusted } from "../../model/memory.ts";
import { type TextPage, readable, hung, plain, wrap } from "./layout.ts";
import { excerpt } from "../../engine/turn/excerpt.ts";
import { contentTerms } from "../../text/terms.ts";
import { ago } from "./numbers.ts";

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
