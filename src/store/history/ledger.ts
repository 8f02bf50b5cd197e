import type { LedgerLine } from "../../model/ledger.ts";
import type { HistoryDesk } from "./cells.ts";

const SUMS =
  "calls, failed, input, cache_write, cache_read, output, ms, estimated, dollars, unpriced";
const LINE = `root, session, purpose, model, ${SUMS}`;
const ADDING = `on conflict (root, session, purpose, model) do update set ${SUMS.split(", ")
  .map((name) => `${name} = ${name} + excluded.${name}`)
  .join(", ")}`;

/** The books of history.db: sums, so that they never grow beyond a line for each session, purpose and model. */
export function ledgerTable({ rows, run, put: putInto, inOne }: HistoryDesk) {
  const enter = putInto("ledger", LINE, ADDING);
  const all = rows<Omit<LedgerLine, "spent"> & LedgerLine["spent"]>(
    `select session, purpose, model, calls, failed, input, cache_write as cacheWrite, cache_read as cacheRead, output, ms, estimated, dollars, unpriced
     from ledger where root = ? order by session, purpose, model`,
  );
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
    account: inOne(put),
    ledger: (root: string): LedgerLine[] =>
      all(root).map(({ session, purpose, model, ...spent }) => ({
        session,
        purpose,
        model,
        spent,
      })),
    /** What sessions, a JSON list, have cost, without saying which they were. */
    anonymous: (sessions: string): void => {
      merge(sessions);
      drop(sessions);
    },
  };
}

export type Ledger = ReturnType<typeof ledgerTable>;
