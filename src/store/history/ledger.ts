import { type LedgerLine } from "../../model/ledger.ts";
import { type Connection } from "../sqlite/database.ts";
import { PLAIN, rowWriter } from "./cells.ts";

const SUMS =
  "calls, failed, input, cache_write, cache_read, output, ms, estimated, dollars, unpriced";
const LINE = `root, session, purpose, model, ${SUMS}`;
const ADDING = `on conflict (root, session, purpose, model) do update set ${SUMS.split(", ")
  .map((name) => `${name} = ${name} + excluded.${name}`)
  .join(", ")}`;

/** The books of history.db: sums, so that they never grow beyond a line for each session, purpose and model. */
export function ledgerTable(database: Connection) {
  const prepare = (sql: string) => database.prepare(sql);
  const enter = rowWriter({ prepare, cells: PLAIN }, "ledger", LINE, ADDING);
  const rows = prepare("select * from ledger where root = ? order by session, purpose, model");
  const merge = prepare(
    `insert into ledger (${LINE}) select root, '', purpose, model, ${SUMS} from ledger
     where session in (select value from json_each(?)) ${ADDING}`,
  );
  const drop = prepare("delete from ledger where session in (select value from json_each(?))");

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
  const all = database.transaction(put);
  return {
    put,
    account: (root: string, lines: readonly LedgerLine[]): void =>
      void (lines.length > 0 && all.immediate(root, lines)),
    ledger: (root: string): LedgerLine[] =>
      (rows.all(root) as (LedgerLine & Row)[]).map(
        ({ root: _root, session, purpose, model, cache_write, cache_read, ...same }) => ({
          session,
          purpose,
          model,
          spent: { ...same, cacheWrite: cache_write, cacheRead: cache_read },
        }),
      ),
    /** What sessions, a JSON list, have cost, without saying which they were. */
    anonymous: (sessions: string): void => {
      merge.run(sessions);
      drop.run(sessions);
    },
  };
}

/** A line as it is stored. */
type Row = Omit<LedgerLine["spent"], "cacheWrite" | "cacheRead"> & {
  readonly root: string;
  readonly cache_write: number;
  readonly cache_read: number;
};

export type LedgerTable = ReturnType<typeof ledgerTable>;
