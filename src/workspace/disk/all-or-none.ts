import { AsyncLocalStorage } from "node:async_hooks";
import { promises as fs } from "node:fs";
import { staged } from "./atomic.ts";

interface Unit {
  /** New texts of files by their paths, on disk under other names. */
  readonly drafts: Map<string, { readonly name: string; readonly text: string }>;
  readonly behind: (() => unknown)[];
  /** "behind": its changes stand, and what is done behind them is under way. */
  state: "open" | "behind" | "over";
}

/**
 * What one piece of work changes in files stands when it succeeds, and none of it when it fails, as
 * on a disk that runs full in its midst: to rename what lies there takes no room.
 */
export function allOrNone(
  lock: <T>(work: () => Promise<T>) => Promise<T>,
  trouble = (_path: string, error: unknown): unknown => error,
) {
  const units = new AsyncLocalStorage<Unit>();
  const current = (): Unit | undefined => {
    const unit = units.getStore();
    return unit?.state === "open" ? unit : undefined;
  };

  async function rename({ drafts }: Unit): Promise<void> {
    for (const [path, { name }] of drafts) {
      await fs.rename(name, path).catch((error: unknown) => {
        throw trouble(path, error);
      });
      drafts.delete(path);
    }
  }

  async function takeBack({ drafts }: Unit): Promise<void> {
    for (const { name } of drafts.values())
      await fs.rm(name, { force: true }).catch(() => undefined);
  }

  async function whole<T>(work: () => Promise<T>): Promise<T> {
    const unit: Unit = { drafts: new Map(), behind: [], state: "open" };
    return units.run(unit, async () => {
      try {
        const done = await work();
        await rename(unit);
        unit.state = "behind";
        for (const then of unit.behind) await then();
        return done;
      } catch (thrown) {
        if (unit.state === "open") await takeBack(unit);
        throw thrown;
      } finally {
        unit.state = "over";
      }
    });
  }

  return {
    /**
     * Work within work belongs to it; what is done behind it is a whole of its own. No other
     * process changes files meanwhile.
     */
    run<T>(work: () => Promise<T>): Promise<T> {
      if (current() !== undefined) return work();
      return units.getStore()?.state === "behind" ? whole(work) : lock(() => whole(work));
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
    /** When what is under way stands; at once where nothing is. */
    async behind(then: () => unknown): Promise<void> {
      const unit = current();
      if (unit === undefined) await then();
      else unit.behind.push(then);
    },
  };
}
