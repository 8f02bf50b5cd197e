import type { Memory } from "../../core/memory.ts";
import { digest } from "../../core/text/cut.ts";
import {
  codeReader,
  headingLevel,
  headingText,
  linesOf,
  unwrapped,
} from "../../core/text/markdown.ts";
import {
  isBullet,
  isMarked,
  lineOf,
  marksOf,
  type PageLine,
  readLine,
  shownText,
} from "./page-lines.ts";

export type PageRead = ReturnType<typeof readPage>;

/** How a page was written: what a person changed shows against it. */
export interface PageCopy {
  readonly name: string;
  readonly head: string;
  readonly lines: readonly { readonly mark: string; readonly id: string; readonly text: string }[];
}

const anyOf = (...words: readonly string[]): RegExp => new RegExp(words.join("|"));

/**
 * The headings of MEMORY.md, and the words in a category that put a memory under each; the last
 * takes the rest. What is written under a heading gets a category that has such a word, so that it
 * stands there again.
 */
const GROUPS: readonly (readonly [heading: string, words: RegExp, category?: string])[] = [
  [
    "You",
    anyOf(
      "^(?:core|you|user|self|me)$|identit|person|profile|contact|famil|health|allerg",
      "biograph|birthday|relationship",
    ),
    "identity",
  ],
  [
    "Rules and preferences",
    anyOf(
      "rule|prefer|principle|polic|procedure|correction|convention|style|best-practice",
      "instruction|constraint|like",
    ),
    "rule",
  ],
  ["Decisions", /decision|decided|choice/, "decision"],
  [
    "Where work stands",
    /open|request|outcome|status|task|progress|todo|plan|deadline|daily|work-state|next/,
    "status",
  ],
  [
    "What went wrong",
    /fail|incident|mistake|error|dead-?end|bug|wrong|trap|pitfall|problem/,
    "failed-approach",
  ],
  ["Worth knowing", /(?:)/],
];

const STATE = /^conversation\/.*\/(?:open-request|outcome)$/;

/** The heading a memory stands under. */
export function groupOf({ category, key = "" }: Pick<Memory, "category" | "key">): string {
  if (STATE.test(key)) return "Where work stands";
  const word = category.toLowerCase();
  return GROUPS.find(([, words]) => words.test(word))?.[0] ?? "Worth knowing";
}

/**
 * The category of what a person writes under a heading; undefined where the heading says nothing.
 */
export const categoryUnder = (heading: string | undefined): string | undefined =>
  GROUPS.find(([name]) => name.toLowerCase() === heading?.toLowerCase())?.[2];

const HEAD = "<!-- tidemark:head -->";
const HEAD_END = "<!-- /tidemark:head -->";

function span(lines: readonly string[]): { start: number; end: number } | undefined {
  const start = lines.findIndex((line) => line.trim() === HEAD);
  const end = lines.findIndex((line, index) => index > start && line.trim() === HEAD_END);
  return start < 0 || end < 0 ? undefined : { start, end };
}

/** The text between the markers of MEMORY.md, as it is written. */
export function headOf(text: string): string {
  const lines = linesOf(text);
  const { start, end } = span(lines) ?? { start: 0, end: 0 };
  return lines
    .slice(start + 1, end)
    .join("\n")
    .trim();
}

/**
 * The file with another text between its markers; one that has lost them gets new ones, before all
 * else.
 */
export function withHead(text: string, head: string): string {
  const lines = linesOf(text);
  const found = span(lines);
  const inside = head.trim() === "" ? [] : [head.trim()];
  if (found === undefined) return [HEAD, ...inside, HEAD_END, "", text].join("\n");
  return [...lines.slice(0, found.start + 1), ...inside, ...lines.slice(found.end)].join("\n");
}

/** A text that can open no comment, and so no marker and no mark of an entry. */
export const markless = (text: string): string =>
  text.replaceAll("<!--", "<! --").replaceAll("-->", "-- >");

export const PAGE = { lines: 60, characters: 6_000 } as const;
/** Left to the lines however much a person wrote between the markers. */
const LEAST_FOR_LINES = 1_500;

