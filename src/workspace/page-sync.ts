import { breathe } from "../base/async.ts";
import { lru } from "../base/cache.ts";
import { type Scope } from "../model/identity.ts";
import { type Page, type PageIndex } from "../model/pages.ts";
import { type Folder, type Listed } from "./folder.ts";
import { readPageAt, type Tell, walkPages } from "./page-files.ts";
import { chunksIn, kindOf, READERS } from "./page-kinds.ts";
import { folderOf, type Place, shown } from "./paths.ts";
import { takingTurns } from "./turns.ts";

/** How old what is known of a scope's files may be, ms: what another program wrote is found by then. */
const FRESH = 2_000;
/** From then on they are looked at behind a search: where one follows the other, none waits. */
const SOON = 1_000;
/** Scopes whose stamps are kept between two looks. */
const SCOPES = 16;
/** Files read at once. */
const AT_ONCE = 16;
/** Chunks put in one transaction, or one page: some ten milliseconds. */
const BATCH = 32;

interface Between {
  readonly folder: Folder;
  readonly pages: PageIndex;
  readonly tell: Tell;
}

/** Keeps the rows of pages in step with their files. */
interface PageSync {
  /** Looks at the files of a scope: at all of them where the last look is too long ago, else at those written here since. */
  look(scope: Scope): Promise<void>;
  /** Looks at what was written here and no further: what was taken out of a file is gone from the index as well. */
  settle(scope: Scope): Promise<void>;
  /** A file was written here. */
  wrote(place: Place): void;
  /** A folder was moved or removed here: the next look is at all files. */
  turned(place: Place): void;
}

/** What is known of the pages of a scope. */
interface Rows {
  readonly scope: Scope;
  /** Counts the looks at its files. */
  looks: number;
  readonly byPath: Map<string, { readonly stamp: string; look: number }>;
}

/** Ten thousand stamps, read once: garbage of that size at each look would make the process grow. */
function keptRows(pages: PageIndex): (scope: Scope) => Promise<Rows> {
  const known = lru<Scope, { readonly version: string; readonly rows: Rows }>(SCOPES);
  return async (scope) => {
    const version = await pages.version(scope);
    const kept = known.get(scope);
    if (kept?.version === version) return kept.rows;
    const rows: Rows = { scope, looks: 0, byPath: new Map() };
    for (const { path, stamp } of await pages.known(scope))
      rows.byPath.set(path, {
        stamp: stamp.startsWith(READ_SO) ? stamp.slice(READ_SO.length) : "",
        look: 0,
      });
    known.set(scope, { version, rows });
    return rows;
  };
}

export function pageSync(between: Between, now: () => number): PageSync {
  const { folder, pages, tell } = between;
  /** When all files of a scope's folder were looked at last. */
  const looked = new Map<string, number>();
  /** Paths written here, by the folder of their scope. */
  const written = new Map<string, Set<string>>();
  /** Folders of which something is brought that a search must not miss. */
  const missed = new Set<string>();
  /** Folders that are looked at behind a search. */
  const behind = new Set<string>();
  const rowsOf = keptRows(pages);
  const inTurn = takingTurns();

  const notedIn = (base: string): Set<string> => {
    const paths = written.get(base) ?? new Set<string>();
    written.set(base, paths);
    return paths;
  };
  const age = (base: string): number => Math.abs(now() - (looked.get(base) ?? Infinity));

  /** Does `work` with the paths written here since it was done last; where it fails, they are waiting again. */
  async function withWritten(
    base: string,
    work: (paths: ReadonlySet<string>) => Promise<void>,
  ): Promise<void> {
    const paths = notedIn(base);
    written.delete(base);
    if (paths.size > 0 || age(base) >= FRESH) missed.add(base);
    try {
      await work(paths);
    } catch (thrown) {
      for (const path of paths) notedIn(base).add(path);
      throw thrown;
    } finally {
      missed.delete(base);
    }
  }

  const bringAll = (scope: Scope): Promise<void> =>
    withWritten(folderOf(scope), async () => {
      const base = folderOf(scope);
      // At once: a folder that is moved meanwhile is looked at again.
      looked.set(base, now());
      try {
        await bring(between, walkPages(folder, scope, tell), await rowsOf(scope));
      } catch (thrown) {
        looked.delete(base);
        throw thrown;
      }
    });

  const bringWritten = (scope: Scope): Promise<void> =>
    withWritten(folderOf(scope), async (paths) => {
      const base = folderOf(scope);
      for (const path of paths) {
        // Whatever its stamp is: it was written here.
        const byPath = new Map([[shown({ base, path }), { stamp: "", look: 0 }]]);
        await bring(between, folder.walk(base, path), { scope, looks: 0, byPath });
      }
    });

  return {
    async look(scope) {
      const base = folderOf(scope);
      if (age(base) >= FRESH || written.has(base) || missed.has(base))
        await inTurn(scope, () => (age(base) >= FRESH ? bringAll(scope) : bringWritten(scope)));
      if (age(base) < SOON || behind.has(base)) return;
      behind.add(base);
      // What fails here fails again in the look that a search waits for.
      void inTurn(scope, () => breathe().then(() => bringAll(scope)))
        .catch(() => undefined)
        .finally(() => behind.delete(base));
    },
    settle: (scope) => inTurn(scope, () => bringWritten(scope)),
    turned: ({ base }) => void looked.delete(base),
    wrote: ({ base, path }) => {
      if (base !== ".tidemark" && kindOf(path) !== undefined) notedIn(base).add(path);
    },
  };
}

