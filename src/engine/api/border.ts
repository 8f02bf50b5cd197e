import { type Scope } from "../../model/identity.ts";
import { isTidemarkError, reasonOf, shown, TidemarkError } from "../../model/errors.ts";
import { maskAtOnce } from "../../secrets/mask.ts";
import { type OpenFile } from "../../workspace/workspace.ts";
import { held } from "../runtime/background.ts";
import { type WorkspaceApi } from "../options/api-types.ts";
import { checkKeys } from "../options/options.ts";
import { type Core } from "../session/core.ts";
import { lookAtPage, showOnPages } from "../journal/pages.ts";

/** A host's own objects may throw when they are read (getters, proxies, circles): a wrong argument like any other. */
export const refusal = (method: string, thrown: unknown): unknown =>
  isTidemarkError(thrown)
    ? scrubbed(thrown)
    : new TidemarkError(
        "config",
        `${method}() could not use what it was given: ${maskAtOnce(reasonOf(thrown)).replace(/\.$/, "")}.`,
        { cause: thrown },
      );

/** Errors end up in logs: a secret that was quoted in one leaves masked. */
function scrubbed(error: TidemarkError): TidemarkError {
  const message = maskAtOnce(error.message);
  return message === error.message
    ? error
    : new TidemarkError(error.code, message, { cause: error.cause });
}

/** Work that a caller awaits: `close` waits for it, whatever becomes of it, and the process is not over before it is. */
export function underWay<T>(
  { background }: Pick<Core, "background">,
  work: Promise<T>,
): Promise<T> {
  const done = (): void => {};
  background.run(held(work.then(done, done)));
  return work;
}

/** The same methods, where null counts as not given and nothing but a TidemarkError leaves. */
export function atBorder<Api extends object>(core: Core, prefix: string, api: Api): Api {
  const methods = Object.entries(api).map(([name, work]) => {
    const call = work as (...given: unknown[]) => Promise<unknown>;
    const guarded = async (...given: unknown[]): Promise<unknown> => {
      try {
        const meant = given.map((value) => value ?? undefined);
        checkKeys(`${prefix}${name}`, meant);
        return await call(...meant);
      } catch (thrown) {
        throw refusal(`${prefix}${name}`, thrown);
      }
    };
    return [name, (...given: unknown[]) => underWay(core, guarded(...given))];
  });
  return Object.fromEntries(methods) as Api;
}

function checkScopes(method: string, scopes: readonly Scope[] | undefined): readonly Scope[] {
  const given: unknown = scopes;
  const isList = Array.isArray(given) && given.every((scope) => typeof scope === "string");
  if (isList && scopes !== undefined) return scopes;
  throw new TidemarkError(
    "config",
    `workspace.${method} takes a list of scopes such as ["agent:sky", "user:ada"], got ${shown(scopes)}.`,
  );
}

/** The workspace as its host holds it: what it writes on a page are its own words, and no person's. */
export function workspaceApi(core: Core): WorkspaceApi {
  const { workspace } = core;
  const onPage = async (name: string, scope: Scope, work: () => Promise<void>): Promise<void> => {
    if (name === "MEMORY.md") await lookAtPage(core, scope);
    await work();
    if (name === "MEMORY.md") await showOnPages(core, [scope], { origin: "host" });
  };
  const { files, search, read, learn } = workspace;
  return {
    root: workspace.root,
    ...atBorder(core, "workspace.", {
      ...{ read, learn },
      files: (scopes: readonly Scope[]) => files(checkScopes("files", scopes)),
      search: (query: string, options?: { scopes: readonly Scope[]; limit?: number }) =>
        search(query, { scopes: checkScopes("search", options?.scopes), limit: options?.limit }),
      write: (name: OpenFile, text: string, scope: Scope) =>
        onPage(name, scope, () => workspace.write(name, text, scope)),
      edit: (name: OpenFile, change: (text: string) => string | undefined, scope: Scope) =>
        onPage(name, scope, () => workspace.edit(name, change, scope)),
    }),
  };
}
