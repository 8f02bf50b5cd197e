import { AsyncLocalStorage } from "node:async_hooks";
import { promises as fs } from "node:fs";
import { staged } from "./atomic.ts";

interface Unit {
  /** New texts of files by their paths, on disk under other names. */
  readonly drafts: Map<string, { readonly name: string; readonly text: string }>;
  readonly undo: (() => void)[];
  readonly behind: (() => unknown)[];
  ended?: true;
}

/**
 * What one piece of work changes in files stands when it succeeds, and none of it when it fails, as on a disk that runs full in its
 * midst: to rename what lies there, or to cut off what was added, takes no room.
 */
export function allOrNone(
  lock: <T>(work: () => Promise<T>) => Promise<T>,
  trouble = (_path: string, error: unknown): unknown => error,
) {
  const units = new AsyncLocalStorage<Unit>();
  const current = (): Unit | undefined => {
    const unit = units.getStore();
    return unit?.ended === true ? undefined : unit;
  };

  async function rename({ drafts }: Unit): Promise<void> {
    for (const [path, { name }] of drafts) {
      await fs.rename(name, path).catch((error: unknown) => {
        throw trouble(path, error);
      });
      drafts.delete(path);
    }
  }

  async function takeBack({ drafts, undo }: Unit): Promise<void> {
    for (const back of undo.toReversed()) {
      try {
        back();
      } catch {
        // What it failed with is what is told.
      }
    }
    for (const { name } of drafts.values())
      await fs.rm(name, { force: true }).catch(() => undefined);
  }

  return {
    /** Work within work belongs to it. No other process changes files meanwhile. */
    run: <T>(work: () => Promise<T>): Promise<T> => {
      if (current() !== undefined) return work();
      return lock(async () => {
        const unit: Unit = { drafts: new Map(), undo: [], behind: [] };
        try {
          const done = await units.run(unit, work);
          await rename(unit);
          unit.ended = true;
          for (const then of unit.behind) await then();
          return done;
        } catch (thrown) {
          if (unit.ended !== true) await takeBack(unit);
          throw thrown;
        } finally {
          unit.ended = true;
        }
      });
    },
    /** The text a file will have, where the work under way has given it one. */
    textOf: (path: string): string | undefined => current()?.drafts.get(path)?.text,
    async put(path: string, text: string): Promise<void> {
      const name = await staged(path, text);
      const { drafts } = current() ?? {};
      const before = drafts?.get(path);
      drafts?.set(path, { name, text });
      if (before !== undefined) await fs.rm(before.name, { force: true });
    },
    undo: (back: () => void): void => void current()?.undo.push(back),
    /** When what is under way stands; at once where nothing is. */
    async behind(then: () => unknown): Promise<void> {
      const unit = current();
      if (unit === undefined) await then();
      else unit.behind.push(then);
    },
  };
}
