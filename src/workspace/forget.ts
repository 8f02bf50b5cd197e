import type { Scope } from "../model/identity.ts";
import { linesOf } from "../text/markdown.ts";
import { backupsOf } from "./pages/backups.ts";
import type { Folder } from "./disk/folder.ts";
import type { Logbook } from "./log/logbook.ts";
import { type Gone, isSaid } from "./pages/page-copies.ts";
import { readLine } from "./pages/page-line.ts";
import { withoutMemories } from "./pages/preferences-part.ts";
import { fileOf } from "./disk/paths.ts";
import { wholeMark } from "./lines/short-name.ts";

/**
 * A page, or one that was put aside, without the lines of these memories and without what says the
 * same.
 */
function withoutGone(text: string, gone: Gone): string {
  const marks = [...gone.ids].map(wholeMark);
  const isGone = (raw: string): boolean => {
    const { mark, text: words = "", dated = "" } = readLine(raw) ?? {};
    return (
      (mark !== undefined && marks.some((whole) => whole.startsWith(mark))) ||
      [words, dated].some((one) => isSaid(gone, one))
    );
  };
  const rows = linesOf(text);
  const kept = rows.filter((raw) => !isGone(raw));
  return kept.length === rows.length ? text : `${kept.join("\n").trimEnd()}\n`;
}

/**
 * Takes memories out of the pages of a scope, the backups of these and the daily logs. A text can
 * outlive its memory, as a bullet a person copied into the head: what says the same goes too. A
 * preference that was accepted is its user's: it outlives a memory that has `expired`.
 */
export async function forget(
  folder: Folder,
  book: Logbook,
  gone: Gone,
  scope: Scope,
): Promise<void> {
  /** Changes a page and all of its backups. */
  const changeAll = async (page: string, change: (text: string) => string): Promise<void> => {
    const backups = await backupsOf(folder, page, scope);
    for (const place of [fileOf(scope, page), ...backups.map((one) => one.place)])
      await folder.change(place, (text) => text && change(text));
  };
  await changeAll("MEMORY.md", (text) => withoutGone(text, gone));
  await changeAll("USER.md", (text) =>
    withoutMemories(text, gone.ids, { accepted: gone.expired !== true }),
  );
  await book.forget(gone.ids, scope);
}
