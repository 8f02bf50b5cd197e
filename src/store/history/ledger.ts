import { type LedgerLine } from "../../model/ledger.ts";
import { type Connection } from "../sqlite/database.ts";

interface Row {
  session: string;
  purpose: LedgerLine["purpose"];
  model: string;
  calls: number;
  failed: number;
  input: number;
  cache_write: number;
  cache_read: number;
  output: number;
  ms: number;
  estimated: number;
  dollars: number;
  unpriced: number;
}

const SUMS = [
  "calls",
  "failed",
  "input",
  "cache_write",
  "cache_read",
  "output",
  "ms",
  "estimated",
  "dollars",
  "unpriced",
] as const;
const ADDED = SUMS.map((name) => `${name} = ${name} + excluded.${name}`).join(", ");
const COLUMNS = SUMS.join(", ");

/** The books of history.db: sums, so that they never grow beyond a line for each session, purpose and model. */
export function ledgerTable(database: Connection) {
  const enter = database.prepare(
    `insert into ledger (root, session, purpose, model, ${COLUMNS}) values (?, ?, ?, ?, ${SUMS.map(() => "?").join(", ")})
     on conflict (root, session, purpose, model) do update set ${ADDED}`,
  );
  const rows = database.prepare(
    "select * from ledger where root = ? order by session, purpose, model",
  );
  const merge = database.prepare(
    `insert into ledger (root, session, purpose, model, ${COLUMNS}) select root, '', purpose, model, ${COLUMNS} from ledger
     where session in (select value from json_each(?)) on conflict (root, session, purpose, model) do update set ${ADDED}`,
  );
  const drop = database.prepare(
    "delete from ledger where session in (select value from json_each(?))",
  );

  /** Within whatever transaction is open. */
  const put = (root: string, lines: readonly LedgerLine[]): void => {
    for (const { session, purpose, model, spent } of lines) {
      const {
        calls,
        failed,
        input,
        cacheWrite,
        cacheRead,
        output,
        ms,
        estimated,
        dollars,
        unpriced,
      } = spent;
      enter.run(
        root,
        session,
        purpose,
        model,
        calls,
        failed,
        input,
        cacheWrite,
        cacheRead,
        output,
        ms,
        estimated,
        dollars,
        unpriced,
      );
    }
  };
  const all = database.transaction(put);
  return {
    put,
    add: (root: string, lines: readonly LedgerLine[]): void =>
      void (lines.length > 0 && all.immediate(root, lines)),
    read: (root: string): LedgerLine[] =>
      (rows.all(root) as (Row & { root: string })[]).map(
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

export type LedgerTable = ReturnType<typeof ledgerTable>;
