import type { Scope } from "../../core/identity.ts";
import { type FilePlace, type Folder, folderOf } from "../disk/folder.ts";
import { takingTurns } from "../disk/lock.ts";
import { type Between, bring } from "./page-rows.ts";

/**
 * How old what is known of a scope's files may be, ms: what another program wrote is found by then.
 */
const FRESH = 2_000;

/**
 * Keeps the rows of pages in step with their files. `look`: at the files of a scope where the last
 * look is too long ago, or one was written here since. `wrote`: a file or folder was changed here.
 */
export function pageSync(between: Between, now: () => number) {
  /** When the files in each folder were looked at last. */
  const looked = new Map<string, number>();
  const inTurn = takingTurns();
  return {
    look: (scope: Scope) =>
      inTurn(scope, async () => {
        const base = folderOf(scope);
        if (Math.abs(now() - (looked.get(base) ?? Infinity)) < FRESH) return;
        // At once: what is written meanwhile is looked at again.
        looked.set(base, now());
        try {
          await bring(between, scope);
        } catch (thrown) {
          looked.delete(base);
          throw thrown;
        }
      }),
    wrote: ({ base }: FilePlace) => void looked.delete(base),
  };
}

/** The folder, with each change told when it stands. A log's lines of ours are in no index. */
export function telling(folder: Folder, wrote: (place: FilePlace) => void): Folder {
  const told = async <T>(place: FilePlace, work: Promise<T>): Promise<T> => {
    const done = await work;
    wrote(place);
    return done;
  };
  return {
    ...folder,
    change: (place, change) => told(place, folder.change(place, change)),
    create: (place, text) => told(place, folder.create(place, text)),
    remove: (place) => told(place, folder.remove(place)),
    copy: (from, to) => told(to, folder.copy(from, to)),
    move: (from, to) => told(to, told(from, folder.move(from, to))),
  };
}
