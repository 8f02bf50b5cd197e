import type { IndexedPage, PageStamps } from "../../model/page-index.ts";
import type { Storage } from "../../model/storage.ts";
import { breathe } from "../../base/async.ts";
import { lru } from "../../base/cache.ts";
import type { Scope } from "../../model/identity.ts";
import type { Folder, Listed, Tell } from "../disk/folder.ts";
import { kindOf, READERS, readPageAt } from "./page-files.ts";
import { chunksOf } from "../documents/chunks.ts";
import { shown } from "../disk/paths.ts";

/** Scopes whose stamps are kept between two looks. */
const SCOPES = 16;
/** Files read at once. */
const AT_ONCE = 16;
/** Chunks put in one transaction, or one page: some ten milliseconds. */
const BATCH = 32;

/** The files, and the rows made of them. */
export interface Between {
  readonly folder: Folder;
  readonly store: Storage;
  readonly tell: Tell;
  /** Hears how many pages were put into the index. */
  readonly indexed?: ((pages: number) => void) | undefined;
}

/** The rows of a scope's pages. */
interface PageRows {
  readonly scope: Scope;
  /** Counts the looks at its files. */
  looks: number;
  readonly byPath: Map<string, { readonly stamp: string; look: number }>;
}

/**
 * Ten thousand stamps, read once: garbage of that size at each look would make the process grow.
 */
export function keptRows(store: Storage): (scope: Scope) => Promise<PageRows> {
  const known = lru<Scope, { readonly version: string; readonly rows: PageRows }>(SCOPES);
  return async (scope) => {
    const kept = known.get(scope);
    const stamps = await store.pages(scope, kept?.version);
    if (kept !== undefined && stamps === undefined) return kept.rows;
    const rows = rowsOf(scope, stamps?.pages ?? []);
    known.set(scope, { version: stamps?.version ?? "", rows });
    return rows;
  };
}

/** Reads rows of all pages, or of the file or folder that `under` names from the root. */
export const readRows = async (store: Storage, scope: Scope, under?: string): Promise<PageRows> =>
  rowsOf(scope, (await store.pages(scope))?.pages ?? [], under);

function rowsOf(scope: Scope, pages: PageStamps["pages"], under?: string): PageRows {
  const rows: PageRows = { scope, looks: 0, byPath: new Map() };
  for (const { path, stamp } of pages)
    if (under === undefined || path === under || path.startsWith(`${under}/`))
      rows.byPath.set(path, {
        stamp: stamp.startsWith(READ_SO) ? stamp.slice(READ_SO.length) : "",
        look: 0,
      });
  return rows;
}

/** The fate of pages, as paths from the root. */
export interface Brought {
  readonly added: string[];
  readonly changed: string[];
  readonly gone: string[];
  /** Pages that cannot be read now: rows of them stay. */
  readonly unread: string[];
  /** Chunks of those that were added or changed. */
  chunks: number;
}

export const nothingBrought = (): Brought => ({
  added: [],
  changed: [],
  gone: [],
  unread: [],
  chunks: 0,
});

/**
 * Reads what has another stamp than its rows, and takes the rows of what is gone or cannot be read.
 */
export async function bring(
  between: Between,
  lists: AsyncIterable<readonly Listed[]>,
  rows: PageRows,
): Promise<Brought> {
  const { byPath } = rows;
  const brought = nothingBrought();
  const look = (rows.looks += 1);
  for await (const list of lists) {
    const changed = list.filter((file) => {
      const row = byPath.get(shown(file.place));
      if (row?.stamp !== file.stamp) return true;
      row.look = look;
      return false;
    });
    for (let at = 0; at < changed.length; at += AT_ONCE)
      await bringSome(between, changed.slice(at, at + AT_ONCE), { rows, brought });
  }
  brought.gone.push(...[...byPath].filter(([, row]) => row.look !== look).map(([path]) => path));
  if (brought.gone.length > 0)
    await between.store.commit({ gone: { pages: { scope: rows.scope, paths: brought.gone } } });
  for (const path of brought.gone) byPath.delete(path);
  return brought;
}

async function bringSome(
  between: Between,
  files: readonly Listed[],
  { rows: { scope, byPath, looks: look }, brought }: { rows: PageRows; brought: Brought },
): Promise<void> {
  const { folder, tell } = between;
  const read = await Promise.all(
    files.map(async (file) => {
      const text = await readPageAt(folder, file, tell);
      return { file, text, page: text === undefined ? undefined : pageOf(scope, file, text) };
    }),
  );
  await putAll(
    between,
    read.flatMap(({ page }) => page ?? []),
  );
  for (const { file, text, page } of read) {
    const path = shown(file.place);
    const before = byPath.has(path);
    if (page !== undefined) (before ? brought.changed : brought.added).push(path);
    else if (text !== undefined) brought.unread.push(path);
    brought.chunks += page?.chunks.length ?? 0;
    if (text !== undefined && (page !== undefined || before))
      byPath.set(path, { stamp: page === undefined ? "" : file.stamp, look });
  }
}

/** In a stamp: a file that a changed reader may read otherwise is read again. */
const READ_SO = `${READERS}:`;

/** Undefined for one of which the rows stay as they are. */
function pageOf(scope: Scope, { place, stamp }: Listed, text: string): IndexedPage | undefined {
  const kind = kindOf(place.path);
  const pieces = kind?.read(text, place.path);
  if (kind === undefined || pieces === undefined) return undefined;
  const chunks = chunksOf(pieces);
  return { scope, path: shown(place), kind: kind.kind, stamp: READ_SO + stamp, chunks };
}

async function putAll({ store, indexed }: Between, read: readonly IndexedPage[]): Promise<void> {
  let batch: IndexedPage[] = [];
  for (const [at, page] of read.entries()) {
    batch.push(page);
    if (batch.flatMap(({ chunks }) => chunks).length < BATCH && at < read.length - 1) continue;
    await store.commit({ pages: batch });
    indexed?.(batch.length);
    batch = [];
    await breathe();
  }
}
