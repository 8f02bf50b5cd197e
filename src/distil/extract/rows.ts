import { contentWords } from "../../text/content-words.ts";
import { oneLine } from "../../text/one-line.ts";
import { asks, isCourtesy } from "./cues.ts";
import { DOCUMENT } from "./own-words.ts";

/** A longer list or table is a listing: somebody else's, or a program's. */
const MOST_ROWS = 12;
const LONGEST = 240;
const LEAD = 80;
/** Under such a line stand secrets whose own lines do not say so. */
const SECRET = /pass|kennw|contrase|mot de passe|\bpins?\b|secret|token|credential|\bkeys?\b|密码|口令|密钥/i;
const ITEM = /^\s{0,8}(?:[-*+•]|\d{1,2}[.)])\s+(?=\S)/;
const TABLE = /^\s{0,4}\|(.{1,600})\|\s*$/;
const RULE = /^[\s|:-]+$/;
/** "Customer no.: 774-20-19", `"port": 6432,`: of a form or a setting. */
const PAIR = /^\s{0,12}["']?(\p{L}[\p{L}\p{N} _./-]{0,30}?)["']?\s?[:=]\s{0,3}(?!\/\/)([^\s{[].{0,79})$/u;
const BRACES = /^[\s{}[\],]*$/;
/** So many pairs make a form, or one fewer under a line that says of what; else they are sentences with a colon. */
const FORM = 3;
const COMMENT = /^\s{0,40}(?:\/\/+|#+|--|\/?\*+)\s+(?=\S)/;

/**
 * What somebody set out in rows, each with the words that say what it is: the heads of a table, the line a list stands under, the
 * other entries of a form, and the comments in code, which are prose. A row alone ("medic: Tuuli") answers no question.
 */
export function rowsOf(text: string): string[] {
  if (text.length > DOCUMENT) return [];
  const found: string[] = [];
  let lead = "";
  let fenced = false;
  let block: { readonly kind: Kind; readonly lead: string; readonly lines: string[] } | undefined;
  const close = (): void => {
    if (block !== undefined && block.lines.length <= MOST_ROWS && !SECRET.test(block.lead)) found.push(...READ[block.kind](block.lines, block.lead));
    block = undefined;
  };
  for (const line of text.split("\n")) {
    if (/^\s{0,20}(?:```|~~~)/.test(line)) {
      close();
      fenced = !fenced;
      continue;
    }
    if (fenced && BRACES.test(line)) continue;
    const kind = kindOf(line, fenced);
    if (block !== undefined && kind !== block.kind) close();
    if (kind === undefined) {
      if (!fenced && line.trim() !== "") lead = /[:：]\s*$/.test(line) && line.length <= LEAD ? line.trim().replace(/\s*[:：]$/, "") : "";
      continue;
    }
    block ??= { kind, lead, lines: [] };
    block.lines.push(line);
  }
  close();
  return found.map((row) => oneLine(row)).filter((row) => row.length <= LONGEST && contentWords(row).length >= 2 && !isCourtesy(row) && !asks(row.replace(/^[^:：]{1,80}[:：]\s*/, "")) && !/[?？]$/.test(row));
}

type Kind = "item" | "table" | "comment" | "pair";

function kindOf(line: string, fenced: boolean): Kind | undefined {
  if (fenced && COMMENT.test(line)) return "comment";
  if (!fenced && TABLE.test(line)) return "table";
  if (!fenced && ITEM.test(line)) return "item";
  return PAIR.test(line) ? "pair" : undefined;
}

/** Without a line that says what the list is, its items are sentences like any other; one that asks makes them errands. */
const items = (lines: readonly string[], lead: string): string[] => (lead === "" || asks(lead) ? [] : lines.map((line) => `${lead}: ${line.replace(ITEM, "")}`));

/** Who is meant stands in one entry, and what is known of him in another: together as far as they fit. A name twice is a talk. */
function formRows(lines: readonly string[], lead: string): string[] {
  const pairs = lines.map((line) => PAIR.exec(line)).map((pair) => ({ name: pair?.[1] ?? "", value: (pair?.[2] ?? "").replace(/["',;\s]+$|^["']/g, "") }));
  if (pairs.length < (lead === "" ? FORM : FORM - 1) || new Set(pairs.map(({ name }) => name.toLowerCase())).size < pairs.length) return [];
  const about = lead === "" || asks(lead) ? "" : `${lead}: `;
  const rows: string[] = [];
  let row = "";
  for (const { name, value } of pairs) {
    const entry = `${name}: ${value}`;
    if (row !== "" && about.length + row.length + entry.length + 2 > LONGEST) {
      rows.push(about + row);
      row = "";
    }
    row += row === "" ? entry : `, ${entry}`;
  }
  return [...rows, about + row];
}

const comments = (lines: readonly string[]): string[] => lines.map((line) => line.replace(COMMENT, "").replace(/\s*\*\/\s*$/, ""));

const READ: Readonly<Record<Kind, (lines: readonly string[], lead: string) => string[]>> = { item: items, table: tableRows, comment: comments, pair: formRows };

function tableRows(lines: readonly string[], lead: string): string[] {
  const rows = lines.map((line) => (TABLE.exec(line)?.[1] ?? "").split("|").map((cell) => cell.trim()));
  const rule = lines.findIndex((line) => RULE.test(line));
  const heads = rule === 1 ? rows[0] : undefined;
  const about = lead === "" || asks(lead) ? "" : `${lead}: `;
  return rows.flatMap((cells, at) => {
    if (at === rule || (heads !== undefined && at === 0)) return [];
    const named = cells.flatMap((cell, column) => (cell === "" ? [] : [heads?.[column] ? `${heads[column]}: ${cell}` : cell]));
    return named.length < 2 ? [] : [`${about}${named.join(", ")}`];
  });
}
