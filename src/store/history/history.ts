import { defined } from "../../base/guards.ts";
import { marks } from "../sqlite/statements.ts";
import { forget } from "./forget.ts";
import { type Learnt, type Pin } from "../../model/history.ts";
import { type HistoryStore } from "../../model/history-store.ts";
import { type Log } from "../sqlite/checkpointer.ts";
import { guarded, watched, type Connection } from "../sqlite/database.ts";
import {
  type AsideRow,
  type EntryRow,
  type FoldRow,
  toAside,
  toEntry,
  toFold,
  type BodyRow,
  optional,
} from "./rows.ts";
import { patience } from "../sqlite/busy.ts";
import { anchorOf } from "./anchor.ts";
import { type Cells } from "./cells.ts";
import { ledgerTable } from "./ledger.ts";
import { owedTable } from "./owed.ts";
import { checkIndex } from "../sqlite/index-check.ts";
import { reader, type Reader } from "./reader.ts";
import { historyWriter } from "./write.ts";
import { syncBehind } from "../sqlite/sync-behind.ts";

/** What a history stands on. */
export interface Under {
  /** Hears of what a broken file makes of a question. */
  readonly damaged?: (thrown: unknown) => void;
  readonly cells: Cells;
  readonly log: Log;
}

/** Runs a question in the way its kind is to be run; trouble is told with what could not be done. */
type Ask = <T>(what: string, work: () => T | Promise<T>) => Promise<T>;

export function historyOver(database: Connection, path: string, under: Under): HistoryStore {
  const { cells, log, damaged } = under;
  const unlike = `${path} does not hold what a history of this version holds; update the package, or open another workspace`;
  const write = guarded("history", unlike, () => historyWriter(database, cells));
  const sync = database.memory ? undefined : syncBehind(path);
  const ask = asking(path, under);
  const read = guarded("history", unlike, () => reader(database, cells));
  const ledger = guarded("history", unlike, () => ledgerTable(database));
  const owed = guarded("history", unlike, () => owedTable(database, cells));
  if (damaged !== undefined && !database.memory)
    void ask("be read", () => checkIndex(database)).catch(() => undefined);
  return {
    keeps: { keep: "verbatim", sealed: cells.sealed },
    write: async (change) => {
      const written = await ask("be written", () => write(change));
      if (written && change.durable === "behind") sync?.begin();
      return written;
    },
    ...sessionTable(ask, read),
    ...bodyTable(ask, read, cells),
    ...foldTable(ask, read, cells),
    ...pinTable(ask, read, cells),
    ...lookUps(ask, database, { read, cells }),
    jobs: (root, now) => ask("be read", () => owed.read(root, now)),
    queue: (job) => ask("be written", () => owed.queue(job)),
    take: (job, next) => ask("be written", () => owed.take(job, next)),
    ledger: (root) => ask("be read", () => ledger.read(root)),
    account: (root, lines) => ask("be written", () => ledger.add(root, lines)),
    forget: (sessions) =>
      ask("forget a conversation", async () => {
        if (sessions.length === 0) return;
        await forget(database, sessions, ledger);
        await log.emptied();
      }),
    version: () => read.version.get() as number,
    close: () =>
      ask("be closed", async () => {
        await sync?.ended();
        await log.close();
      }),
  };
}

/** A rejected promise, not a throw: ports are asynchronous for callers even where SQLite is not. */
function asking(path: string, { log, damaged }: Under): Ask {
  const [reading, writing] = [patience(), patience()];
  return async (what, work) => {
    try {
      if (what === "be read") return await reading(work);
      return await (what === "be closed" ? work() : writing(() => log.written(work)));
    } catch (thrown) {
      return watched(
        () =>
          guarded("history", `The history at ${path} could not ${what}`, () => {
            throw thrown;
          }),
        damaged,
      );
    }
  };
}

const sessionTable = (
  ask: Ask,
  read: Reader,
): Pick<HistoryStore, "session" | "sessions" | "messages" | "unnoted"> => ({
  session: (id) => ask("be read", () => read.session(id)),
  sessions: (root, label) => ask("be read", () => read.sessions(root, label)),
  messages: (root) => ask("be read", () => read.messages.get(root) as number),
  unnoted: (root, limit) => ask("be read", () => read.unnoted.all(root, limit) as string[]),
});

