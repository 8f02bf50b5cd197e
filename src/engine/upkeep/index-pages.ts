import { type Scope } from "../../model/identity.ts";
import { createWorkspace } from "../../workspace/create.ts";
import { type Brought } from "../../workspace/search/page-rows.ts";
import { openIndex } from "./rebuild.ts";
import { type Around } from "./salvage-files.ts";

/** What became of one path. */
type Indexed = Brought | { readonly error: unknown };

/**
 * Reads the pages of a workspace that other programs have changed, now; `paths` from its root. One that names no page does not stop the
 * others. Rejects with "store" where there is no index to be had.
 */
export async function indexPages(
  { workspace: root, paths, scopes }: Meant,
  { now, emit }: Around,
): Promise<Indexed[]> {
  const store = await openIndex(root, { now, emit });
  try {
    const workspace = createWorkspace({
      ...{ root, templateDir: root, now, listen: emit },
      pages: store.pages,
    });
    const done: Indexed[] = [];
    for (const path of paths)
      done.push(await workspace.index(path, scopes).catch((error: unknown) => ({ error })));
    return done;
  } finally {
    await store.close();
  }
}

interface Meant {
  readonly workspace: string;
  readonly paths: readonly string[];
  /** Scopes whose folder's name may not tell them. */
  readonly scopes: readonly Scope[];
}
