import { clip, oneLine } from "../../core/text/cut.ts";
import {
  codeReader,
  headingLevel,
  headingText,
  linesOf,
  withoutComments,
  withoutFrontMatter,
} from "../../core/text/markdown.ts";
import type { PageChunk, Passage } from "../../storage/search-index.ts";
import { isOurs } from "../pages/log-and-page-copies.ts";
import { readLine } from "../pages/page-lines.ts";
import { readRecord } from "./record-file.ts";

/** A part of a file that can be found by itself: a paragraph, a bullet, a block of code. */
export type PagePiece = Passage;

/** Characters of a piece, and of a chunk of them. */
export const PIECE_BOUND = 2_000;
/**
 * Where a paragraph is cut, its second part begins so many characters earlier: what stands across
 * the cut is found whole.
 */
const OVERLAP = 100;

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
    const at = places.find((place) => place > PIECE_BOUND / 2) ?? wholeAt(part, PIECE_BOUND);
    yield part.slice(0, at).trim();
    const space = part.indexOf(" ", at - OVERLAP);
    const again = space < 0 || space >= at ? wholeAt(part, at - OVERLAP) : space;
    rest = rest.slice(again).trim();
  }
  if (rest !== "") yield rest;
}

/** Not between the halves of a character. */
const wholeAt = (text: string, at: number): number =>
  /[\ud800-\udbff]/.test(text.charAt(at - 1)) ? at - 1 : at;

/**
 * Pieces that follow each other, as far as they fit together; a heading begins a chunk where the
 * one before it is half full.
 */
export function chunksOf(pieces: readonly PagePiece[]): PageChunk[] {
  const chunks: PageChunk[] = [];
  let passages: Passage[] = [];
  let size = 0;
  for (const { heading, text } of pieces) {
    const isTurning = size > PIECE_BOUND / 2 && passages.at(-1)?.heading !== heading;
    if (passages.length === 0 || isTurning || size + text.length > PIECE_BOUND) {
      [passages, size] = [[], 0];
      chunks.push({ passages });
    }
    passages.push({ heading, text });
    size += text.length;
  }
  return chunks;
}

export function piecesOf(text: string): PagePiece[] {
  const isCode = codeReader();
  const pieces: PagePiece[] = [];
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
      headings.splice(level - 1);
      // A level that was left out is a hole in the list, which is passed over.
      headings[level - 1] = headingText(line);
    } else block.push(line);
  }
  flush();
  return pieces;
}

/** Only a person's own lines of a page: memories it shows are found as memories. */
const piecesBeside =
  (isShown: (raw: string) => boolean) =>
  (text: string): PagePiece[] =>
    piecesOf(
      linesOf(text)
        .filter((raw) => !isShown(raw))
        .join("\n"),
    );

export const piecesOfLog = piecesBeside(isOurs);
export const piecesOfPage = piecesBeside((raw) => readLine(raw)?.mark !== undefined);

/** Characters of a record's other names and keywords together. */
const LONGEST_NAMES = 1_000;

/**
 * A record is found by its other names and keywords, too: they stand beside the heading of its
 * first piece. One whose front matter cannot be read is text like any other.
 */
export function piecesOfRecord(text: string): PagePiece[] {
  const read = readRecord(text);
  if ("broken" in read) return piecesOf(text);
  const { aliases, keywords } = read.head;
  const named = clip(oneLine([...aliases, ...keywords].join(" · ")), LONGEST_NAMES);
  const pieces = piecesOf(read.body);
  if (named === "") return pieces;
  const [first = { heading: "", text: named }, ...rest] = pieces;
  const heading = [first.heading, named].filter((part) => part !== "").join(" · ");
  return [{ ...first, heading }, ...rest];
}

/** The words of tools are not vouched for. */
export const piecesOfErrors = (text: string): PagePiece[] =>
  piecesOf(text).map((piece) => ({ ...piece, text: `(unverified) ${piece.text}` }));
