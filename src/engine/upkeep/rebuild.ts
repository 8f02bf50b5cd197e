import { existsSync } from "node:fs";
import { basename } from "node:path";
import { reasonOf, refuse } from "../../model/errors.ts";
import type { PageIndex } from "../../model/page-index.ts";
import type { KeptValue, Store } from "../../model/store.ts";
import { digestOf } from "../../memory/saving/replay.ts";
import { patiently } from "../../store/sqlite/busy.ts";
import { openSqliteStore } from "../../store/open-index.ts";
import { createWorkspace } from "../../workspace/workspace.ts";
import type { Brought } from "../../workspace/search/page-rows.ts";
import type { Scope } from "../../model/identity.ts";
import { placeOf } from "../../workspace/lines/unread-line.ts";
import { differenceOf, tellAgain } from "../journal/reconcile.ts";
import { readTold } from "../journal/torn-lines.ts";
import { type DatabaseFile, databaseOf, type UpkeepHost, type UpkeepOf } from "./database-files.ts";
import { openMended, setAside, suspicion, wasUsed, watcher } from "./mend.ts";
import { readUses } from "../journal/journal.ts";
import { allValues, byMemory } from "../../memory/saving/values.ts";

/**
 * Makes the memory index anew from the daily logs of a workspace; verbatim history is not touched.
 * `dry`: only says what would be. Rejects with "store" when the new index is not what the journal
 * says, and then nothing has changed.
 */
export async function rebuildIndex({
  dry = false,
  emit = () => {},
  ...of
}: UpkeepOf & { dry?: boolean }) {
  const { path } = databaseOf(of, "memory index");
  const store = dry
    ? await patiently(() => openSqliteStore(existsSync(path) ? path : ":memory:", of))
    : await openIndex(of.workspace, { ...of, emit });
  return rebuilt(store, of, dry);
}

async function rebuilt(
  store: Store,
  { workspace: root, now, progress = () => {} }: UpkeepOf,
  dry = false,
) {
  const workspace = createWorkspace({ root, templateDir: root, now, pages: store.pages });
  try {
    const kept = await allValues(store);
    const told = await readTold((misnamed) => workspace.journal.everything(misnamed), kept);
    const { lines, files, odd } = told;
    progress(lines.length, "lines of logs read");
    const { changed, removed, unlogged } = await differenceOf(workspace, told, kept);
    const values = new Map<string, readonly KeptValue[]>(byMemory(kept));
    const uses = await readUses(workspace);
    for (const { id, told, known } of changed) values.set(id, known ? told : counted(told, uses));
    for (const { id } of removed) values.delete(id);
    const all = [...values.values()].flat();
    const memories = all.filter(({ until }) => until === undefined).length;
    const report = {
      /** Current memories, past values, and the lines they were read from. */
      memories,
      past: all.length - memories,
      lines: lines.length,
      files: files.length,
      /** Lines in a folder that is not their scope's; they were passed over. */
      odd,
      /** Lines that cannot be read, as file and line; what the index holds of them is kept. */
      unread: told.unread.filter(({ torn }) => !torn).map(placeOf),
      /** Memories whose log file is gone; they were kept and written down again. */
      unlogged: unlogged.length,
      /** Memories that differed from the journal. 0: the index was right. */
      differed: changed.length + removed.length,
      /** Digest of all values: of the journal and of the index, which are equal. */
      digest: digestOf(all),
    };
    progress(all.length, "values compared");
    if (dry) return report;
    await tellAgain(workspace, unlogged);
    await store.restore([...kept.map(({ stored }) => stored.memory.id), ...values.keys()], all);
    progress(all.length, "values written");
    const made = digestOf(await allValues(store));
    if (made !== report.digest)
      refuse(
        `The rebuilt index of ${root} is not what its journal says (${made} for ` +
          `${report.digest}). Keep the folder as it is and report this.`,
        "store",
      );
    return report;
  } finally {
    await store.close();
  }
}

function counted(
  values: readonly KeptValue[],
  uses: ReadonlyMap<string, { uses: number; usedAt: number }>,
): KeptValue[] {
  return values.map((value) => {
    const { memory } = value.stored;
    const use = value.until === undefined ? uses.get(memory.id) : undefined;
    if (use === undefined) return value;
    const stored = { ...value.stored, memory: { ...memory, uses: use.uses }, usedAt: use.usedAt };
    return { ...value, stored };
  });
}

/**
 * The memory index of a workspace; one that is missing or cannot be read is made anew from the
 * daily logs, and said.
 */
export async function openIndex(
  root: string | undefined,
  { now, emit, key }: UpkeepHost,
): Promise<Store> {
  if (root === undefined) return openSqliteStore(":memory:");
  const of = { workspace: root, key, now };
  const kept = databaseOf(of, "memory index");
  return openMended(kept, {
    wrong: wrongWith,
    open: () =>
      openSqliteStore(kept.path, {
        key,
        damaged: watcher(kept, emit),
        vectors: {
          missing: (thrown) =>
            emit({
              type: "degraded",
              where: "vectors",
              error:
                `sqlite-vec cannot be loaded (${reasonOf(thrown)}), so a question is ` +
                "compared with each vector in turn.",
            }),
        },
      }),
    mend: (wrong) => mendIndex(of, wrong),
    emit,
  });
}

function wrongWith(file: DatabaseFile): string | undefined {
  if (!existsSync(file.path)) return wasUsed(file) ? "gone" : undefined;
  return suspicion(file);
}

/**
 * Reads the pages of a workspace that other programs have changed, now; `paths` from its root. One
 * that names no page does not stop the others. `scopes`: those whose folder's name may not tell
 * them. Rejects with "store" where there is no index to be had.
 */
export async function indexPages(
  {
    workspace: root,
    paths,
    scopes,
  }: { workspace: string; paths: readonly string[]; scopes: readonly Scope[] },
  host: UpkeepHost,
): Promise<(Brought | { readonly error: unknown })[]> {
  const store = await openIndex(root, host);
  try {
    const { now, emit, progress = () => {} } = host;
    let read = 0;
    const pages: PageIndex = {
      ...store.pages,
      put: async (put) => {
        await store.pages.put(put);
        progress((read += put.length), "pages read");
      },
    };
    const workspace = createWorkspace({ root, templateDir: root, now, listen: emit, pages });
    const done = [];
    for (const path of paths)
      done.push(await workspace.index(path, scopes).catch((error: unknown) => ({ error })));
    return done;
  } finally {
    await store.close();
  }
}

/** Sets a damaged index aside and makes a new one. */
async function mendIndex(of: UpkeepOf, wrong: string): Promise<string> {
  const kept = databaseOf(of, "memory index");
  const { path } = kept;
  const aside = existsSync(path) ? setAside(kept, of.now()) : undefined;
  const { memories, unread } = await rebuilt(openSqliteStore(path, of), of);
  const lost =
    unread.length === 0
      ? ""
      : ` ${unread.length} of their lines could not be read (the first: ${unread[0] ?? ""}).`;
  const what =
    aside === undefined
      ? `The memory index ${path} was gone`
      : `The memory index could not be read and was put aside as ${basename(aside)} (${wrong})`;
  return `${what}; it was made anew from the daily logs, with ${memories} memories.${lost}`;
}
