import { existsSync, promises as fs } from "node:fs";
import { dirname, join, resolve } from "node:path";
import { isTidemarkError, reasonOf, TidemarkError } from "../../model/errors.ts";
import { type Listen } from "../../model/events.ts";
import { type KeptValue } from "../../model/store.ts";
import { digest } from "../../text/hash.ts";
import { type HistoryRow, putHistoryRows, sealedRows } from "../../store/history/backup-rows.ts";
import { patiently } from "../../store/sqlite/busy.ts";
import { cellsFor, sealNoteIn } from "../../store/history/keeping.ts";
import { type SealKey } from "../../store/sqlite/seal.ts";
import { writeNew } from "../../workspace/disk/atomic.ts";
import { exclusively } from "../../workspace/disk/lock.ts";
import { type Item, readArchive, conflictOf, placeIn } from "./archive.ts";
import { type ExportReport, itemsOf } from "./export.ts";
import { openIndex } from "./rebuild.ts";
import { databaseOf } from "./salvage-files.ts";

/** So many memories a transaction. */
const BATCH = 500;

/**
 * Brings an archive into a workspace that holds nothing else: one that is not there, or what an import that was cut off left.
 * All of the archive is read before anything is written. With a key a history in plain text is encrypted on the way. Rejects
 * with "config" for another key than the archive's own, with "workspace", "store" or "history".
 */
export async function importArchive({
  from,
  workspace,
  now,
  emit = () => {},
  dry = false,
  key,
}: {
  from: string;
  workspace: string;
  now: () => number;
  emit?: Listen;
  dry?: boolean;
  key?: SealKey;
}): Promise<Omit<ExportReport, "leftOut" | "sealed"> & { sealed?: "before" | "now" }> {
  const given = { from, workspace, root: resolve(workspace), now, emit, dry, key };
  try {
    return await importInto(given);
  } catch (thrown) {
    if (isTidemarkError(thrown)) throw thrown;
    throw new TidemarkError(
      "workspace",
      `${from} could not be imported into ${workspace}: ${reasonOf(thrown)}. Mend that and import again: what is there already is gone on from.`,
      { cause: thrown },
    );
  }
}

interface Given {
  readonly from: string;
  readonly workspace: string;
  readonly root: string;
  readonly now: () => number;
  readonly emit: Listen;
  readonly dry: boolean;
  readonly key: SealKey | undefined;
}

async function importInto({
  from,
  workspace,
  root,
  now,
  emit,
  dry,
  key,
}: Given): Promise<Omit<ExportReport, "leftOut" | "sealed"> & { sealed?: "before" | "now" }> {
  const lines = new Set<string>();
  const files: string[] = [];
  const counts = { files: 0, memories: 0, past: 0, conversations: 0, messages: 0 };
  for await (const { item, line } of readArchive(from)) {
    lines.add(digest(line));
    if ("file" in item) counts.files = files.push(item.file);
    else if ("memory" in item) counts[item.memory.until === undefined ? "memories" : "past"] += 1;
    else if ("kept" in item) continue;
    else if (item.history === "session") counts.conversations += 1;
    else if (item.history === "entry") counts.messages += 1;
  }
  const { rows, ...how } = underKey(await rowsOf(from), { from, key });
  const conflict = await conflictOf(root, files);
  if (conflict !== undefined)
    throw new TidemarkError(
      "workspace",
      `${from} cannot be imported into ${workspace}: it ${conflict}. Nothing was changed; import into a new folder, or name the file otherwise and export again.`,
    );
  if (existsSync(root)) await refuseOther(root, { from, workspace, lines, now, emit });
  if (dry) return { ...counts, ...how };
  await fs.mkdir(join(root, ".tidemark"), { recursive: true, mode: 0o700 });
  await exclusively(root, async () => {
    // First of all: what stands there then was written by this import, or by a process that has gone on from one.
    for await (const { item } of readArchive(from))
      if ("kept" in item) await writeNew(join(root, ".tidemark", `${item.kept}.json`), item.text);
    await putValues(root, from, { now, emit });
    await patiently(() => putHistoryRows(databaseOf(root, "history").path, rows));
    // Files last: a journal without its index would be reconciled by a process that opens the folder meanwhile.
    for await (const { item } of readArchive(from)) if ("file" in item) await putFile(root, item);
  });
  return { ...counts, ...how };
}

