import { degraded } from "../../model/errors.ts";
import type { Scope } from "../../model/identity.ts";
import type { Memory } from "../../model/memory.ts";
import type { KeptValue, Store } from "../../model/store.ts";
import { serially } from "../../memory/saving/commit.ts";
import { goneFrom } from "../../memory/saving/forgetting.ts";
import { lru } from "../../base/cache.ts";
import { digestOf, lineOf, replay } from "../../memory/saving/replay.ts";
import { fileOf, shown } from "../../workspace/disk/paths.ts";
import { type LogLine, logPath } from "../../workspace/log/daily-log.ts";
import type { Workspace } from "../../workspace/workspace.ts";
import {
  allValues,
  byMemory,
  currentOf,
  placesOf,
  valuesOf,
  withUse,
} from "../../memory/saving/values.ts";
import type { Core } from "../session/core.ts";
import { settleMade } from "./ended-skills.ts";
import { journal } from "./journal.ts";
import { takeBackTorn, inDoubt, readTold, type LinesTold, unreadEvents } from "./torn-lines.ts";
import { reconciledNotice, showOnPages } from "./memory-page-sync.ts";

/** How long what the files say may differ from what memory says, ms. */
const EVERY_MS = 1_000;
/** Scopes whose last look is kept; one more look costs little. */
const SCOPES = 8_192;

/** A memory whose values are to be as told. */
interface Changed {
  readonly id: string;
  readonly told: readonly KeptValue[];
  /** The store held it. */
  readonly known: boolean;
}

/** A memory as it is or was last, and every value of it. */
interface Unlogged {
  readonly memory: Memory;
  readonly own: readonly KeptValue[];
}

/**
 * What a store holds beside what the journal tells. `removed`: a person took their line out of a
 * file that is still there;
 * `unlogged`: their file is gone, so they are kept, and told again; `left`: they stay as the index
 * has them, since a line that may be
 * theirs cannot be read.
 */
export async function differenceOf(
  workspace: Workspace,
  { lines, unread }: LinesTold,
  kept: readonly KeptValue[],
) {
  const [tales, rows] = [byMemory(replay(lines)), byMemory(kept)];
  // The oldest lines do not tell all there is: the index that has the words keeps the rest.
  const sparing = new Set(
    lines
      .filter(({ version, event }) => version === undefined && event !== "forgotten")
      .map(({ id }) => id),
  );
  const saying = (values: readonly KeptValue[]) => currentOf(values)?.stored.memory.content;
  const isEqual = (id: string): boolean => {
    const [values, own] = [tales.get(id) ?? [], rows.get(id) ?? []];
    return sparing.has(id) ? saying(own) === saying(values) : digestOf(values) === digestOf(own);
  };
  const differs = new Set([...new Set(tales.keys()).union(rows)].filter((id) => !isEqual(id)));
  const left = inDoubt(unread, { rows, tales, differs });
  const changed = [...tales].flatMap(([id, values]): Changed[] =>
    differs.has(id) && !left.has(id)
      ? [{ id, told: withUse(values, rows.get(id) ?? []), known: rows.has(id) }]
      : [],
  );
  const [removed, unlogged]: [Memory[], Unlogged[]] = [[], []];
  for (const [id, own] of rows) {
    const memory = (currentOf(own) ?? own.at(-1))?.stored.memory;
    if (tales.has(id) || memory === undefined) continue;
    // The last line of a value stands in the log of the day it was last changed.
    if (!(await workspace.journal.has(memory.updatedAt, memory.scope)))
      unlogged.push({ memory, own });
    else if (!left.has(id)) removed.push(memory);
  }
  return { changed, removed, unlogged, left };
}

/**
 * Writes memories down whose log is gone, all of a day at once: from then on what does not stand
 * there has been taken out.
 */
export async function tellAgain(
  workspace: Workspace,
  unlogged: readonly Unlogged[],
): Promise<void> {
  const lines = unlogged.flatMap(({ own }) =>
    own.flatMap(({ stored: row, until }, at) => {
      const said = lineOf({ event: at === 0 ? "saved" : "updated", row });
      return until !== undefined && at === own.length - 1
        ? [said, lineOf({ event: "superseded", row, until })]
        : [said];
    }),
  );
  for (const [scope, own] of Map.groupBy(lines, (line) => line.scope)) {
    workspace.journal.lookAgain(scope);
    await workspace.log(own, scope);
  }
}

/**
 * Makes the journal's word true: an edit by hand, a line taken out, what a killed process wrote
 * down and did not store. False: it was not written to.
 */
