import { lru } from "../../base/cache.ts";
import { degraded } from "../../model/errors.ts";
import type { Scope } from "../../model/identity.ts";
import type { Session } from "../../model/history.ts";
import type { LoggedEvent } from "../../workspace/log/log-line.ts";
import type { Who, Ports } from "../session/core.ts";

/**
 * Lines of one process: a host that makes a conversation of each request must not fill the log with
 * them.
 */
const MOST_LINES = 2_000;

/** ms without a turn. */
const REST_MS = 3_600_000;

/** Sessions whose end is not told yet. */
const GOING = 4_096;

/**
 * Tells in the daily log what began or ended. Where that cannot be written, it is missing there and
 * nowhere else.
 */
export function createLog(core: Ports) {
  const { workspace, now } = core;
  /** When each last had a turn, and in which scope's log its end is told. */
  const going = lru<string, { readonly id: string; readonly scope: Scope; readonly at: number }>(
    GOING,
  );
  let lines = 0;

  function isTold(more: number): boolean {
    if (core.observes || core.closed || workspace.root === undefined) return false;
    lines += more;
    return lines <= MOST_LINES;
  }

  const write = (scope: Scope, events: readonly LoggedEvent[]): Promise<void> =>
    workspace
      .log(events, scope)
      .catch((thrown: unknown) => core.emit(degraded("daily log", thrown)));

  /** Behind whatever is under way: nothing waits for it but `close`. */
  function note(scope: Scope, ...events: readonly LoggedEvent[]): void {
    if (isTold(events.length)) core.background.run(write(scope, events));
  }

  return {
    note,
    /**
     * A turn of a conversation: it begins, or goes on where an earlier process left it, or where it
     * was left alone for long. What was left alone since has ended; no timer waits for that.
     * `since`: before the turn.
     */
    going({ learns: scope }: Who, { id, at: made }: Session, since: number): void {
      const at = now();
      for (let one = going.oldest(); one !== undefined && at - one.at >= REST_MS;) {
        note(one.scope, ended(one));
        going.delete(one.id);
        one = going.oldest();
      }
      const did = made >= since ? "began" : "went on";
      if (going.get(id) === undefined) note(scope, { at, what: "session", id, did });
      going.set(id, { id, scope, at });
    },
    /** The reply is there. */
    still(id: string): void {
      const known = going.get(id);
      if (known !== undefined) going.set(id, { ...known, at: now() });
    },
    /** It was forgotten: its end is not told. */
    drop: (id: string): void => void going.delete(id),
    /** All that still went on: the process closes. */
    async end(): Promise<void> {
      for (const [scope, all] of Map.groupBy(going.values(), (one) => one.scope))
        if (isTold(all.length)) await write(scope, all.map(ended));
    },
  };
}

export type EventLog = ReturnType<typeof createLog>;

/** Its last turn is when it ended. */
const ended = ({ id, at }: { id: string; at: number }): LoggedEvent => ({
  at,
  what: "session",
  id,
  did: "ended",
});
