import type { Viewed } from "../compaction/journal/views.ts";
import { asOurs, refuse, TidemarkError } from "../core/errors-and-events.ts";
import type { Identity, Scope } from "../core/identity.ts";
import { mask } from "../core/secrets/mask.ts";
import type { Ground, Ports } from "../session/ports.ts";
import { held } from "../session/options/background.ts";
import { checkArguments } from "../session/options/check-arguments.ts";
import type { WorkspaceApi } from "../session/options/turn-and-option-types.ts";

/**
 * A host's own objects may throw when they are read (getters, proxies, circles): a wrong argument
 * like any other. Errors end up in logs: a secret that was quoted in one leaves masked.
 */
export function refusal(method: string, thrown: unknown): unknown {
  const error = asOurs(
    thrown,
    "config",
    (reason) => `${method}() could not use what it was given: ${reason.replace(/\.$/, "")}.`,
  );
  const message = mask(error.message);
  return message === error.message
    ? error
    : new TidemarkError(error.code, message, { cause: error.cause });
}

/** One identity's handle on an open workspace; a view can be closed alone, the root closes all. */
export interface View {
  readonly identity: Identity;
  readonly label?: string | undefined;
  readonly isRoot?: true;
  closed: boolean;
}

/** The part that was closed: all of it, or this view of it; undefined while it is open. */
export function closedPart({ closed }: Ground, view?: View): "Tidemark" | "view" | undefined {
  if (closed) return "Tidemark";
  return view?.closed === true ? "view" : undefined;
}

/** What a view began, as a turn or a task, may end after it was closed: then none is given. */
export function checkOpen(core: Ground, view?: View): void {
  const part = closedPart(core, view);
  if (part === undefined) return;
  const cure = part === "view" ? "make another with as()" : "open a new one";
  refuse(`This ${part} was closed; ${cure}.`, "closed");
}

/**
 * Work that a caller awaits: `close` waits for it, whatever becomes of it, and the process is not
 * over before it is.
 */
export function underWay<T>(
  { background }: Pick<Ground, "background">,
  work: Promise<T>,
): Promise<T> {
  background.run(held(work.catch(() => undefined)));
  return work;
}

interface Border extends Pick<Ground, "background"> {
  readonly check?: () => void;
}

/** The same methods, where null counts as not given and nothing but a TidemarkError leaves. */
export function atBorder<Api extends object>(border: Border, prefix: string, api: Api): Api {
  const methods = Object.entries(api).map(([name, work]) => {
    const call = work as (...given: unknown[]) => Promise<unknown>;
    const guarded = async (...given: unknown[]): Promise<unknown> => {
      try {
        const meant = given.map((value) => value ?? undefined);
        border.check?.();
        checkArguments(`${prefix}${name}`, meant);
        return await call(...meant);
      } catch (thrown) {
        throw refusal(`${prefix}${name}`, thrown);
      }
    };
    return [name, (...given: unknown[]) => underWay(border, guarded(...given))];
  });
  return Object.fromEntries(methods) as Api;
}

/**
 * The workspace as its host holds it: what it writes on a page are its own words, and no person's.
 */
export function workspaceApi(core: Ports & Viewed, view: View): WorkspaceApi {
  const { workspace, views } = core;
  const border = { background: core.background, check: () => checkOpen(core, view) };
  const onPage = async (name: string, scope: Scope, work: () => Promise<void>): Promise<void> => {
    if (name === "MEMORY.md") {
      await views.payIfLate();
      await views.look(scope);
    }
    await work();
    if (name === "MEMORY.md") await views.take(scope, "host");
  };
  /** What is read is what memory says now. */
  const current =
    <Given extends unknown[], Found>(read: (...given: Given) => Promise<Found>) =>
    async (...given: Given): Promise<Found> => {
      await views.payIfLate();
      return read(...given);
    };
  return {
    root: workspace.root,
    ...atBorder<Omit<WorkspaceApi, "root">>(border, "workspace.", {
      read: current(workspace.read),
      learn: workspace.learn,
      files: current(workspace.files),
      search: current(workspace.search),
      write: (name, text, scope) => onPage(name, scope, () => workspace.write(name, text, scope)),
      edit: (name, change, scope) => onPage(name, scope, () => workspace.edit(name, change, scope)),
    }),
  };
}
