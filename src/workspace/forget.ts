import type { Scope } from "../model/identity.ts";
import { linesOf } from "../text/markdown.ts";
import { normalForm } from "../text/cut.ts";
import { backupsOf } from "./pages/backups.ts";
import { blanked, type LogLine, parseLogLine } from "./log/daily-log.ts";
import type { Folder } from "./disk/folder.ts";
import type { Logbook } from "./log/logbook.ts";
import { forgetInCopies, type Gone } from "./pages/page-copies.ts";
import { readLine, wholeMark } from "./pages/page-line.ts";
import { withoutMemories } from "./pages/preferences-part.ts";
import { fileOf } from "./disk/paths.ts";
import { idIn, isRemnant, namesSum } from "./lines/unread-line.ts";

/**
 * How memories are forgotten: with what says the same (default), and whether they went by
 * themselves.
 */
export interface Forgetting {
  readonly sayings?: boolean;
  readonly expired?: boolean;
}

/** Which memories a line must belong to. The predicate sees lines of the daily logs. */
export type ForgottenLines = readonly string[] | ((line: LogLine) => boolean);

/** The rest of a line that cannot be read may hold its words still: it goes as a whole. */
function withoutRemnants(text: string, isOver: (raw: string) => boolean): string {
  return text
    .split("\n")
    .filter((raw) => !isRemnant(raw) || parseLogLine(raw) !== undefined || !isOver(raw))
    .join("\n");
}

/**
 * A page, or one that was put aside, without the lines of these memories and without what says the
 * same.
 */
function withoutGone(text: string, { ids, said }: Gone): string {
  const marks = [...ids].map(wholeMark);
  const isGone = (raw: string): boolean => {
    const { id = "", mark, text: words = "", dated = "" } = readLine(raw) ?? {};
    return (
      ids.has(id) ||
      (mark !== undefined && marks.some((whole) => whole.startsWith(mark))) ||
      [words, dated].some((one) => said.has(normalForm(one)))
    );
  };
  const rows = linesOf(text);
  const kept = rows.filter((raw) => !isGone(raw));
  return kept.length === rows.length ? text : `${kept.join("\n").trimEnd()}\n`;
}

/**
 * Two rounds: first the ids and texts that are meant, from the logs that name them, then all places
 * are cleaned of them. A text can outlive its id, as a bullet a person copied into the head;
 * without `sayings` it may. A preference that was accepted is its user's: it outlives a memory that
 * has `expired`.
 */
export async function forget(
  folder: Folder,
  book: Logbook,
  {
    which,
    scope,
    sayings = true,
    expired = false,
  }: Forgetting & { which: ForgottenLines; scope: Scope },
): Promise<number> {
  /** Changes a page and all of its backups. */
  const changeAll = async (page: string, change: (text: string) => string): Promise<void> => {
    const backups = await backupsOf(folder, page, scope);
    for (const place of [fileOf(scope, page), ...backups.map((one) => one.place)])
      await folder.change(place, (text) => text && change(text));
  };
  const logs = (await folder.list(fileOf(scope, "memory"))).map(({ place }) => place);
  const listed = new Set(typeof which === "function" ? [] : which);
  const meant = typeof which === "function" ? which : ({ id }: LogLine) => listed.has(id);
  const ids = new Set<string>();
  const said = new Set<string>();
  const sums = new Set<string>();
  for (const place of logs) {
    for (const raw of ((await folder.read(place)) ?? "").split("\n")) {
      const line = parseLogLine(raw);
      const named = line === undefined && isRemnant(raw) ? (idIn(raw) ?? "") : "";
      if (listed.has(named)) ids.add(named);
      if (line !== undefined && line.event !== "forgotten" && meant(line)) {
        ids.add(line.id);
        if (sayings && line.content !== "") said.add(normalForm(line.content));
      }
      if (line?.sum !== undefined && ids.has(line.id)) sums.add(line.sum);
    }
  }
  // The pages may show it even if no logs are kept.
  const gone: Gone = { ids: ids.union(listed), said };
  if (gone.ids.size === 0) return 0;
  await changeAll("MEMORY.md", (text) => withoutGone(text, gone));
  await forgetInCopies(folder, scope, gone);
  await changeAll("USER.md", (text) => withoutMemories(text, gone.ids, { accepted: !expired }));
  const isOver = (raw: string): boolean =>
    ids.has(idIn(raw) ?? "") || [...sums].some((sum) => namesSum(raw, sum));
  for (const place of logs)
    await book.rewrite(place, (text) => {
      const left = blanked(text, ({ id }) => ids.has(id));
      return withoutRemnants(left, isOver);
    });
  return ids.size;
}
