import { contentWords } from "../../text/content-words.ts";
import { oneLine } from "../../text/one-line.ts";
import { asks, isCourtesy } from "./cues.ts";
import { DOCUMENT } from "./own-words.ts";

/** A longer list or table is a listing: somebody else's, or a program's. */
const MOST_ROWS = 12;
const LONGEST = 240;
const LEAD = 80;
const ITEM = /^\s{0,8}(?:[-*+•]|\d{1,2}[.)])\s+(?=\S)/;
const TABLE = /^\s{0,4}\|(.{1,600})\|\s*$/;
const RULE = /^[\s|:-]+$/;
const COMMENT = /^\s{0,40}(?:\/\/+|#+|--|\/?\*+)\s+(?=\S)/;

/**
 * What somebody set out in rows, each with the words that say what it is: the heads of a table, the line a list stands under, and the
 * comments in code, which are prose. A row alone ("medic: Tuuli") answers no question.
 */
export function rowsOf(text: string): string[] {
  if (text.length > DOCUMENT) return [];
  const found: string[] = [];
  let lead = "";
  let fenced = false;
  let block: { readonly kind: "item" | "table" | "comment"; readonly lead: string; readonly lines: string[] } | undefined;
  const close = (): void => {
    if (block !== undefined && block.lines.length <= MOST_ROWS) found.push(...(block.kind === "table" ? tableRows(block.lines, block.lead) : block.kind === "item" ? items(block.lines, block.lead) : block.lines));
    block = undefined;
  };
  for (const line of text.split("\n")) {
    if (/^\s{0,20}(?:```|~~~)/.test(line)) {
      close();
      fenced = !fenced;
      continue;
    }
    const kind = fenced ? (COMMENT.test(line) ? "comment" : undefined) : TABLE.test(line) ? "table" : ITEM.test(line) ? "item" : undefined;
    if (block !== undefined && kind !== block.kind) close();
    if (kind === undefined) {
      if (!fenced && line.trim() !== "") lead = /[:：]\s*$/.test(line) && line.length <= LEAD ? line.trim().replace(/\s*[:：]$/, "") : "";
      continue;
    }
    block ??= { kind, lead, lines: [] };
    block.lines.push(kind === "comment" ? line.replace(COMMENT, "").replace(/\s*\*\/\s*$/, "") : line);
  }
  close();
  return found.map((row) => oneLine(row)).filter((row) => row.length <= LONGEST && contentWords(row).length >= 2 && !isCourtesy(row) && !asks(row.replace(/^[^:：]{1,80}[:：]\s*/, "")) && !/[?？]$/.test(row));
}

/** Without a line that says what the list is, its items are sentences like any other; one that asks makes them errands. */
const items = (lines: readonly string[], lead: string): string[] => (lead === "" || asks(lead) ? [] : lines.map((line) => `${lead}: ${line.replace(ITEM, "")}`));

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
