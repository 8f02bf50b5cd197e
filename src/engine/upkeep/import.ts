import { existsSync, promises as fs } from "node:fs";
import { basename, dirname, join, resolve } from "node:path";
import { makeFolders, PRIVATE } from "../../base/make-folders.ts";
import { asOurs, refuse } from "../../model/errors.ts";
import type { KeptValue } from "../../model/store.ts";
import { type HistoryRow, putHistoryRows, sealedRows } from "../../store/history/backup-rows.ts";
import { patiently } from "../../store/sqlite/busy.ts";
import { cellsFor, sealNoteIn } from "../../store/history/keeping.ts";
import type { SealKey } from "../../store/sqlite/seal.ts";
import { writeNew } from "../../workspace/disk/atomic.ts";
import { conflictOf, count, isSeal, noCounts, readArchive } from "./archive.ts";
import { openIndex } from "./rebuild.ts";
import { type Around, databaseOf, type Given } from "./salvage-files.ts";

/** So many memories a transaction. */
const BATCH = 500;

interface Wanted extends Given {
  readonly from: string;
  readonly dry?: boolean;
  readonly key?: SealKey;
}

/**
 * Makes a workspace of an archive where there is none, all of it or nothing. With a key a history in plain text is encrypted on the
 * way. Rejects with "config" for another key than the archive's own, with "workspace", "store" or "history".
 */
export const importArchive = (given: Wanted): ReturnType<typeof importNew> =>
  importNew(given).catch((thrown: unknown) => {
    const { from, workspace } = given;
    throw asOurs(
      thrown,
      "workspace",
      (reason) =>
        `${from} could not be imported into ${workspace}: ${reason}. Nothing was changed; mend that and import again.`,
    );
  });

async function importNew({ from, workspace, now, emit = () => {}, dry = false, key }: Wanted) {
  const root = resolve(workspace);
  const files: string[] = [];
  const all: HistoryRow[] = [];
  const counts = noCounts();
  for await (const item of readArchive(from)) {
    count(counts, item);
    if ("file" in item) files.push(item.file);
    else if ("history" in item) all.push({ table: item.history, row: item.row });
  }
  const { rows, ...how } = underKey(all, { from, key });
  const conflict = conflictOf(files);
  if (conflict !== undefined)
    refuse(
      `${from} cannot be imported into ${workspace}: it ${conflict}. Nothing was changed; name the file otherwise and export again.`,
      "workspace",
    );
  if (existsSync(root) && (await fs.readdir(root)).length > 0)
    refuse(
      `${workspace} holds something already. Nothing was changed; import into a new folder: tidemark import ${from} --workspace NEW.`,
      "workspace",
    );
  if (dry) return { ...counts, ...how };
  makeFolders(dirname(root), PRIVATE);
  const draft = await fs.mkdtemp(join(dirname(root), `.${basename(root)}.import-`));
  try {
    await fs.mkdir(join(draft, ".tidemark"), { mode: 0o700 });
    await putItems(draft, from, { now, emit });
    await patiently(() => putHistoryRows(databaseOf(draft, "history").path, rows));
    if (existsSync(root)) await fs.rmdir(root);
    await fs.rename(draft, root);
  } finally {
    await fs.rm(draft, { recursive: true, force: true });
  }
  return { ...counts, ...how };
}

/** The rows as they are to be stored, and whether they are encrypted. */
function underKey(
  rows: readonly HistoryRow[],
  { from, key }: { from: string; key: SealKey | undefined },
): { rows: readonly HistoryRow[]; sealed?: "before" | "now" } {
  const seal = rows.find(isSeal);
  const note = seal && sealNoteIn(seal.row.value);
  if (note === undefined)
    return key === undefined ? { rows } : { rows: sealedRows(rows, key), sealed: "now" };
  if (key !== undefined && cellsFor(key, note) === undefined)
    refuse(
      `The history in ${from} does not open with this key. Give the key it was made with, or none: it is imported as it is.`,
    );
  return { rows, sealed: "before" };
}

/** Files, notes of ours, and memories with their past values. */
async function putItems(draft: string, from: string, around: Around): Promise<void> {
  const store = await openIndex(draft, around);
  try {
    let batch = new Map<string, KeptValue[]>();
    const flush = async (): Promise<void> => {
      await store.restore([...batch.keys()], [...batch.values()].flat());
      batch = new Map();
    };
    for await (const item of readArchive(from)) {
      if ("file" in item)
        await writeNew(
          join(draft, item.file),
          "text" in item ? item.text : Buffer.from(item.base64, "base64"),
        );
      else if ("kept" in item)
        await writeNew(join(draft, ".tidemark", `${item.kept}.json`), item.text);
      else if ("memory" in item) {
        const { id } = item.memory.stored.memory;
        if (!batch.has(id) && batch.size >= BATCH) await flush();
        batch.set(id, [...(batch.get(id) ?? []), item.memory]);
      }
    }
    await flush();
  } finally {
    await store.close();
  }
}
