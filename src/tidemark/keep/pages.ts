import { troubleOf } from "../../model/errors.ts";
import { type Scope } from "../../model/identity.ts";
import { type Origin } from "../../model/memory.ts";
import { type Store } from "../../model/store.ts";
import { type Core } from "../core.ts";
import { type PageRoom, syncPage } from "./page.ts";

export type Room = PageRoom & Pick<Core, "timer" | "background" | "off">;

/**
 * Changes show at once, as long as writing pages has not taken two seconds more than a tenth of the time. Of more changes, as an
 * import makes, the page is written now and then, and before it is read.
 */
const MOST_MS = 2_000;
const SHARE = 0.1;
const BREATH_MS = 100;

interface Late {
  /** What writing pages has taken, as of then. */
  spent: number;
  as: number;
  readonly waiting: Set<Scope>;
  cancel?: (() => void) | undefined;
}
const late = new WeakMap<Store, Late>();

function lateOf({ store }: Room): Late {
  const known = late.get(store) ?? { spent: 0, as: performance.now(), waiting: new Set() };
  late.set(store, known);
  const now = performance.now();
  known.spent = Math.max(0, known.spent - SHARE * (now - known.as));
  known.as = now;
  return known;
}

/** Trouble with a page leaves memory as it is. */
async function gently(room: Room, scope: Scope, by?: { origin: Origin }): Promise<boolean> {
  const [state, start] = [lateOf(room), performance.now()];
  try {
    state.waiting.delete(scope);
    return await syncPage(room, scope, by);
  } catch (thrown) {
    room.emit({ type: "degraded", where: "MEMORY.md", ...troubleOf(thrown) });
    return false;
  } finally {
    state.spent += performance.now() - start;
  }
}

/** Reads the page where somebody has written to it since. */
export async function lookAtPage(room: Room, scope: Scope): Promise<boolean> {
  if (room.off) return false;
  const changed = await room.workspace.pages.changed(scope).catch(() => true);
  return changed || lateOf(room).waiting.has(scope) ? gently(room, scope) : false;
}

/** Shows on the pages what was changed in memory. Memory stands without them. */
export async function showOnPages(
  room: Room,
  scopes: Iterable<Scope>,
  by?: { origin: Origin },
): Promise<void> {
  if (room.off) return;
  const state = lateOf(room);
  for (const scope of new Set(scopes)) {
    if (by === undefined && lateOf(room).spent >= MOST_MS) state.waiting.add(scope);
    else await gently(room, scope, by);
  }
  if (state.waiting.size > 0)
    state.cancel ??= room.timer(BREATH_MS, () => room.background.run(showLate(room)));
}

/** What has not been shown yet. */
export async function showLate(room: Room): Promise<void> {
  const state = lateOf(room);
  state.cancel?.();
  state.cancel = undefined;
  for (const scope of state.waiting) await gently(room, scope);
}
