import { slices } from "../../base/async.ts";
import { type Connection } from "../sqlite/database.ts";
import { type LedgerTable } from "./ledger.ts";

/** Conversations forgotten in one transaction: a few milliseconds. */
const BATCH = 50;

/** Bodies and media go too, once nothing else refers to them: with the last batch, so that a process that is killed before it forgets again. */
export async function forget(
  database: Connection,
  sessions: readonly string[],
  ledger: LedgerTable,
): Promise<void> {
  const tables = ["entry", "aside", "fold", "job", "pin", "learnt"].map(
    (table) => `delete from ${table} where session in (select value from json_each(?))`,
  );
  const remove = [
    ...tables,
    "delete from session where id in (select value from json_each(?))",
  ].map((sql) => database.prepare(sql));
  const run = database.transaction((from: number, to: number) => {
    const batch = JSON.stringify(sessions.slice(from, to));
    ledger.anonymous(batch);
    for (const statement of remove) statement.run(batch);
    if (to < sessions.length) return;
    database.exec(
      "delete from body where id not in (select body from entry union select body from aside)",
    );
    database.exec("delete from body_media where body not in (select id from body)");
    database.exec("delete from media where hash not in (select hash from body_media)");
  });
  for await (const { from, to } of slices(0, sessions.length, { size: BATCH, often: 1 }))
    run.immediate(from, to);
}
