import { slices } from "../../base/async.ts";
import { UNUSED } from "../sqlite/schema.ts";
import type { HistoryDesk } from "./desk.ts";

/** Conversations forgotten in one transaction: a few milliseconds. */
const BATCH = 50;

/**
 * Bodies and media go too, once nothing else refers to them: with the last batch, so that a process
 * that is killed before it forgets again.
 */
export async function forgetSessions(
  { run: prepared, inOne }: HistoryDesk,
  sessions: readonly string[],
): Promise<void> {
  const named = "in (select value from json_each(?))";
  const removals = [
    ...["entry", "aside", "fold", "job", "pin", "learnt"].map(
      (table) => `delete from ${table} where session ${named}`,
    ),
    `delete from session where id ${named}`,
  ].map(prepared);
  const cleaning = UNUSED.map(prepared);
  const run = inOne((from: number, to: number) => {
    const batch = sessions.slice(from, to);
    for (const remove of removals) remove(batch);
    if (to === sessions.length) for (const clean of cleaning) clean();
  });
  for await (const { from, to } of slices(0, sessions.length, { size: BATCH, often: 1 }))
    run(from, to);
}
