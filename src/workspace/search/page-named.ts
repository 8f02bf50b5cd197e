import { TidemarkError } from "../../model/errors.ts";
import { DEFAULT_SCOPE, isScope, SCOPE_KINDS, type Scope } from "../../model/identity.ts";
import { oneLine } from "../../text/cut.ts";
import type { Folder } from "../disk/folder.ts";
import { kindOf, PAGE_KINDS } from "./page-files.ts";
import { type Brought, nothingBrought } from "./page-rows.ts";
import type { PageSync } from "./page-sync.ts";
import type { Records } from "../documents/records.ts";
import { fileOf, folderOf, unpercent } from "../disk/paths.ts";

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
