import { type Scope } from "../model/identity.ts";
import { normalForm } from "../text/one-line.ts";
import { backupsOf } from "./backups.ts";
import { blanked, parseLogLine, sumOf } from "./daily-log.ts";
import { type Folder } from "./folder.ts";
import { type Logbook } from "./logbook.ts";
import { readMemory, withoutEntries } from "./memory-file.ts";
import { fileOf, folderOf } from "./paths.ts";
import { idIn, isRemnant } from "./unread-line.ts";
import { type Which } from "./workspace.ts";

/** What is left of a line that cannot be read may hold its words still: it goes as a whole. */
function withoutRemnants(text: string, isOver: (raw: string) => boolean): string {
  const rows = text.split("\n");
  const kept = rows.filter((raw) => !isRemnant(raw) || parseLogLine(raw) !== undefined || !isOver(raw));
  return kept.length === rows.length ? text : kept.join("\n");
}

/**
 * Two rounds: first the ids and texts that are meant, from every place that names them, then all places are cleaned of
 * them. A text can outlive its id, as a bullet a person copied into the head; without `sayings` it may.
 */
export async function forget(folder: Folder, book: Logbook, { which, scope, sayings = true }: { which: Which; scope: Scope; sayings?: boolean }): Promise<number> {
  const memories = [fileOf(scope, "MEMORY.md"), ...(await backupsOf(folder, "MEMORY.md", scope)).map(({ place }) => place)];
  const logs = (await folder.list(folderOf(scope), "memory")).map(({ place }) => place);
  const listed = typeof which === "function" ? undefined : new Set(which);
  const meant = typeof which === "function" ? which : ({ id }: { id: string }) => listed?.has(id) === true;
  const ids = new Set<string>();
  const said = new Set<string>();
  const note = (line: { id: string; content: string }): void => {
    ids.add(line.id);
    if (sayings && line.content !== "") said.add(normalForm(line.content));
  };

  const sums = new Set<string>();
  for (const place of logs) {
    for (const raw of ((await folder.read(place)) ?? "").split("\n")) {
      const line = parseLogLine(raw);
      const named = line === undefined && isRemnant(raw) ? idIn(raw) : undefined;
      if (line !== undefined && line.event !== "forgotten" && meant(line)) note(line);
      if (named !== undefined && listed?.has(named) === true) ids.add(named);
      if (line?.sum !== undefined && ids.has(line.id)) sums.add(line.sum);
    }
  }
  for (const place of memories) {
    for (const { entry } of readMemory((await folder.read(place)) ?? "")) if (entry !== undefined && meant(entry)) {
      note(entry);
      sums.add(sumOf(entry.content));
    }
  }
  if (ids.size === 0) return 0;
  for (const place of memories) await folder.change(place, (text) => text && withoutEntries(text, ({ id }) => ids.has(id), sayings ? said : undefined));
  const isOver = (raw: string): boolean => ids.has(idIn(raw) ?? "") || [...sums].some((sum) => raw.includes(`sum=${sum}`));
  for (const place of logs) await book.rewrite(place, (text) => withoutRemnants(blanked(text, ({ id }) => ids.has(id)), isOver));
  return ids.size;
}
