import type { LedgerLine } from "../../model/ledger.ts";
import { type Connection, prepared } from "../sqlite/database.ts";
import { PLAIN, rowWriter } from "./cells.ts";

const SUMS =
  "calls, failed, input, cache_write, cache_read, output, ms, estimated, dollars, unpriced";
const LINE = `root, session, purpose, model, ${SUMS}`;
const ADDING = `on conflict (root, session, purpose, model) do update set ${SUMS.split(", ")
  .map((name) => `${name} = ${name} + excluded.${name}`)
  .join(", ")}`;

/** The books of history.db: sums, so that they never grow beyond a line for each session, purpose and model. */
export function ledgerTable(database: Connection) {
  const { rows, run } = prepared(database);
  const enter = rowWriter({ database, cells: PLAIN }, "ledger", LINE, ADDING);
  const all = rows<Row>("select * from ledger where root = ? order by session, purpose, model");
  const merge = run(
    `insert into ledger (${LINE}) select root, '', purpose, model, ${SUMS} from ledger
     where session in (select value from json_each(?)) ${ADDING}`,
  );
  const drop = run("delete from ledger where session in (select value from json_each(?))");

  /** Within whatever transaction is open. */
  const put = (root: string, lines: readonly LedgerLine[]): void => {
    for (const { spent, ...line } of lines)
      enter({
        ...spent,
        ...line,
        root,
        cache_write: spent.cacheWrite,
        cache_read: spent.cacheRead,
      });
  };
  return {
    put,
    account: database.transaction(put).immediate,
    ledger: (root: string): LedgerLine[] =>
      all(root).map(
        ({ root: _root, session, purpose, model, cache_write, cache_read, ...same }) => ({
          session,
          purpose,
          model,
          spent: { ...same, cacheWrite: cache_write, cacheRead: cache_read },
        }),
      ),
    /** What sessions, a JSON list, have cost, without saying which they were. */
    anonymous: (sessions: string): void => {
      merge(sessions);
      drop(sessions);
    },
  };
}

/** A line as it is stored. */
type Row = Omit<LedgerLine, "spent"> &
  Omit<LedgerLine["spent"], "cacheWrite" | "cacheRead"> & {
    readonly root: string;
    readonly cache_write: number;
    readonly cache_read: number;
  };
