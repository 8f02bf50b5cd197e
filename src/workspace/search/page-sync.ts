import { breathe } from "../../core/base.ts";
import { TidemarkError } from "../../core/errors-and-events.ts";
import { DEFAULT_SCOPE, isScope, type Scope, SCOPE_KINDS } from "../../core/identity.ts";
import { oneLine } from "../../core/text/cut.ts";
import { fileOf, type FilePlace, type Folder, folderOf, shown, unpercent } from "../disk/folder.ts";
import { takingTurns } from "../disk/lock.ts";
import type { Records } from "../documents/records.ts";
import {
  type Between,
  bring,
  type Brought,
  keptRows,
  kindOf,
  nothingBrought,
  PAGE_KINDS,
  readRows,
  walkPages,
} from "./page-rows.ts";

/**
 * How old what is known of a scope's files may be, ms: what another program wrote is found by then.
 */
const FRESH = 2_000;
/** From then on they are looked at behind a search: where one follows the other, none waits. */
const SOON = 1_000;
/** A scope's folder, as far as it was looked at. */
interface KnownFolder {
  /** When all of its files were looked at last. */
  looked: number;
  /** Paths written here since they were looked at. */
  written: Set<string>;
  /** Something is brought that a search must not miss. */
  isMissed: boolean;
  /** It is looked at behind a search. */
  isBehind: boolean;
}

const UNSEEN = { looked: Infinity, isMissed: false, isBehind: false };

/**
 * Keeps the rows of pages in step with their files. `look`: at all files of a scope where the last
 * look is too long ago, else at those written here since. `settle`: at what was written here and no
 * further: what was taken out of a file is gone from the index as well. `bring`: at one file, or at
 * all in one folder, now: another program has told that something changed there; "" is all of the
 * scope. `wrote`: a file was written here. `turned`: a folder was moved or removed here, so the
 * next look is at all files.
 */
export function pageSync(between: Between, now: () => number) {
  const { folder, store, tell } = between;
  const folders = new Map<string, KnownFolder>();
  const rowsOf = keptRows(store);
  const inTurn = takingTurns();

  const knownOf = (base: string): KnownFolder => {
    const known = folders.get(base) ?? { ...UNSEEN, written: new Set() };
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
    known.isMissed = paths.size > 0 || age(known) >= FRESH;
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
    } finally {
      known.isMissed = false;
    }
  }

  return {
    async look(scope: Scope): Promise<void> {
      const known = knownOf(folderOf(scope));
      if (age(known) >= FRESH || known.written.size > 0 || known.isMissed)
        await inTurn(scope, () => catchUp(scope, age(known) >= FRESH));
      if (age(known) < SOON || known.isBehind) return;
      known.isBehind = true;
      // A failure here is met again in the look that a search waits for.
      void inTurn(scope, () => breathe().then(() => catchUp(scope, true)))
        .catch(() => undefined)
        .finally(() => (known.isBehind = false));
    },
    settle: (scope: Scope) => inTurn(scope, () => catchUp(scope, false)),
    bring: (scope: Scope, path: string) =>
      inTurn(scope, async () => {
        const base = folderOf(scope);
        const lists = path === "" ? walkPages(folder, scope, tell) : folder.walk({ base, path });
        const under = path === "" ? undefined : shown({ base, path });
        return bring(between, lists, await readRows(store, scope, under));
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

interface Named {
  readonly scope: Scope;
  /** From the scope's own folder; "" is all of it. */
  readonly path: string;
}

interface NamedPageHost {
  readonly folder: Folder;
  readonly sync: PageSync;
  readonly records: Records;
  readonly now: () => number;
}

/** In one line, though the name of a file may have more. */
const refused = (text: string): TidemarkError => new TidemarkError("config", oneLine(text));

/**
 * Brings the rows of what a path names in step with its files. Rejects where the path names no
 * page, and no folder of pages.
 */
export async function bringNamed(
  around: NamedPageHost,
  path: string,
  known: readonly Scope[] = [],
): Promise<Brought> {
  const all = nothingBrought();
  for (const named of await namedBy(around.folder, path, known)) {
    if (named.path !== "") checkPage(named.path, path);
    const brought = await around.sync.bring(named.scope, named.path);
    for (const what of ["added", "changed", "gone", "unread"] as const)
      all[what].push(...brought[what]);
    all.chunks += brought.chunks;
    // A record whose front matter cannot be read is told with its line and column.
    for (const unread of brought.unread)
      await around.records.isFound(named.scope, unread, around.now());
    const standing = await around.folder.look(fileOf(named.scope, named.path));
    // A path that names nothing, now or before, was meant otherwise.
    if (named.path !== "" && brought.gone.length === 0 && standing === undefined)
      throw refused(`There is no page ${path}.`);
  }
  return all;
}

/** The scopes a path stands for, each with what of its pages is meant. */
async function namedBy(folder: Folder, path: string, known: readonly Scope[]): Promise<Named[]> {
  const [first = "", kind, name, ...rest] = path.split("/");
  if (first !== "scopes") {
    const own = { scope: DEFAULT_SCOPE, path };
    return path === "" ? [own, ...(await namedBy(folder, "scopes", known))] : [own];
  }
  if (kind !== undefined && name !== undefined)
    return [{ scope: scopeAt(`scopes/${kind}/${name}`, known), path: rest.join("/") }];
  const kinds = SCOPE_KINDS.filter((one) => kind === undefined || one === kind);
  if (kinds.length === 0)
    throw refused(
      `${path} is no folder of pages. Folders of scopes are ${SCOPE_KINDS.join(", ")}.`,
    );
  const found: Named[] = [];
  for (const one of kinds)
    for (const entry of await folder.entries({ base: "scopes", path: one }))
      if (entry.kind === "folder")
        found.push({ scope: scopeAt(`scopes/${one}/${entry.name}`, known), path: "" });
  return found;
}

/** The scope of a folder. A long id stands in its folder's name in part. */
function scopeAt(base: string, known: readonly Scope[]): Scope {
  const [, kind = "", name = ""] = base.split("/");
  const meant = `${kind}:${unpercent(name)}`;
  const scope = [...known, meant].filter(isScope).find((one) => folderOf(one) === base);
  if (scope !== undefined) return scope;
  throw refused(`${base} does not tell whose pages it holds. Name them: --user, --agent, --team.`);
}

function checkPage(path: string, given: string): void {
  if (kindOf(path) !== undefined) return;
  throw refused(
    `${given} is no page that a search looks at. Pages are ` +
      `${PAGE_KINDS.map(({ at }) => at).join(", ")}.`,
  );
}
