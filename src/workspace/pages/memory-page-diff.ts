import { oneLine } from "../../core/text/cut.ts";
import { linesOf } from "../../core/text/markdown.ts";
import { EMPTY_PAGE, type PageCopy, type PageRead } from "./memory-page.ts";
import { type PageLine, respelled, says } from "./page-lines.ts";

type Written = PageCopy["lines"][number];

export type PageEdits = ReturnType<typeof pageEdits>;

/** Why a page is not read as edited by a person. */
export type PageTrouble = "deleted" | "conflict" | "unreadable" | "emptied";

/**
 * What a person did to a page since it was written. `added`: lines that no writing of it knows;
 * with a mark, where they show a memory all the same.
 */
export function pageEdits(
  { lines }: PageRead,
  copies: readonly PageCopy[],
  written: PageCopy | undefined,
) {
  const left = new Map(written?.lines.map((line) => [line.mark, line]));
  const changed: { line: Written; text: string }[] = [];
  const rest = new Set(lines);
  const settle = (line: PageLine, own: Written): void => {
    rest.delete(line);
    left.delete(own.mark);
    if (!says(line, own.text)) changed.push({ line: own, text: respelled(line.text, own.text) });
  };
  // A copy of a line that is changed leaves the line as it was.
  for (const isSame of [says, () => true])
    for (const line of rest) {
      const own = left.get(line.mark ?? "");
      if (own !== undefined && isSame(line, own.text)) settle(line, own);
    }
  // A mark that was taken off changes nothing; what stands twice is one.
  for (const line of rest) {
    const own = [...left.values()].find(({ text }) => says(line, text));
    if (own !== undefined) settle(line, own);
    else if (written?.lines.some(({ text }) => says(line, text))) rest.delete(line);
  }
  // Another page that was written showed these lines already, so they are no news.
  const others = copies.filter((copy) => copy !== written).flatMap((copy) => copy.lines);
  for (const line of rest)
    if (others.some(({ mark, text }) => mark === line.mark && says(line, text))) rest.delete(line);
  // A line that stands beside the one it was copied from is a memory of its own.
  const stay = new Set(written?.lines.map(({ mark }) => mark)).difference(new Set(left.keys()));
  const added = [...rest].map((line) =>
    line.mark !== undefined && stay.has(line.mark)
      ? { ...line, dated: line.text, mark: undefined }
      : line,
  );
  return { changed, gone: [...left.values()], added };
}

/**
 * The writing a page goes back to: that of its name, the latest where it has none. A name that is
 * not known was given by another database: nothing is known to be gone from that page.
 */
export const writtenAs = ({ name }: PageRead, copies: readonly PageCopy[]): PageCopy | undefined =>
  name === undefined
    ? copies.at(-1)
    : [EMPTY_PAGE.copy, ...copies].findLast((copy) => copy.name === name);

/**
 * Lines that may go at once: five, and no more than a third of the page. A person who cleans up
 * goes in steps; a save that was cut off, a merge or a script takes many. Of a small page two may
 * always go, since a third of four lines is one.
 */
const mayGo = (lines: number): number => Math.min(5, Math.max(2, Math.floor(lines / 3)));

/** Does it end in the midst of a mark, or of a line that is gone, as while it is written? */
function isCut(text: string, { lines }: PageRead, { gone }: PageEdits): boolean {
  const last = lines.at(-1)?.text ?? "\n";
  return (
    !text.endsWith("\n") &&
    gone.length > 0 &&
    (text.lastIndexOf("<!--") > text.lastIndexOf("-->") ||
      gone.some(({ text: was }) => was.startsWith(last) || last.startsWith(was)))
  );
}

/** Undefined where what was done to the page can be a person's doing. */
export function pageTrouble(
  text: string | undefined,
  copies: readonly PageCopy[],
  { read, edits }: { read: PageRead; edits: PageEdits },
): PageTrouble | undefined {
  const known = copies.at(-1);
  if (text === undefined || text.trim() === "")
    return known && (known.lines.length > 0 || known.head !== "") ? "deleted" : undefined;
  const rows = linesOf(text);
  if (rows.some((row) => /^<{7}(?: |$)/.test(row)) && rows.some((row) => /^>{7}(?: |$)/.test(row)))
    return "conflict";
  if (known === undefined) return undefined;
  const wordsOf = ({ head, lines }: PageRead | PageCopy): string[] => [
    ...lines.map((line) => line.text),
    ...linesOf(head).map(oneLine),
  ];
  const ours = new Set(copies.flatMap(wordsOf));
  const isBroken = (words: string): boolean => words.includes("\ufffd") && !ours.has(words);
  if (text.includes("\0") || wordsOf(read).some(isBroken)) return "unreadable";
  const count = writtenAs(read, copies)?.lines.length ?? 0;
  return edits.gone.length > mayGo(count) || isCut(text, read, edits) ? "emptied" : undefined;
}
