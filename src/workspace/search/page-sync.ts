import { breathe } from "../../base/async.ts";
import { type Scope } from "../../model/identity.ts";
import { walkPages } from "./page-files.ts";
import { kindOf } from "./page-kinds.ts";
import { bring, type Between, type Brought, keptRows, readRows } from "./page-rows.ts";
import { folderOf, type Place, shown } from "../disk/paths.ts";
import { takingTurns } from "../disk/turns.ts";
import { type Folder } from "../disk/folder.ts";

/** How old what is known of a scope's files may be, ms: what another program wrote is found by then. */
const FRESH = 2_000;
/** From then on they are looked at behind a search: where one follows the other, none waits. */
const SOON = 1_000;
/** Keeps the rows of pages in step with their files. */
export interface PageSync {
  /** Looks at the files of a scope: at all of them where the last look is too long ago, else at those written here since. */
  look(scope: Scope): Promise<void>;
  /** Looks at what was written here and no further: what was taken out of a file is gone from the index as well. */
  settle(scope: Scope): Promise<void>;
  /** Looks at one file, or at all in one folder, now: another program has told that something changed there. "" is all of the scope. */
  bring(scope: Scope, path: string): Promise<Brought>;
  /** A file was written here. */
  wrote(place: Place): void;
  /** A folder was moved or removed here: the next look is at all files. */
  turned(place: Place): void;
}

/** Paths written here, by the folder of their scope. */
function writtenHere() {
  const written = new Map<string, Set<string>>();
  return {
    has: (base: string): boolean => written.has(base),
    note: (base: string, path: string): void =>
      void written.set(base, (written.get(base) ?? new Set<string>()).add(path)),
    take(base: string): ReadonlySet<string> {
      const paths = written.get(base) ?? new Set<string>();
      written.delete(base);
      return paths;
    },
  };
}

export function pageSync(between: Between, now: () => number): PageSync {
  const { folder, pages, tell } = between;
  /** When all files of a scope's folder were looked at last. */
  const looked = new Map<string, number>();
  const written = writtenHere();
  /** Folders of which something is brought that a search must not miss. */
  const missed = new Set<string>();
  /** Folders that are looked at behind a search. */
  const behind = new Set<string>();
  const rowsOf = keptRows(pages);
  const inTurn = takingTurns();

  const age = (base: string): number => Math.abs(now() - (looked.get(base) ?? Infinity));

  /** Does `work` with the paths written here since it was done last; where it fails, they are waiting again. */
  async function withWritten(
    base: string,
    work: (paths: ReadonlySet<string>) => Promise<void>,
  ): Promise<void> {
    const paths = written.take(base);
    if (paths.size > 0 || age(base) >= FRESH) missed.add(base);
    try {
      await work(paths);
    } catch (thrown) {
      for (const path of paths) written.note(base, path);
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
    bring: (scope, path) =>
      inTurn(scope, async () => {
        const base = folderOf(scope);
        const lists = path === "" ? walkPages(folder, scope, tell) : folder.walk(base, path);
        const under = path === "" ? undefined : shown({ base, path });
        return bring(between, lists, await readRows(pages, scope, under));
      }),
    turned: ({ base }) => void looked.delete(base),
    wrote: ({ base, path }) => {
      if (base !== ".tidemark" && kindOf(path) !== undefined) written.note(base, path);
    },
  };
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
