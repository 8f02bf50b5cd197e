import { degraded, reasonOf, TidemarkError } from "../../core/errors-and-events.ts";
import { isOfGroup, isScope, type Scope } from "../../core/identity.ts";
import type { Debt, Origin, OwedDebt } from "../../core/memory.ts";
import type { Ports } from "../../session/ports.ts";
import { methods } from "../../storage/methods.ts";
import {
  copiesOf,
  type Gone,
  keptCopies,
  type LoggedMemory,
  readCopies,
  withoutGoneIn,
} from "../../workspace/pages/log-and-page-copies.ts";
import { syncPage } from "./memory-page-sync.ts";
import { settleMade } from "./proposal-list.ts";
import { isWriting } from "../../workspace/pages/memory-page.ts";

/** ms that changes are let come together before views are written. */
const BREATH_MS = 100;
/** No more of the time goes into writing views while changes keep coming. */
const SHARE = 0.1;

/** Pages and the day's log, which are written behind what is stored. */
export function createViews(core: Ports) {
  /** ms that writing late views took last. */
  let took = 0;
  let callOff: (() => void) | undefined;

  /** Has the views that are behind written soon; `pay` does it at once. */
  function paySoon(): void {
    if (core.off) return;
    callOff ??= core.timer(Math.max(BREATH_MS, took / SHARE), () =>
      core.background.run(payGently()),
    );
  }

  /**
   * Writes the views that are behind what is stored, those of a process that died as well, of
   * these scopes or of all. Trouble is told, and what could not be written stays owed; rejects
   * where that is words of what was forgotten.
   */
  async function pay(scopes?: readonly Scope[]): Promise<void> {
    if (core.off) return;
    callOff?.();
    callOff = undefined;
    const start = performance.now();
    const all = await core.store.debts();
    const meant = all.filter(({ scope }) => scopes?.includes(scope) ?? true);
    for (const [scope, debts] of Map.groupBy(meant, (one) => one.scope)) {
      await payLines(core, scope, debts);
      const pages = debts.filter(({ kind }) => kind === "page");
      if (pages.length > 0 && (await synced(scope))) await core.store.commit({ paid: pages });
    }
    took = performance.now() - start;
  }

  /** What was begun last, for a reader that comes meanwhile. */
  let paying: Promise<void> = Promise.resolve();
  const payGently = (): Promise<void> => (paying = pay().catch(() => undefined));

  /** How often a person took out of a scope's files what was remembered. */
  const endings = new Map<Scope, number>();

  /** Trouble with a page leaves memory as it is, and is told. False where the page stays owed. */
  async function synced(scope: Scope, origin?: Origin): Promise<boolean> {
    try {
      const done = await syncPage(core, scope, origin);
      if (done && done.changed + done.ended > 0) paySoon();
      if (done && done.ended > 0) endings.set(scope, (endings.get(scope) ?? 0) + 1);
      return done !== undefined;
    } catch (thrown) {
      core.emit(degraded("MEMORY.md", thrown));
      return false;
    }
  }

  return {
    pay,
    paySoon,
    endings: (scope: Scope): number => endings.get(scope) ?? 0,
    /** The same for callers that go on without it: what stays owed is paid later. */
    payGently,
    /** The same where views are behind, for their reader. */
    payIfLate: (): Promise<void> => (callOff === undefined ? paying : payGently()),
    /** Reads the page where a person wrote to it since. Each save of another process does, too. */
    async look(scope: Scope): Promise<void> {
      if (!core.off && (await isEdited(core, scope).catch(() => true))) await synced(scope);
    },
    /** Takes what a program wrote on the page for its own words. */
    async take(scope: Scope, origin: Origin): Promise<void> {
      if (!core.off) await synced(scope, origin);
    },
  };
}

export type Views = ReturnType<typeof createViews>;

/** Views of a level: pages of groups are the workspace's. */
export const joined = (own: Views, kept: Views): Views =>
  methods<Views>(Object.keys(own), (call, _, [scope]) => {
    if (isScope(scope)) return call(isOfGroup(scope) ? kept : own);
    return Promise.all([call(kept), call(own)]).then(() => undefined);
  });

/** For all that shows or reads views. */
export interface Viewed {
  readonly views: Views;
}

async function payLines(core: Ports, scope: Scope, debts: readonly OwedDebt[]): Promise<void> {
  const isDue = ({ kind }: Debt): boolean => kind !== "page";
  if (!debts.some(isDue)) return;
  const { store, workspace, emit } = core;
  try {
    const over = await workspace.alone(async () => {
      // Another process may have paid by now, or forgotten what a line says.
      const due = (await store.debts()).filter((one) => one.scope === scope && isDue(one));
      const erased = due.flatMap(({ kind, text }) => (kind === "erase" ? [goneIn(text)] : []));
      const lines = due.flatMap(({ kind, text }) => (kind === "log" ? [lineIn(text)] : []));
      for (const gone of erased) await workspace.forget(gone, scope);
      await workspace.log(lines, scope, { once: true });
      for (const gone of erased) await forgetCopiesOf(core, scope, gone);
      await store.commit({ paid: due });
      const isOver = erased.length > 0 || lines.some(({ did }) => did !== "saved");
      return isOver ? new Set(erased.flatMap(({ ids }) => [...ids])) : undefined;
    });
    if (over !== undefined) await settleMade(core, over);
  } catch (thrown) {
    emit(degraded("daily log", thrown));
    if (debts.some(({ kind }) => kind === "erase"))
      throw new TidemarkError(
        "workspace",
        `Words of what was forgotten still stand in files: ${reasonOf(thrown)}. They go at the ` +
          "next start, or when it is forgotten again.",
        { cause: thrown },
      );
  }
}

/** A page's last writings, and copies of the database. */
async function forgetCopiesOf(
  { store, forgetCopies }: Ports,
  scope: Scope,
  gone: Gone,
): Promise<void> {
  const held = await store.note(copiesOf(scope));
  const left = held && keptCopies(withoutGoneIn(readCopies(held), gone));
  if (left !== held) await store.commit({ notes: { [copiesOf(scope)]: left } });
  forgetCopies([...gone.ids]);
}

const lineIn = (text = ""): LoggedMemory => JSON.parse(text) as LoggedMemory;
function goneIn(text = ""): Gone {
  const { ids, said, ...more } = JSON.parse(text) as Record<"ids" | "said", string[]>;
  return { ids: new Set(ids), said: new Set(said), ...more };
}

/**
 * Has a person written to it? What another process wrote, and none edited, is no news to memory.
 * The first look of a process is always taken: it mends a page that does not say what memory does.
 */
async function isEdited({ store, workspace }: Ports, scope: Scope): Promise<boolean> {
  const { pages } = workspace;
  if (!pages.isKnown(scope)) return true;
  if (!(await pages.changed(scope))) return false;
  const text = await pages.read(scope);
  return !isWriting(text, readCopies(await store.note(copiesOf(scope))).at(-1)?.name);
}