const bodyTable = (
  ask: Ask,
  read: Reader,
  cells: Cells,
): Pick<HistoryStore, "entries" | "bodies" | "asides" | "unindexed"> => ({
  entries: (id) =>
    ask("be read", () => (read.entries.all(id) as EntryRow[]).map((row) => toEntry(cells, row))),
  bodies: (id, from, to) =>
    ask("be read", () =>
      (read.bodies.all(id, from, to) as BodyRow[]).map((row) => ({
        ...optional(cells, row),
        body: read.body(row),
        at: row.at,
        role: row.role,
      })),
    ),
  asides: (id, kind) =>
    ask("be read", () =>
      (read.asides.all({ id, kind: kind ?? null }) as AsideRow[]).map((row) => ({
        ...toAside(cells, row),
        body: read.body(row),
      })),
    ),
  unindexed: (after, limit) =>
    ask("be read", () =>
      (read.unindexed.all({ after, limit }) as UnindexedRow[]).map((row) => ({
        ...optional(cells, row),
        aside: row.aside === 1,
        row: row.row,
        session: row.session,
        root: row.root,
        position: row.position,
        role: row.role,
        body: read.body(row),
        at: row.at,
      })),
    ),
});

interface UnindexedRow extends BodyRow {
  readonly row: number;
  readonly session: string;
  readonly root: string;
  readonly position: number;
  readonly aside: number;
}

function foldTable(
  ask: Ask,
  read: Reader,
  cells: Cells,
): Pick<HistoryStore, "folds" | "fold" | "allFolds" | "learnt" | "holders"> {
  const withSession = (row: FoldRow) => ({ session: row.session, fold: toFold(cells, row) });
  return {
    folds: (id) =>
      ask("be read", () => (read.folds.all(id) as FoldRow[]).map((row) => toFold(cells, row))),
    fold: (id) => ask("be read", () => (read.fold.all(id) as FoldRow[]).map(withSession)),
    allFolds: (root) =>
      ask("be read", () => (read.allFolds.all(root) as FoldRow[]).map(withSession)),
    learnt: (session, from, to) =>
      ask("be read", () => read.learnt.all({ session, from, to }) as Learnt[]),
    holders: (memories) =>
      ask(
        "be read",
        () => read.holders.all(JSON.stringify(memories)) as { memory: string; session: string }[],
      ),
  };
}

const pinTable = (
  ask: Ask,
  read: Reader,
  cells: Cells,
): Pick<HistoryStore, "pins" | "allPins" | "pin" | "unpin"> => ({
  pins: (root, session) =>
    ask("be read", () =>
      (read.pins.all({ root, session: session ?? "" }) as Pin[]).map(({ id, text }) => ({
        id,
        text: cells.get("text", text),
      })),
    ),
  allPins: (root) =>
    ask("be read", () =>
      (read.allPins.all(root) as (Pin & { session: string })[]).map(({ session, id, text }) => ({
        id,
        text: cells.get("text", text),
        ...defined({ session: session === "" ? undefined : session }),
      })),
    ),
  pin: (root, session, pin) =>
    ask(
      "be written",
      () => void read.pin.run(pin.id, root, session ?? "", cells.put("text", pin.text)),
    ),
  unpin: (root, id) => ask("be written", () => read.unpin.run(id, root).changes > 0),
});

/** Which sessions hold what a request shows. */
const lookUps = (
  ask: Ask,
  database: Connection,
  { read, cells }: { read: Reader; cells: Cells },
): Pick<HistoryStore, "byChain" | "byReply" | "bindings"> => ({
  byChain: (chains) =>
    ask("be read", () => {
      if (chains.length === 0) return [];
      const rows = database.prepare(
        `select e.session, e.position from entry e join session s on s.id = e.session where e.chain in (${marks(chains)})
         order by e.position desc, s.length = e.position + 1 desc, s.updated_at desc, s.id limit 24`,
      );
      return rows.all(...chains.map((chain) => cells.key("chain", chain))) as {
        session: string;
        position: number;
      }[];
    }),
  byReply: (root, label, contents) =>
    ask("be read", () => {
      const anchors = contents.map((content) =>
        cells.key("anchor", anchorOf(root, label, content)),
      );
      const rows = database.prepare(
        `select e.session from entry e join session s on s.id = e.session where e.anchor in (${marks(anchors)})
         group by e.session order by max(s.updated_at) desc limit 24`,
      );
      return rows.pluck().all(...anchors) as string[];
    }),
  bindings: (root, thoughts) =>
    ask("be read", () => {
      const asked = JSON.stringify(thoughts.map((thought) => cells.key("thought", thought)));
      const rows = read.bindings.all({ root, asked }) as { thought: string; prefix: string }[];
      return new Map(
        rows.map(({ thought, prefix }) => [
          cells.get("thought", thought),
          cells.get("prefix", prefix),
        ]),
      );
    }),
});
