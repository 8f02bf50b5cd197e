import { telling } from "../../core/errors-and-events.ts";
import { isRestricted, type Scope } from "../../core/identity.ts";
import type { Debt } from "../../core/memory.ts";
import { head } from "../../core/text/cut.ts";
import type { MemoryEvent } from "../../memory/saving/commit.ts";
import type { Ports } from "../../session/ports.ts";
import type { LoggedEvent, LoggedMemory } from "../../workspace/pages/log-and-page-copies.ts";

/**
 * Lines of one process: a host that makes a conversation of each request must not fill the log with
 * them.
 */
const MOST_LINES = 2_000;

/**
 * Tells in the daily log what began or ended, behind whatever is under way: only `close` waits for
 * it. Where that cannot be written, it is missing there and nowhere else.
 */
export function createLog(core: Ports) {
  let lines = 0;
  return {
    note(scope: Scope, event: LoggedEvent): void {
      const { observes, closed, workspace, background } = core;
      if (observes || closed || workspace.root === undefined) return;
      lines += 1;
      if (lines <= MOST_LINES)
        background.run(workspace.log([event], scope).catch(telling(core.emit, "daily log")));
    },
  };
}

export type EventLog = ReturnType<typeof createLog>;

/** Characters of a memory that a line of the log is made from. */
const SHOWN = 1_000;

/**
 * The views that are behind once these events are stored: lines of the day's log, with their author
 * where a scope is not one of its `own`, and pages.
 */
export function owedFor(
  { off, now }: Pick<Ports, "off" | "now">,
  events: readonly MemoryEvent[],
  { author, own }: { author: string; own?: readonly Scope[] },
): Debt[] {
  if (off) return [];
  const lines = events.map(({ did, row: { memory } }): Debt => {
    const { id, scope, origin } = memory;
    const at = did === "ended" || did === "forgotten" ? now() : memory.updatedAt;
    const content = did === "forgotten" ? "" : head(memory.content, SHOWN);
    const isAudited = isRestricted(scope) || own?.includes(scope) === false;
    const by = isAudited ? { author } : {};
    const told: LoggedMemory = { did, at, memory: { id, content, origin }, ...by };
    return { kind: "log", scope, at, text: JSON.stringify(told) };
  });
  const scopes = new Set(events.map(({ row }) => row.memory.scope));
  return [...lines, ...[...scopes].map((scope): Debt => ({ kind: "page", scope, at: now() }))];
}