/** The rows as they are to be stored, and whether they are encrypted. */
function underKey(
  rows: readonly HistoryRow[],
  { from, key }: { from: string; key: SealKey | undefined },
): { rows: readonly HistoryRow[]; sealed?: "before" | "now" } {
  const note = rows
    .map(({ table, row }) =>
      table === "keeping" && row.name === "seal" ? sealNoteIn(row.value) : undefined,
    )
    .find((held) => held !== undefined);
  if (note === undefined)
    return key === undefined ? { rows } : { rows: sealedRows(rows, key), sealed: "now" };
  if (key !== undefined && cellsFor(key, note) === undefined)
    throw new TidemarkError(
      "config",
      `The history in ${from} does not open with this key. Give the key it was made with, or none: it is imported as it is.`,
    );
  return { rows, sealed: "before" };
}

/** What is there already must be in the archive, the same to the letter. */
async function refuseOther(
  root: string,
  {
    from,
    workspace,
    lines,
    now,
    emit,
  }: {
    from: string;
    workspace: string;
    lines: ReadonlySet<string>;
    now: () => number;
    emit: Listen;
  },
): Promise<void> {
  if ((await fs.readdir(root)).length === 0) return;
  if (!existsSync(join(root, ".tidemark")))
    throw new TidemarkError(
      "workspace",
      `${workspace} is a folder with other things in it, and no workspace. Import into a new folder: tidemark import ${from} --workspace NEW.`,
    );
  for await (const item of itemsOf(root, { now, emit, leftOut: [] })) {
    if (
      ("history" in item && item.history === "numbers") ||
      "kept" in item ||
      lines.has(digest(JSON.stringify(item)))
    )
      continue;
    const what = nameOf(item);
    throw new TidemarkError(
      "workspace",
      `${workspace} holds something that ${from} does not hold, or holds otherwise: ${what}. Nothing was changed; import into a new folder: tidemark import ${from} --workspace NEW.`,
    );
  }
}

async function putFile(root: string, item: Extract<Item, { file: string }>): Promise<void> {
  const path = await placeIn(root, item.file);
  await fs.mkdir(dirname(path), { recursive: true, mode: 0o700 });
  await writeNew(path, "text" in item ? item.text : Buffer.from(item.base64, "base64"));
}

async function rowsOf(from: string): Promise<HistoryRow[]> {
  const rows: HistoryRow[] = [];
  for await (const { item } of readArchive(from))
    if ("history" in item) rows.push({ table: item.history, row: item.row });
  return rows;
}

async function putValues(
  root: string,
  from: string,
  { now, emit }: { now: () => number; emit: Listen },
): Promise<void> {
  const store = await openIndex(root, { now, emit });
  try {
    let batch = new Map<string, KeptValue[]>();
    const flush = async (): Promise<void> => {
      await store.restore([...batch.keys()], [...batch.values()].flat());
      batch = new Map();
    };
    for await (const { item } of readArchive(from)) {
      if (!("memory" in item)) continue;
      const { id } = item.memory.stored.memory;
      if (!batch.has(id) && batch.size >= BATCH) await flush();
      batch.set(id, [...(batch.get(id) ?? []), item.memory]);
    }
    await flush();
  } finally {
    await store.close();
  }
}

function nameOf(item: Item): string {
  if ("file" in item) return item.file;
  if ("kept" in item) return item.kept;
  return "memory" in item
    ? `memory ${item.memory.stored.memory.id}`
    : `"${item.history}" in its history`;
}