/** Reads what has another stamp than its rows, and takes the rows of what is gone or cannot be read. */
async function bring(
  { folder, pages, tell }: Between,
  lists: AsyncIterable<readonly Listed[]>,
  rows: Rows,
): Promise<void> {
  const { scope, byPath } = rows;
  const look = (rows.looks += 1);
  for await (const list of lists) {
    const changed: Listed[] = [];
    for (const file of list) {
      const row = byPath.get(shown(file.place));
      if (row?.stamp === file.stamp) row.look = look;
      else changed.push(file);
    }
    for (let at = 0; at < changed.length; at += AT_ONCE) {
      const read = await Promise.all(
        changed.slice(at, at + AT_ONCE).map(async (file) => ({
          file,
          text: await readPageAt(folder, file, tell),
        })),
      );
      const put = read.flatMap((one) => pageOf(scope, one) ?? []);
      await putAll(pages, put);
      for (const { file, text } of read) {
        const path = shown(file.place);
        const stamp = put.some((page) => page.path === path) ? file.stamp : "";
        if (text !== undefined && (stamp !== "" || byPath.has(path)))
          byPath.set(path, { stamp, look });
      }
    }
  }
  const gone = [...byPath].filter(([, row]) => row.look !== look).map(([path]) => path);
  if (gone.length > 0) await pages.remove(scope, gone);
  for (const path of gone) byPath.delete(path);
}

/** In a stamp: a file that a changed reader may read otherwise is read again. */
const READ_SO = `${READERS}:`;

/** Undefined for one that was not read, or of which the rows stay as they are. */
function pageOf(
  scope: Scope,
  { file, text }: { file: Listed; text: string | undefined },
): Page | undefined {
  const { path } = file.place;
  const [kind, chunks] = [kindOf(path)?.kind, text === undefined ? text : chunksIn(text, path)];
  if (kind === undefined || chunks === undefined) return undefined;
  return { scope, path: shown(file.place), kind, stamp: READ_SO + file.stamp, chunks };
}

async function putAll(pages: PageIndex, read: readonly Page[]): Promise<void> {
  let batch: Page[] = [];
  for (const [at, page] of read.entries()) {
    batch.push(page);
    const size = batch.reduce((sum, { chunks }) => sum + chunks.length, 0);
    if (size < BATCH && at < read.length - 1) continue;
    await pages.put(batch);
    batch = [];
    await breathe();
  }
}

/** The folder, with each change told when it stands. */
export function telling(folder: Folder, { wrote, turned }: PageSync): Folder {
  const told = async <T>(place: Place, work: Promise<T>, tell = wrote): Promise<T> => {
    const done = await work;
    await folder.behind(() => tell(place));
    return done;
  };
  return {
    ...folder,
    change: (place, change) => told(place, folder.change(place, change)),
    append: (place, ...given) => told(place, folder.append(place, ...given)),
    create: (place, text) => told(place, folder.create(place, text)),
    remove: (place) => told(place, folder.remove(place)),
    copy: (from, to) => told(to, folder.copy(from, to)),
    move: (from, to) => told(to, told(from, folder.move(from, to), turned), turned),
    removeFolder: (place) => told(place, folder.removeFolder(place), turned),
  };
}
