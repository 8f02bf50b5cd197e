import type { Scope } from "../../core/identity.ts";
import { type FilePlace, type Folder, folderOf, shown } from "../disk/folder.ts";
import { takingTurns } from "../disk/lock.ts";
import { type Between, bring, keptRows, kindOf, readRows, walkPages } from "./page-rows.ts";

/**
 * How old what is known of a scope's files may be, ms: what another program wrote is found by then.
 */
const FRESH = 2_000;
/** A scope's folder, as far as it was looked at. */
interface KnownFolder {
  /** When all of its files were looked at last. */
  looked: number;
  /** Paths written here since they were looked at. */
  written: Set<string>;
}

/**
 * Keeps the rows of pages in step with their files. `look`: at all files of a scope where the last
 * look is too long ago, else at those written here since. `settle`: at what was written here and no
 * further: what was taken out of a file is gone from the index as well. `bring`: at all in one
 * folder, now. `wrote`: a file was written here. `turned`: a folder was moved or removed here, so
 * the next look is at all files.
 */
export function pageSync(between: Between, now: () => number) {
  const { folder, store, tell } = between;
  const folders = new Map<string, KnownFolder>();
  const rowsOf = keptRows(store);
  const inTurn = takingTurns();

  const knownOf = (base: string): KnownFolder => {
    const known = folders.get(base) ?? { looked: Infinity, written: new Set() };
    folders.set(base, known);
    return known;
  };
  const age = ({ looked }: KnownFolder): number => Math.abs(now() - looked);

  /**
   * Brings `all` files of a scope in step, or those written here since that was done last; where it
   * fails, they are waiting again.
   */
  async function catchUp(scope: Scope, all: boolean): Promise<void> {
    const base = folderOf(scope);
    const known = knownOf(base);
    const paths = known.written;
    known.written = new Set();
    try {
      if (all) {
        // At once: a folder that is moved meanwhile is looked at again.
        known.looked = now();
        await bring(between, walkPages(folder, scope, tell), await rowsOf(scope));
      } else
        for (const path of paths) {
          // Whatever its stamp is: it was written here.
          const byPath = new Map([[shown({ base, path }), { stamp: "", look: 0 }]]);
          await bring(between, folder.walk({ base, path }), { scope, looks: 0, byPath });
        }
    } catch (thrown) {
      known.written = known.written.union(paths);
      if (all) known.looked = Infinity;
      throw thrown;
    }
  }

  return {
    look: (scope: Scope) =>
      inTurn(scope, async () => {
        const known = knownOf(folderOf(scope));
        const isOld = age(known) >= FRESH;
        if (isOld || known.written.size > 0) await catchUp(scope, isOld);
      }),
    settle: (scope: Scope) => inTurn(scope, () => catchUp(scope, false)),
    bring: (scope: Scope, path: string) =>
      inTurn(scope, async () => {
        const place = { base: folderOf(scope), path };
        await bring(between, folder.walk(place), await readRows(store, scope, shown(place)));
      }),
    turned: ({ base }: FilePlace) => void (knownOf(base).looked = Infinity),
    wrote: ({ base, path }: FilePlace) => {
      if (base !== ".tidemark" && kindOf(path)) knownOf(base).written.add(path);
    },
  };
}

type PageSync = ReturnType<typeof pageSync>;

/** The folder, with each change told when it stands. */
export function telling(folder: Folder, { wrote, turned }: PageSync): Folder {
  const told = async <T>(place: FilePlace, work: Promise<T>, tell = wrote): Promise<T> => {
    const done = await work;
    tell(place);
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
