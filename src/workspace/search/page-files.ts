import type { Scope } from "../../model/identity.ts";
import { type Folder, type Listed, orTell, type Tell } from "../disk/folder.ts";
import { fileOf, shown } from "../disk/paths.ts";
import { CONVERSATIONS, piecesOfConversation } from "../documents/conversation-page.ts";
import {
  type PagePiece,
  piecesOf,
  piecesOfErrors,
  piecesOfLog,
  piecesOfPage,
  piecesOfRecord,
} from "../documents/chunks.ts";
import { lessonPath } from "../pages/learnings.ts";
import { inForce } from "../pages/preferences-part.ts";

/**
 * Another number when a kind reads the same text otherwise, or text becomes other terms: files that
 * did not change are read again.
 */
export const READERS = 2;

interface PageKind {
  readonly kind: string;
  /** A file, or a folder with all that lies below it, inside a scope's own folder. */
  readonly at: string;
  /**
   * Of a file that is too long: a log grows at its end; a text starts at its beginning, which is
   * kept else.
   */
  readonly keep?: "end";
  /** Undefined: nothing can be told of the file, and what was found of it stays. */
  readonly read: (text: string, path: string) => PagePiece[] | undefined;
}

/**
 * The pages of a scope that a search looks at. HEARTBEAT.md is for the machine that wakes the
 * agent; folders of other names are not ours.
 */
export const PAGE_KINDS: readonly PageKind[] = [
  { kind: "soul", at: "SOUL.md", read: piecesOf },
  { kind: "user", at: "USER.md", read: (text) => piecesOf(inForce(text)) },
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

/** The pages of a scope, in the order of their kinds. */
export async function* walkPages(
  folder: Folder,
  scope: Scope,
  tell: Tell,
): AsyncGenerator<readonly Listed[]> {
  for (const { at } of PAGE_KINDS)
    try {
      yield* folder.walk(fileOf(scope, at));
    } catch (error) {
      tell(error);
    }
}

/** Undefined for a page that is gone or cannot be read. */
export const readPageAt = (
  folder: Folder,
  { place }: Listed,
  tell: Tell,
): Promise<string | undefined> =>
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
    for await (const run of walkPages(folder, scope, tell))
      for (const listed of run) {
        const text = await readPageAt(folder, listed, tell);
        if (text !== undefined) found.push({ path: shown(listed.place), text, scope });
      }
  return found;
}
