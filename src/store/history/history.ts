import { defined } from "../../base/guards.ts";
import { marks } from "../sqlite/statements.ts";
import { forget } from "./forget.ts";
import { type Learnt, type Pin, type Session } from "../../model/history.ts";
import { type HistoryStore } from "../../model/history-store.ts";
import { type Message } from "../../model/request.ts";
import { type Log } from "../sqlite/checkpointer.ts";
import { SilentDamage, guarded, watched, type Connection } from "../sqlite/database.ts";
import {
  type AsideRow,
  type EntryRow,
  type FoldRow,
  type SessionRow,
  toAside,
  toEntry,
  toFold,
  toSession,
  type BodyRow,
  optional,
} from "./rows.ts";
import { digest } from "../../text/hash.ts";
import { patience } from "../sqlite/busy.ts";
import { anchorOf } from "./anchor.ts";
import { type Cells } from "./cells.ts";
import { ledgerTable } from "./ledger.ts";
import { owedTable } from "./owed.ts";
import { checkIndex } from "../sqlite/index-check.ts";
import { historyWriter } from "./write.ts";
import { unpack } from "./media.ts";
import { syncBehind } from "../sqlite/sync-behind.ts";

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
  const write = guarded("history", unlike, () => historyWriter(database, cells));
  const [reading, writing] = [patience(), patience()];
  const sync = database.memory ? undefined : syncBehind(path);
  // A rejected promise, not a throw: ports are asynchronous for callers even where SQLite is not.
  const ask = async <T>(what: string, work: () => T | Promise<T>): Promise<T> => {
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
    session: (id) => ask("be read", () => read.session(id)),
    entries: (id) =>
      ask("be read", () => (read.entries.all(id) as EntryRow[]).map((row) => toEntry(cells, row))),
    folds: (id) =>
      ask("be read", () => (read.folds.all(id) as FoldRow[]).map((row) => toFold(cells, row))),
    fold: (id) =>
      ask("be read", () => {
        const rows = read.fold.all(id) as FoldRow[];
        return rows.map((row) => ({ session: row.session, fold: toFold(cells, row) }));
      }),
    allFolds: (root) =>
      ask("be read", () =>
        (read.allFolds.all(root) as FoldRow[]).map((row) => ({
          session: row.session,
          fold: toFold(cells, row),
        })),
      ),
    holders: (memories) =>
      ask(
        "be read",
        () => read.holders.all(JSON.stringify(memories)) as { memory: string; session: string }[],
      ),
    learnt: (session, from, to) =>
      ask("be read", () => read.learnt.all({ session, from, to }) as Learnt[]),
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
    sessions: (root, label) => ask("be read", () => read.sessions(root, label)),
    messages: (root) => ask("be read", () => read.messages.get(root) as number),
    unnoted: (root, limit) => ask("be read", () => read.unnoted.all(root, limit) as string[]),
    jobs: (root, now) => ask("be read", () => owed.read(root, now)),
    queue: (job) => ask("be written", () => owed.queue(job)),
    take: (job, next) => ask("be written", () => owed.take(job, next)),
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
    ledger: (root) => ask("be read", () => ledger.read(root)),
    account: (root, lines) => ask("be written", () => ledger.add(root, lines)),
    forget: (sessions) =>
      ask("forget a conversation", async () => {
        if (sessions.length === 0) return;
        await forget(database, sessions, ledger);
        await log.emptied();
      }),
    unindexed: (after, limit) =>
      ask("be read", () =>
        (
          read.unindexed.all({ after, limit }) as (BodyRow & {
            row: number;
            session: string;
            root: string;
            position: number;
            aside: number;
          })[]
        ).map((row) => ({
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
    version: () => read.version.get() as number,
    close: () =>
      ask("be closed", async () => {
        await sync?.ended();
        await log.close();
      }),
  };
}

function reader(database: Connection, cells: Cells) {
  const prepare = (sql: string) => database.prepare(sql);
  const media = prepare("select data from media where hash = ?").pluck();
  const session = prepare("select * from session where id = ?");
  const sessions = prepare(
    `select s.*, (select count(*) from fold f where f.session = s.id and f.undone_at is null) as folds from session s
     where s.root = @root and (@label is null or s.label = @label) order by s.updated_at desc, s.id`,
  );
  return {
    // Words that were changed on the disk do not count, and those that are gone are missed.
    body: ({ json, hash }: { json: string | null; hash: string | null }): Message => {
      if (json === null || digest(json) !== hash) throw new SilentDamage();
      return unpack(cells.getBody(json), (of) => {
        const data = media.get(of) as string | undefined;
        return data === undefined ? undefined : cells.get("media", data);
      });
    },
    // Prepared once: asked several times a turn, and a statement is freed only by a full collection.
    version: prepare("pragma data_version").pluck(),
    session: (id: string): Session | undefined => {
      const row = session.get(id) as SessionRow | undefined;
      return row && toSession(cells, row);
    },
    sessions: (root: string, label: string | undefined) =>
      (
        sessions.all({
          root,
          label: label === undefined ? null : cells.key("label", label),
        }) as (SessionRow & { folds: number })[]
      ).map((row) => ({ ...toSession(cells, row), length: row.length, folds: row.folds })),
    messages: prepare(
      "select count(distinct e.chain) from entry e join session s on s.id = e.session where s.root = ?",
    ).pluck(),
    // Asked on every recall: neither states nor folds are read for it.
    unnoted: prepare(
      "select id from session where root = ? and imported = 0 and noted < length order by updated_at desc, id limit ?",
    ).pluck(),
    entries: prepare(
      "select chain, content, skeleton, role, reply, head, prefix, thought, at from entry where session = ? order by position",
    ),
    folds: prepare("select * from fold where session = ? and undone_at is null order by up_to, at"),
    // Ids rise with time: the session that made it is older than those that inherited it.
    fold: prepare("select * from fold where id = ? order by session"),
    allFolds: prepare(
      "select f.* from fold f join session s on s.id = f.session where s.root = ? order by f.at desc, f.id desc, f.session",
    ),
    learnt: prepare(
      "select memory, first, last from learnt where session = @session and first < @to and last > @from order by first, memory",
    ),
    holders: prepare(
      "select distinct memory, session from learnt where memory in (select value from json_each(?))",
    ),
    bodies: prepare(
      `select b.json, b.hash, e.name, e.ref, e.at, e.role from entry e left join body b on b.id = e.body
       where e.session = ? and e.position >= ? and e.position < ? order by e.position`,
    ),
    asides: prepare(
      `select a.before, a.content, a.kind, a.id, a.at, b.json, b.hash from aside a left join body b on b.id = a.body
       where a.session = @id and (@kind is null or a.kind = @kind) order by a.before, a.row`,
    ),
    pins: prepare(
      "select id, text from pin where root = @root and session in ('', @session) order by id",
    ),
    allPins: prepare("select id, text, session from pin where root = ? order by id, session"),
    pin: prepare("insert into pin (id, root, session, text) values (?, ?, ?, ?)"),
    unpin: prepare("delete from pin where id = ? and root = ?"),
    // An archived reply's thinking is looked for in line and among what gave way.
    bindings: prepare(
      ["entry", "aside"]
        .map(
          (table) =>
            `select b.thought, b.prefix from ${table} b join session s on s.id = b.session
             where s.root = @root and b.prefix is not null and b.thought in (select value from json_each(@asked))`,
        )
        .join(" union "),
    ),
    unindexed: prepare(
      `select * from (select e.row, e.session, s.root, e.position, e.role, b.json, b.hash, e.name, e.ref, e.at, 0 as aside from entry e
       join session s on s.id = e.session left join body b on b.id = e.body where e.row > @after order by e.row limit @limit)
       union all
       select * from (select a.number, a.session, s.root, a.before, '', b.json, b.hash, null, null, coalesce(a.at, s.updated_at), 1 from aside a
       join session s on s.id = a.session left join body b on b.id = a.body where a.number > @after order by a.number limit @limit)
       order by 1 limit @limit`,
    ),
  };
}
