import { type HistoryStore } from "../../model/history-store.ts";
import { asking, askedAll } from "../sqlite/ask.ts";
import { type Log } from "../sqlite/checkpointer.ts";
import { guarded, type Connection } from "../sqlite/database.ts";
import { checkIndex } from "../sqlite/index-check.ts";
import { syncBehind } from "../sqlite/sync-behind.ts";
import { type Cells } from "./cells.ts";
import { forget } from "./forget.ts";
import { ledgerTable } from "./ledger.ts";
import {
  foldReads,
  jobReads,
  lookUps,
  messageReads,
  pinReads,
  sessionReads,
  smallWrites,
} from "./read.ts";
import { historyWriter } from "./write.ts";

/** What a history stands on. */
export interface Under {
  /** Hears of what a broken file makes of a question. */
  readonly damaged?: (thrown: unknown) => void;
  readonly cells: Cells;
  readonly log: Log;
}

export function historyOver(database: Connection, path: string, under: Under): HistoryStore {
  const { cells, log, damaged } = under;
  const unlike = `${path} does not hold what a history of this version holds; update the package, or open another workspace`;
  const sync = database.memory ? undefined : syncBehind(path);
  const ask = asking("history", `The history at ${path}`, under);
  const { writes, reads, account, ledger } = guarded("history", unlike, () =>
    tables(database, cells),
  );
  const version = database.prepare("pragma data_version").pluck();
  if (damaged !== undefined && !database.memory)
    void ask("be read", () => checkIndex(database)).catch(() => undefined);
  const written = askedAll(ask, "be written", { ...writes, account });
  return {
    keeps: { keep: "verbatim", sealed: cells.sealed },
    ...askedAll(ask, "be read", { ...reads, ledger: ledger.ledger }),
    ...written,
    write: async (change) => {
      const done = await written.write(change);
      if (done && change.durable === "behind") sync?.begin();
      return done;
    },
    forget: (sessions) =>
      ask("be written", async () => {
        if (sessions.length === 0) return;
        await forget(database, sessions, ledger);
        await log.emptied();
      }),
    version: () => version.get() as number,
    close: () =>
      ask("be closed", async () => {
        await sync?.ended();
        await log.close();
      }),
  };
}

function tables(database: Connection, cells: Cells) {
  const at = { database, cells };
  const ledger = ledgerTable(database);
  return {
    ledger,
    account: ledger.account,
    writes: { ...smallWrites(at), write: historyWriter(database, cells) },
    reads: {
      ...sessionReads(at),
      ...messageReads(at),
      ...foldReads(at),
      ...pinReads(at),
      ...lookUps(at),
      ...jobReads(at),
    },
  };
}
