import { breathe } from "../../core/base.ts";
import type { Scope } from "../../core/identity.ts";
import type { Storage } from "../../storage/port.ts";
import { takingTurns } from "../disk/disk-folder.ts";
import {
  fileOf,
  type FilePlace,
  type Folder,
  folderOf,
  type Listed,
  orTell,
  shown,
  type Tell,
} from "../disk/folder.ts";
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
  readonly read: (text: string, path: string) => PagePiece[];
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

/** The pages of a scope, in the order of their kinds; all kinds are looked for at once. */
async function* walkPages(folder: Folder, scope: Scope, tell: Tell): AsyncGenerator<Listed> {
  const begun = PAGE_KINDS.map(({ at }) => {
    const pages = folder.walk(fileOf(scope, at))[Symbol.asyncIterator]();
    const first = pages.next();
    first.catch(() => undefined);
    return { pages, first };
  });
  for (const { pages, first } of begun)
    try {
      for (let one = await first; one.done !== true; one = await pages.next()) yield one.value;
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
    for await (const listed of walkPages(folder, scope, tell)) {
      const text = await readPageAt(folder, listed, tell);
      if (text !== undefined) found.push({ path: shown(listed.place), text, scope });
    }
  return found;
}

/** The files, and the rows made of them. */
export interface Between {
  readonly folder: Folder;
  readonly store: Storage;
  readonly tell: Tell;
  /** Hears of each page that was put into the index. */
  readonly indexed?: (() => void) | undefined;
}

/** In a stamp: a file that a changed reader may read otherwise is read again. */
const READ_SO = `${READERS}:`;

/**
 * Brings the rows of a scope's pages in step: reads what has another stamp than its rows, and takes
 * the rows of what is gone or cannot be read.
 */
async function bring(between: Between, scope: Scope): Promise<void> {
  const { folder, store, tell, indexed } = between;
  const left = new Map((await store.pages(scope)).map(({ path, stamp }) => [path, stamp]));
  for await (const file of walkPages(folder, scope, tell)) {
    const [path, stamp] = [shown(file.place), READ_SO + file.stamp];
    const isSame = left.get(path) === stamp;
    const text = isSame ? undefined : await readPageAt(folder, file, tell);
    if (isSame || text !== undefined) left.delete(path);
    const kind = kindOf(file.place.path);
    if (text === undefined || kind === undefined) continue;
    const chunks = chunksOf(kind.read(text, file.place.path));
    await store.commit({ pages: [{ scope, path, kind: kind.kind, stamp, chunks }] });
    indexed?.();
    await breathe();
  }
  const paths = [...left.keys()];
  if (paths.length > 0) await store.commit({ gone: { pages: { scope, paths } } });
}

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
