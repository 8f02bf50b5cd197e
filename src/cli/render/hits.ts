import { type Hit } from "../../model/memory.ts";
import { type Io } from "../io.ts";
import { ago } from "./numbers.ts";
import { plain, wrap } from "./text.ts";

const WIDEST = 100;
const INDENT = 7;
const LINES = 4;
/** Characters before the first found word that still stand in the snippet. */
const LEAD = 60;

/** Facts, passages and turns as a person reads them: score and text, then where it is from and how old. */
export function hitLines(hits: readonly Hit[], query: string, { io, now, at }: { io: Pick<Io, "paint" | "columns">; now: number; at?: ReadonlyMap<string, number> }): string[] {
  const { paint } = io;
  const wide = Math.min(WIDEST, io.columns) - INDENT;
  const words = [...query.matchAll(/[\p{L}\p{N}]{3,}/gu)].map(([word]) => word.toLowerCase());
  return hits.flatMap((hit) => {
    const lines = wrap(around(plain(hit.text), words, wide * LINES), wide, LINES);
    const age = hit.memory?.updatedAt ?? at?.get(hit.source);
    const about = [...whence(hit), ...(age === undefined ? [] : [ago(age, now)])].join(" · ");
    const trust = hit.memory && (hit.memory.origin === "tool" || hit.memory.origin === "untrusted") ? paint.yellow("unverified · ") : "";
    return [
      ...lines.map((line, index) => `${index === 0 ? paint.bold(paint.cyan(`  ${hit.score.toFixed(2)}`)) : " ".repeat(INDENT - 1)} ${highlighted(line, words, paint.bold)}`),
      `${" ".repeat(INDENT)}${trust}${paint.dim(about)}`,
    ];
  });
}

function whence({ from, source, memory, ref }: Hit): string[] {
  if (from === "memory") return [...(memory ? [memory.category, ...(memory.scope === "agent:default" ? [] : [memory.scope])] : []), source].map(plain);
  return from === "files" ? [plain(source)] : ["said in a conversation", ...(ref === undefined ? [] : [plain(ref)])];
}

/** A long text from a little before the first of the words on. */
function around(text: string, words: readonly string[], most: number): string {
  const lower = text.toLowerCase();
  const found = words.map((word) => lower.indexOf(word)).filter((place) => place >= 0);
  const first = Math.min(...found);
  if (found.length === 0 || text.length <= most || first <= LEAD) return text;
  const start = text.indexOf(" ", first - LEAD);
  return `…${text.slice(start < 0 || start > first ? first : start)}`;
}

function highlighted(line: string, words: readonly string[], paint: (text: string) => string): string {
  if (words.length === 0) return line;
  const pattern = new RegExp(words.map((word) => word.replace(/[.*+?^${}()|[\]\\]/g, "\\$&")).join("|"), "giu");
  return line.replace(pattern, (word) => paint(word));
}
