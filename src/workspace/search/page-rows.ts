import { breathe, lru } from "../../core/base.ts";
import type { Scope } from "../../core/identity.ts";
import type { Storage } from "../../storage/port.ts";
import type { IndexedPage, PageStamps } from "../../storage/search-index.ts";
import { fileOf, type Folder, type Listed, orTell, shown, type Tell } from "../disk/folder.ts";
import {
  chunksOf,
  type PagePiece,
  piecesOf,
  piecesOfErrors,
  piecesOfLog,
  piecesOfPage,
  piecesOfRecord,
} from "../documents/chunks.ts";
import { CONVERSATIONS, piecesOfConversation } from "../documents/conversation-pages.ts";
import { lessonPath } from "../pages/learnings.ts";

/**
 * Another number when a kind reads the same text otherwise, or text becomes other terms: files that
 * did not change are read again.
 */
const READERS = 2;

interface PageKind {
  readonly kind: string;
  /** A file, or a folder with all that lies below it, inside a scope's own folder. */
  readonly at: string;
  /**
   * Of a file that is too long: a log grows at its end; a text starts at its beginning, which is
   * kept else.
   */
  readonly keep?: "end";
  /** Undefined: nothing can be told of the file, and what was found of it stays. */
  readonly read: (text: string, path: string) => PagePiece[] | undefined;
}

/**
 * The pages of a scope that a search looks at. HEARTBEAT.md is for the machine that wakes the
 * agent; folders of other names are not ours.
 */
const PAGE_KINDS: readonly PageKind[] = [
  { kind: "soul", at: "SOUL.md", read: piecesOf },
  { kind: "user", at: "USER.md", read: piecesOf },
  { kind: "agents", at: "AGENTS.md", read: piecesOf },
  { kind: "memory", at: "MEMORY.md", read: piecesOfPage },
  {
    kind: "lessons",
    at: "learnings",
    keep: "end",
    read: (text, path) => (path === lessonPath("error") ? piecesOfErrors(text) : piecesOf(text)),
  },
  { kind: "log", at: "memory", keep: "end", read: piecesOfLog },
  { kind: "note", at: "notes", read: piecesOf },
  { kind: "record", at: "records", read: piecesOfRecord },
  { kind: "conversation", at: CONVERSATIONS, read: piecesOfConversation },
];

/** Undefined for a file that no search looks at. */
export const kindOf = (path: string): PageKind | undefined =>
  PAGE_KINDS.find(({ at }) => path === at || path.startsWith(`${at}/`));

export interface WorkspaceFile {
  /** From the root of the workspace. */
  readonly path: string;
  readonly text: string;
  readonly scope: Scope;
}

/** Characters read of a file. */
export const FILE_BOUND = 200_000;

/** The pages of a scope, in the order of their kinds. */
export async function* walkPages(
  folder: Folder,
  scope: Scope,
  tell: Tell,
): AsyncGenerator<readonly Listed[]> {
  for (const { at } of PAGE_KINDS)
    try {
      yield* folder.walk(fileOf(scope, at));
    } catch (error) {
      tell(error);
    }
}

/** Undefined for a page that is gone or cannot be read. */
const readPageAt = (folder: Folder, { place }: Listed, tell: Tell): Promise<string | undefined> =>
  orTell(
    tell,
    folder.read(place, {
      characters: FILE_BOUND,
      keep: kindOf(place.path)?.keep ?? "start",
    }),
    undefined,
  );

export async function filesIn(
  folder: Folder,
  scopes: readonly Scope[],
  tell: Tell,
): Promise<WorkspaceFile[]> {
  const found: WorkspaceFile[] = [];
  for (const scope of new Set(scopes))
    for await (const run of walkPages(folder, scope, tell))
      for (const listed of run) {
        const text = await readPageAt(folder, listed, tell);
        if (text !== undefined) found.push({ path: shown(listed.place), text, scope });
      }
  return found;
}

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

/** Reads rows of the pages in the folder that `under` names from the root. */
export const readRows = async (store: Storage, scope: Scope, under: string): Promise<PageRows> =>
  rowsOf(scope, (await store.pages(scope))?.pages ?? [], under);

function rowsOf(scope: Scope, pages: PageStamps["pages"], under?: string): PageRows {
  const rows: PageRows = { scope, looks: 0, byPath: new Map() };
  for (const { path, stamp } of pages)
    if (under === undefined || path.startsWith(`${under}/`))
      rows.byPath.set(path, {
        stamp: stamp.startsWith(READ_SO) ? stamp.slice(READ_SO.length) : "",
        look: 0,
      });
  return rows;
}

/**
 * Reads what has another stamp than its rows, and takes the rows of what is gone or cannot be read.
 */
export async function bring(
  between: Between,
  lists: AsyncIterable<readonly Listed[]>,
  rows: PageRows,
): Promise<void> {
  const { byPath, scope } = rows;
  const look = (rows.looks += 1);
  for await (const list of lists) {
    const changed = list.filter((file) => {
      const row = byPath.get(shown(file.place));
      if (row?.stamp !== file.stamp) return true;
      row.look = look;
      return false;
    });
    for (let at = 0; at < changed.length; at += AT_ONCE)
      await bringSome(between, changed.slice(at, at + AT_ONCE), rows);
  }
  const paths = [...byPath].flatMap(([path, row]) => (row.look === look ? [] : [path]));
  if (paths.length > 0) await between.store.commit({ gone: { pages: { scope, paths } } });
  for (const path of paths) byPath.delete(path);
}

async function bringSome(
  between: Between,
  files: readonly Listed[],
  { scope, byPath, looks: look }: PageRows,
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
    if (page !== undefined) byPath.set(path, { stamp: file.stamp, look });
    // Rows of a page that cannot be read now stay.
    else if (text !== undefined && byPath.has(path)) byPath.set(path, { stamp: "", look });
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
