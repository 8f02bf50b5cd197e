import { readFileSync, renameSync, writeFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { makeFolders, PRIVATE } from "../../base/make-folders.ts";
import type { TidemarkEvent } from "../../model/events.ts";
import { isDict } from "../../base/guards.ts";

/** What did not work as meant, how often and when last (ms since epoch); of the whole workspace. */
interface Trouble {
  readonly kind: "passed" | "degraded";
  /** The reason of a request that passed; the place where something failed. */
  readonly about: string;
  readonly times: number;
  readonly at: number;
}

const MOST = 20;
/** ms between two writes of what is counted; the last is written at the close. */
const PAUSE = 60_000;

const troublesFile = (root: string): string => join(root, ".tidemark", "troubles.json");

/** The latest first. What cannot be read counts as nothing. */
export function readTroubles(root: string): Trouble[] {
  try {
    const found: unknown = JSON.parse(readFileSync(troublesFile(root), "utf8"));
    return Array.isArray(found) ? found.filter(isTrouble) : [];
  } catch {
    return [];
  }
}

const isTrouble = (value: unknown): value is Trouble =>
  isDict(value) &&
  (value.kind === "passed" || value.kind === "degraded") &&
  typeof value.about === "string" &&
  Number.isFinite(value.times) &&
  Number.isFinite(value.at);

/** Both lists as one: what is about the same is counted together. */
function together(...lists: readonly (readonly Trouble[])[]): Trouble[] {
  const known = new Map<string, Trouble>();
  for (const trouble of lists.flat()) {
    const key = `${trouble.kind} ${trouble.about}`;
    const { times = 0, at = 0 } = known.get(key) ?? {};
    known.set(key, { ...trouble, times: times + trouble.times, at: Math.max(at, trouble.at) });
  }
  return [...known.values()].sort((one, other) => other.at - one.at).slice(0, MOST);
}

/** Counts troubles in a file beside the databases, for `tidemark stats` and `doctor` to read. */
export function countTroubles(root: string, now: () => number) {
  let unwritten: Trouble[] = [];
  let due = -Infinity;
  let over = false;
  const write = (): void => {
    if (unwritten.length === 0) return;
    const file = troublesFile(root);
    const draft = `${file}.${process.pid}.tmp`;
    try {
      makeFolders(dirname(file), PRIVATE);
      writeFileSync(draft, JSON.stringify(together(readTroubles(root), unwritten)), {
        mode: 0o600,
      });
      renameSync(draft, file);
      unwritten = [];
    } catch {
      // A disk that refuses this has been told of where it refused more.
    }
  };
  return {
    hear(event: TidemarkEvent): void {
      if (over) return;
      if (event.type !== "passed" && event.type !== "degraded") return;
      const at = now();
      const about = event.type === "passed" ? event.reason : event.where;
      unwritten = together(unwritten, [{ kind: event.type, about, times: 1, at }]);
      if (at < due) return;
      due = at + PAUSE;
      write();
    },
    /** Behind it the folder may be gone. */
    close(): void {
      write();
      over = true;
    },
  };
}
