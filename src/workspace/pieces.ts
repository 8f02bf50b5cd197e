import { isTrusted } from "../model/origin.ts";
import {
  codeReader,
  headingLevel,
  linesOf,
  withoutComments,
  withoutFrontMatter,
} from "../text/markdown.ts";
import { parseLogLine, withoutTorn } from "./daily-log.ts";
import { readLine } from "./page-line.ts";
import { parseReceiptLine } from "./receipt-line.ts";
import { isRemnant } from "./unread-line.ts";

/** A part of a file that can be found by itself: a paragraph, a bullet, a block of code. */
export interface Piece {
  /** The headings above it, outermost first. */
  readonly heading: string;
  readonly text: string;
  /** The memory whose journal it is, as it was written then. */
  readonly memory?: { readonly id: string; readonly at: number };
}

export const PIECE_BOUND = 2_000;

/** Whole paragraphs where they fit; longer ones cut at a line, a sentence or a space. */
function* cut(text: string): Generator<string> {
  let rest = text.trim();
  while (rest.length > PIECE_BOUND) {
    const part = rest.slice(0, PIECE_BOUND);
    const places = [
      part.lastIndexOf("\n"),
      Math.max(part.lastIndexOf(". ") + 1, part.lastIndexOf("。") + 1),
      part.lastIndexOf(" "),
    ];
    const at =
      places.find((place) => place > PIECE_BOUND / 2) ??
      PIECE_BOUND - (/[\ud800-\udbff]$/.test(part) ? 1 : 0);
    yield rest.slice(0, at).trim();
    rest = rest.slice(at).trim();
  }
  if (rest !== "") yield rest;
}

export function piecesOf(text: string): Piece[] {
  const isCode = codeReader();
  const pieces: Piece[] = [];
  const headings: string[] = [];
  let block: string[] = [];
  const flush = (): void => {
    const heading = headings.filter((title) => title !== "").join(" › ");
    for (const part of cut(block.join("\n"))) pieces.push({ heading, text: part });
    block = [];
  };
  for (const line of linesOf(withoutComments(withoutFrontMatter(text)))) {
    if (isCode(line)) {
      block.push(line);
      continue;
    }
    const level = headingLevel(line);
    const starts = level > 0 || line.trim() === "" || /^[-*+] |^\d{1,9}[.)] /.test(line);
    if (starts) flush();
    if (level > 0) {
      headings.length = Math.min(headings.length, level - 1);
      while (headings.length < level - 1) headings.push("");
      headings.push(line.replace(/^\s*#+\s*|\s*#*\s*$/g, ""));
    } else block.push(line);
  }
  flush();
  return pieces;
}

/** A daily log holds escaped texts and events that are over: what can be found is what still stands in it. */
export function piecesOfLog(text: string): Piece[] {
  const lines = linesOf(withoutTorn(text));
  const events = lines.flatMap((line) => parseLogLine(line) ?? []);
  const over = new Set(
    events.flatMap((line) =>
      line.event === "forgotten" || line.event === "superseded" ? [line.id] : [],
    ),
  );
  const latest = new Map(events.map((line) => [line.id, line]));
  const remembered = [...latest.values()]
    .filter((line) => !over.has(line.id))
    .flatMap((line) =>
      [...cut(line.content)].map((part) => ({
        heading: "Daily log",
        text: isTrusted(line.origin) ? part : `(unverified) ${part}`,
        memory: { id: line.id, at: line.at },
      })),
    );
  return [
    ...piecesOf(
      lines
        .filter(
          (line) =>
            parseLogLine(line) === undefined &&
            parseReceiptLine(line) === undefined &&
            !isRemnant(line),
        )
        .join("\n"),
    ),
    ...remembered,
  ];
}

/** Of MEMORY.md what a person wrote: what it shows of memory is found there. */
export const piecesOfPage = (text: string): Piece[] =>
  piecesOf(
    linesOf(text)
      .filter((raw) => {
        const { mark, id } = readLine(raw) ?? {};
        return mark === undefined && id === undefined;
      })
      .join("\n"),
  );

/** What tools have said when they failed: it is not vouched for. */
export const piecesOfErrors = (text: string): Piece[] =>
  piecesOf(text).map((piece) => ({ ...piece, text: `(unverified) ${piece.text}` }));
