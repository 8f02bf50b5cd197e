import { degraded } from "../../model/errors.ts";
import type { Scope } from "../../model/identity.ts";
import type { Session } from "../../model/history.ts";
import type { LoggedEvent } from "../../workspace/log/log-line.ts";
import type { Core, Who } from "../session/core.ts";

/**
 * Lines of one process: a host that makes a conversation of each request must not fill the log with
 * them.
 */
const MOST_LINES = 2_000;

/** ms without a turn. */
const REST_MS = 3_600_000;

/**
 * Tells in the daily log what began or ended. Where that cannot be written, it is missing there and
 * nowhere else.
 */
async function write(core: Core, scope: Scope, events: readonly LoggedEvent[]): Promise<void> {
  try {
    await core.workspace.log(events, scope);
  } catch (thrown) {
    core.emit(degraded("daily log", thrown));
  }
}

function isTold(core: Core, lines: number): boolean {
  const { process, observes, closed, workspace } = core;
  if (observes || closed || workspace.root === undefined) return false;
  process.logged += lines;
  return process.logged <= MOST_LINES;
}

/** Behind whatever is under way: nothing waits for it but `close`. */
export function noteEvents(core: Core, scope: Scope, ...events: readonly LoggedEvent[]): void {
  if (isTold(core, events.length)) core.background.run(write(core, scope, events));
}

/**
 * A turn of a conversation: it begins, or goes on where an earlier process left it, or where it was
 * left alone for long. What was left alone since has ended; no timer waits for that. `since`:
 * before the turn.
 */
export function noteGoing(
  core: Core,
  { learns }: Who,
  { id, at: made }: Session,
  since: number,
): void {
  const { going } = core.process;
  const at = core.now();
  for (let one = going.oldest(); one !== undefined && at - one.at >= REST_MS;) {
    noteEvents(core, one.scope, ended(one));
    going.delete(one.id);
    one = going.oldest();
  }
  const did = made >= since ? "began" : "went on";
  if (going.get(id) === undefined) noteEvents(core, learns, { at, what: "session", id, did });
  going.set(id, { id, scope: learns, at });
}

/** The reply is there. */
export function noteStill(core: Core, id: string): void {
  const known = core.process.going.get(id);
  if (known !== undefined) core.process.going.set(id, { ...known, at: core.now() });
}

/** All that still went on: the process closes. */
export async function endSessions(core: Core): Promise<void> {
  const going = core.process.going.values();
  for (const [scope, all] of Map.groupBy(going, ({ scope }) => scope))
    if (isTold(core, all.length)) await write(core, scope, all.map(ended));
}

/** Its last turn is when it ended. */
const ended = ({ id, at }: { id: string; at: number }): LoggedEvent => ({
  at,
  what: "session",
  id,
  did: "ended",
});
