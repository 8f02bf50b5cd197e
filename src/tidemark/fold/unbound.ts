import { type Core } from "../core.ts";
import { type Sight } from "../sight.ts";

/** Sessions of which that much is remembered. */
const MOST = 1_000;
const told = new WeakMap<Core, Map<string, number>>();

/** Thinking once left out is left out of every later call; it is news only when there is more of it. */
export function tellUnbound({ call: { core }, placed, view: { unbound } }: Sight): void {
  const sessions = told.get(core) ?? new Map<string, number>();
  told.set(core, sessions);
  const { id } = placed.session;
  if (unbound > (sessions.get(id) ?? 0))
    core.emit({ type: "thinking-dropped", session: id, messages: unbound });
  if (sessions.size > MOST) sessions.clear();
  sessions.set(id, unbound);
}
