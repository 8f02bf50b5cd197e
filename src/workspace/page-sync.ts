import { breathe } from "../base/async.ts";
import { type Scope } from "../model/identity.ts";
import { type Page, type PageIndex } from "../model/pages.ts";
import { type Folder, type Listed } from "./folder.ts";
import { listPages, readPageAt, type Tell } from "./page-files.ts";
import { chunksIn, kindOf } from "./page-kinds.ts";
import { folderOf, type Place, shown } from "./paths.ts";
import { takingTurns } from "./turns.ts";

/** How old what is known of a scope's files may be, ms: what another program wrote is found by then. */
const FRESH = 2_000;
/** Characters of pages that are put in one transaction: some ten milliseconds. */
const BATCH = 30_000;

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

export function pageSync(between: Between, now: () => number): PageSync {
  const { folder, pages, tell } = between;
  /** When all files of a scope's folder were looked at last. */
  const looked = new Map<string, number>();
  /** Paths written here, by the folder of their scope. */
  const written = new Map<string, Set<string>>();
  const inTurn = takingTurns();

  const notedIn = (base: string): Set<string> => {
    const paths = written.get(base) ?? new Set<string>();
    written.set(base, paths);
    return paths;
  };

  /** Does `work` with the paths written here since it was done last; where it fails, they are waiting again. */
  async function withWritten(
    scope: Scope,
    work: (paths: ReadonlySet<string>) => Promise<void>,
  ): Promise<void> {
    const base = folderOf(scope);
    const paths = notedIn(base);
    written.delete(base);
    try {
      await work(paths);
    } catch (thrown) {
      for (const path of paths) notedIn(base).add(path);
      throw thrown;
    }
  }

  const bringAll = (scope: Scope, at: number): Promise<void> =>
    withWritten(scope, async () => {
      const known = await pages.known(scope);
      const listed = await listPages(folder, scope, tell);
      await bring(between, scope, listed, new Map(known.map(({ path, stamp }) => [path, stamp])));
      looked.set(folderOf(scope), at);
    });

  const bringWritten = (scope: Scope): Promise<void> =>
    withWritten(scope, async (paths) => {
      const base = folderOf(scope);
      for (const path of paths) {
        // Whatever its stamp is: it was written here.
        const known = new Map([[shown({ base, path }), ""]]);
        await bring(between, scope, await folder.list(base, path), known);
      }
    });

  return {
    look: (scope) =>
      inTurn(scope, async () => {
        const at = now();
        const last = looked.get(folderOf(scope));
        if (last === undefined || Math.abs(at - last) >= FRESH) await bringAll(scope, at);
        else await bringWritten(scope);
      }),
    settle: (scope) => inTurn(scope, () => bringWritten(scope)),
    turned: ({ base }) => void looked.delete(base),
    wrote: ({ base, path }) => {
      if (base !== ".tidemark" && kindOf(path) !== undefined) notedIn(base).add(path);
    },
  };
}

/** Reads what has another stamp than its rows, and takes the rows of what is gone. */
async function bring(
  { folder, pages, tell }: Between,
  scope: Scope,
  listed: readonly Listed[],
  known: ReadonlyMap<string, string>,
): Promise<void> {
  const there = new Set(listed.map(({ place }) => shown(place)));
  const gone = [...known.keys()].filter((path) => !there.has(path));
  if (gone.length > 0) await pages.remove(scope, gone);
  let batch: Page[] = [];
  let size = 0;
  for (const file of listed) {
    const path = shown(file.place);
    if (known.get(path) === file.stamp) continue;
    const text = await readPageAt(folder, file, tell);
    const kind = kindOf(file.place.path)?.kind;
    // One that cannot be read is tried again with the next look.
    if (text === undefined || kind === undefined) {
      if (known.has(path)) await pages.remove(scope, [path]);
      continue;
    }
    batch.push({ scope, path, kind, stamp: file.stamp, chunks: chunksIn(text, file.place.path) });
    size += text.length;
    if (size < BATCH) continue;
    await pages.put(batch);
    await breathe();
    [batch, size] = [[], 0];
  }
  if (batch.length > 0) await pages.put(batch);
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