export async function reconcileScope(core: Core, scope: Scope): Promise<boolean> {
  const { store, workspace, emit, now } = core;
  if (!(await workspace.journal.changed(scope))) return false;
  await serially(store, async () => {
    const before = await allValues(store, [scope]);
    const known = new Set(await workspace.journal.known(scope));
    // Read after the store: the journal then tells of all that the store holds.
    const read = (): Promise<LinesTold> =>
      readTold((misnamed) => workspace.journal.read(scope, misnamed), before);
    const first = await read();
    const told = (await takeBackTorn(core, scope, first)) ? await read() : first;
    const { changed, removed, unlogged, left } = await differenceOf(workspace, told, before);
    const lost = unlogged.filter(({ memory }) =>
      known.has(shown(fileOf(scope, logPath(memory.updatedAt)))),
    );
    if (lost.length > 0) {
      await tellAgain(workspace, lost);
      const text =
        "The log of a day was deleted: what memory holds of it was written down again. " +
        "Forget what is to be gone.";
      emit(reconciledNotice(scope, { changed: 0, forgotten: 0, text }));
    }
    if (told.unread.some(({ torn }) => torn)) await workspace.journal.endTorn(scope, left.size > 0);
    for (const event of unreadEvents(told.unread.filter(({ torn }) => !torn || left.size > 0)))
      emit(event);
    const waiting: KeptValue[] = [];
    for (const one of changed) {
      const fate = await fateOf(store, scope, one);
      if (fate === "restore") await store.restore([one.id], one.told, [scope]);
      if (fate === "twin") waiting.push(...one.told.slice(-1));
    }
    await settleTwins(workspace, { scope, waiting, now: now() });
    const wordy = forgottenWithWords(told.lines);
    if (wordy.length > 0) await workspace.forget(wordy, scope, { sayings: false });
    if (removed.length > 0) await forgetByHand(core, scope, removed);
    const others = [...changed, ...removed];
    if (others.length === 0) return;
    await settleMade(
      core,
      others.map(({ id }) => id),
    );
    emit(reconciledNotice(scope, { changed: changed.length, forgotten: removed.length }));
  });
  await showOnPages(core, [scope]);
  return true;
}

/**
 * Memories that are forgotten by their last line while others still tell what they said: its writer
 * died before it cleared those.
 */
function forgottenWithWords(lines: readonly LogLine[]): string[] {
  const last = new Map(lines.map(({ id, event }) => [id, event]));
  const wordy = lines.filter(({ id, content }) => content !== "" && last.get(id) === "forgotten");
  return [...new Set(wordy.map(({ id }) => id))];
}

/** A process that wrote a line down and has not stored it by now is dead, ms. */
const DEAD_MS = 60_000;

/**
 * What becomes of values the journal tells and the store did not hold a moment ago. Another process
 * may have stored them since, or something newer; and of two that save the same at once one is
 * about to withdraw its line: its memory must not come to be.
 */
async function fateOf(
  store: Store,
  scope: Scope,
  { id, told: values, known }: Changed,
): Promise<"restore" | "twin" | "leave"> {
  const told = currentOf(values)?.stored;
  const there = await store.get(id, [scope]);
  if (there !== undefined && (!known || there.memory.version > (told?.memory.version ?? 0)))
    return known && told === undefined ? "restore" : "leave";
  if (known || told === undefined) return "restore";
  const { key } = told.memory;
  const alike = (await store.same(told.same, [scope])).some(
    ({ memory }) => memory.id !== id && (memory.key === undefined || key === undefined),
  );
  const keyed = key === undefined ? undefined : await store.byKey(key, scope);
  return alike || (keyed !== undefined && keyed.memory.id !== id) ? "twin" : "restore";
}

/**
 * Lines that would double a memory: their writer takes them back; where it died, this does. Until
 * then the log is looked at again.
 */
async function settleTwins(
  workspace: Workspace,
  { scope, waiting, now }: { scope: Scope; waiting: readonly KeptValue[]; now: number },
): Promise<void> {
  const dead = waiting.filter(({ stored: { memory } }) => now - memory.updatedAt > DEAD_MS);
  if (dead.length < waiting.length) workspace.journal.lookAgain(scope);
  await journal(
    workspace,
    dead.map(({ stored: row }) => ({ event: "forgotten", row, unborn: true })),
  );
}

async function forgetByHand(
  { store, workspace }: Core,
  scope: Scope,
  removed: readonly Memory[],
): Promise<void> {
  const ids = removed.map(({ id }) => id);
  for (const [id, values] of byMemory(await valuesOf(store, ids))) {
    // A memory that was moved is forgotten here only.
    const moved = values.at(-1)?.stored.memory.scope !== scope;
    if (!moved) await journal(workspace, goneFrom(values));
    await store.remove([id], moved ? [scope] : placesOf(values));
  }
}

/**
 * Looks at the journals of an identity's scopes, at most once a second; trouble with them leaves
 * memory as it is. Was anything new there?
 */
export function createReconciler(core: Core): (scopes: readonly Scope[]) => Promise<boolean> {
  const looked = lru<Scope, { at: number; done: Promise<boolean> }>(SCOPES);
  return async (scopes) => {
    if (core.off || core.workspace.root === undefined) return false;
    const now = core.now();
    const found = await Promise.all(
      scopes.map((scope) => {
        const last = looked.get(scope);
        // A clock that was set back must not stop the looking.
        if (last !== undefined && Math.abs(now - last.at) < EVERY_MS) return last.done;
        const done = (last?.done ?? Promise.resolve(false))
          .then(() => reconcileScope(core, scope))
          .catch((thrown: unknown) => (core.emit(degraded("journal", thrown)), false));
        looked.set(scope, { at: now, done });
        return done;
      }),
    );
    return found.includes(true);
  };
}
