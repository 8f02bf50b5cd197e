import { type Scope } from "../../model/identity.ts";
import { type Folder, type Listed, orTell, type Tell } from "../disk/folder.ts";
import { kindOf, PAGE_KINDS } from "./page-kinds.ts";
import { folderOf, shown } from "../disk/paths.ts";

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
      yield* folder.walk(folderOf(scope), at);
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