const OPENING = `# Memory

<!--
What Tidemark remembers. Change a line and the memory changes; delete one and it is over;
write a new one wherever you like. The short marks tie lines to memories.
What you write between the next two markers is yours: it stays, and always comes first.
-->

${HEAD}
`;
/** In the comment of ours. */
const OURS = "What Tidemark remembers.";
const NAME = /^<!-- page ([0-9a-f]{8}) -->$/;
const OWN_HEADINGS: ReadonlySet<string> = new Set(GROUPS.map(([name]) => name.toLowerCase()));
/** Neither words of a person nor ours: tables, quotes, rules, pictures. */
const NO_TEXT = /^\s*(?:\||>|!\[|(?:[-*_]\s*){3,}$)/;

type PagePart = "lines" | "head" | "own";

/**
 * MEMORY.md as it is read: what stands between the markers, and what of the rest is no line of
 * text, which is a person's own; its lines; and the name of the writing it goes back to.
 */
export function readPage(text: string) {
  const rows = unwrapped(linesOf(text));
  const isCode = codeReader();
  const [head, own, lines]: [string[], string[], PageLine[]] = [[], [], []];
  let part: PagePart = "lines";
  let heading: string | undefined;
  let name: string | undefined;
  let titled = false;
  const ends = rows.findIndex((row) => row.trim() === HEAD_END);
  const lastEnd = rows.findLastIndex((row) => row.includes("-->"));
  for (let at = 0; at < rows.length; at += 1) {
    const row = rows[at] ?? "";
    const bare = row.trim();
    if (part !== "head" && bare === HEAD && ends > at) part = "head";
    else if (bare === HEAD_END) part = "lines";
    else if (part === "head") {
      head.push(row);
      const line = readLine(row);
      if (line !== undefined && isMarked(line)) lines.push({ ...line, head: true });
    } else if (NAME.test(bare)) name = NAME.exec(bare)?.[1];
    else if (isCode(row)) own.push(row);
    else if (bare.startsWith("<!--") && at <= lastEnd) {
      let end = at;
      while (rows[end]?.includes("-->") !== true) end += 1;
      const comment = rows.slice(at, end + 1).join("\n");
      if (!comment.includes(OURS)) own.push(comment);
      at = end;
    } else if (headingLevel(row) > 0) {
      heading = headingText(bare);
      const isTitle = !titled && headingLevel(row) === 1;
      part = isTitle || OWN_HEADINGS.has(heading.toLowerCase()) ? "lines" : "own";
      if (isTitle) [heading, titled] = [undefined, true];
      if (part === "own") own.push(row);
    } else if (part === "own" || NO_TEXT.test(row)) own.push(row);
    else if (bare !== "") addLine(lines, row, { heading, before: rows[at - 1] ?? "" });
  }
  const kept = [head, own].map((some) => some.join("\n").trim()).filter((some) => some !== "");
  return { head: kept.join("\n\n"), lines, name };
}

/** A line that goes on the one before it belongs to it. */
function addLine(
  lines: PageLine[],
  row: string,
  { heading, before }: { heading: string | undefined; before: string },
): void {
  const line = readLine(row);
  if (line === undefined) return;
  const last = lines.at(-1);
  const goesOn =
    before.trim() !== "" &&
    !isBullet(row) &&
    (/^\s{2,}\S|^\p{Ll}/u.test(row) || isWrapped(before, row));
  if (goesOn && last !== undefined && !last.head && !isMarked(line)) {
    const text = `${last.dated} ${line.dated}`;
    lines[lines.length - 1] = { ...last, text, dated: text };
  } else lines.push({ ...line, heading });
}

/** A memory as a page shows it; it holds since `at`. */
export type ShownMemory = Pick<Memory, "id" | "content" | "category" | "key" | "origin" | "at">;

/** A row that had no room for the next word, and ends no sentence. */
const WRAPPED = { from: 72, upTo: 120 } as const;

function isWrapped(before: string, row: string): boolean {
  const width = `${before.trimEnd()} ${row.split(" ", 1)[0] ?? ""}`.length;
  return before.length <= WRAPPED.upTo && width > WRAPPED.from && !/[.!?。]\s*$/.test(before);
}

/**
 * The page of these memories, the weightiest first, as many as there is room for, and its copy.
 * `lifted`: the memories of the marks in a person's own part. The same ones always give the same
 * page.
 */
export function writePage(
  memories: readonly ShownMemory[],
  { head: own, lifted }: { head: string; lifted: ReadonlyMap<string, string> },
): { text: string; copy: PageCopy } {
  const worded = memories.filter(({ content }) => shownText(content) !== "");
  const byId = new Map(worded.map((memory) => [memory.id, memory]));
  const marks = marksOf([...byId.keys()]);
  const shownLine = (memory: ShownMemory): string => lineOf(memory, marks.get(memory.id) ?? "");
  const inHead = new Set<ShownMemory>();
  const head = own
    .split("\n")
    .flatMap((row) => {
      const { mark } = readLine(row) ?? {};
      if (mark === undefined) return [row];
      const memory = byId.get(lifted.get(mark) ?? "");
      if (memory === undefined || inHead.has(memory)) return [];
      inHead.add(memory);
      return [shownLine(memory)];
    })
    .join("\n")
    .trim();
  const top = `${OPENING}${head === "" ? "" : `${head}\n`}${HEAD_END}\n`;
  let room = Math.max(LEAST_FOR_LINES, PAGE.characters - top.length - FRAME);
  const fitting = worded
    .filter((memory) => !inHead.has(memory))
    .slice(0, Math.max(0, PAGE.lines - inHead.size))
    .filter((memory) => (room -= shownLine(memory).length + 1) >= 0);
  const newest = (one: ShownMemory, other: ShownMemory): number =>
    other.at - one.at || (one.id < other.id ? 1 : -1);
  const groups = GROUPS.flatMap(([heading]) => {
    const rows = fitting
      .filter((memory) => groupOf(memory) === heading)
      .sort(newest)
      .map(shownLine);
    return rows.length === 0 ? [] : [`\n## ${heading}\n\n${rows.join("\n")}\n`];
  });
  const lines = [...inHead, ...fitting].map(({ id, content }) => ({
    mark: marks.get(id) ?? "",
    id,
    text: shownText(content),
  }));
  const body = `${top}${groups.join("")}`;
  const name = nameOf(body);
  return { text: body + ending(name), copy: { name, head, lines } };
}

const nameOf = (body: string): string => digest("page", body).slice(0, 8);
const ending = (name: string): string => `\n<!-- page ${name} -->\n`;

/** Is the page the writing of this name, to the letter? */
export const isWriting = (text = "", name = ""): boolean =>
  nameOf(text.replace(ending(name), "")) === name;

/** Characters of the headings, the blank lines and the page's name. */
const FRAME = 170;

/** A page to start with, as the template has it. */
export const EMPTY_PAGE = writePage([], { head: "", lifted: new Map() });
