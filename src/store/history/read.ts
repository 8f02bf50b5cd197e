import {
  type Aside,
  type Entry,
  type Fold,
  type Job,
  type Learnt,
  type Pin,
  type Session,
} from "../../model/history.ts";
import { type Statement } from "../../model/installed.ts";
import { type Message } from "../../model/request.ts";
import { digest } from "../../text/hash.ts";
import { type Connection, SilentDamage, marks } from "../sqlite/database.ts";
import { anchorOf, type Cells, openedRow, type Row } from "./cells.ts";
import { unpack } from "./media.ts";

/** A history to be asked. Statements are prepared once: they are asked several times a turn, and one is freed only by a full collection. */
interface Reading {
  readonly database: Connection;
  readonly cells: Cells;
}

type Read = Row & { readonly json: string | null; readonly hash: string | null };

/** Messages as they came. Words that were changed on the disk do not count, and those that are gone are missed. */
function bodyReader({ database, cells }: Reading): (row: Read) => Message {
  const media = database.prepare("select data from media where hash = ?").pluck();
  return ({ json, hash }) => {
    if (json === null || digest(json) !== hash) throw new SilentDamage();
    return unpack(cells.open("body", "body", json), (of) => {
      const data = media.get(of) as string | undefined;
      return data === undefined ? undefined : cells.open("key", "media", data);
    });
  };
}

export function sessionReads({ database, cells }: Reading) {
  const prepare = (sql: string) => database.prepare(sql);
  const columns =
    "s.id, s.root, s.label, s.imported, s.at, s.updated_at as updatedAt, s.confirmed, s.watermark, s.noted, s.state, s.revision";
  const one = prepare(`select ${columns} from session s where id = ?`);
  const listed = (labelled: string): Statement =>
    prepare(
      `select ${columns}, s.length, (select count(*) from fold f where f.session = s.id and f.undone_at is null) as folds from session s
       where s.root = ?${labelled} order by s.updated_at desc, s.id`,
    );
  const [all, ofLabel] = [listed(""), listed(" and s.label = ?")];
  const messages = prepare(
    "select count(distinct e.chain) from entry e join session s on s.id = e.session where s.root = ?",
  ).pluck();
  // Asked on every recall: neither states nor folds are read for it.
  const unnoted = prepare(
    "select id from session where root = ? and imported = 0 and noted < length order by updated_at desc, id limit ?",
  ).pluck();
  const toSession = <As extends Session>(row: unknown): As => {
    const { imported, state, ...said } = openedRow<Row>(cells, "session", row as Row);
    return { ...said, imported: imported === 1, state: JSON.parse(state as string) } as As;
  };
  return {
    session: (id: string): Session | undefined => {
      const row = one.get(id);
      return row === undefined ? undefined : toSession(row);
    },
    sessions: (root: string, label?: string) =>
      (label === undefined
        ? all.all(root)
        : ofLabel.all(root, cells.close("key", "label", label))
      ).map((row) => toSession<Session & { length: number; folds: number }>(row)),
    messages: (root: string) => messages.get(root) as number,
    unnoted: (root: string, limit: number) => unnoted.all(root, limit) as string[],
  };
}

export function messageReads(reading: Reading) {
  const { database, cells } = reading;
  const prepare = (sql: string) => database.prepare(sql);
  const bodyOf = bodyReader(reading);
  const entries = prepare(
    "select chain, content, skeleton, role, reply, head, prefix, thought, at from entry where session = ? order by position",
  );
  const bodies = prepare(
    `select b.json, b.hash, e.name, e.ref, e.at, e.role from entry e left join body b on b.id = e.body
     where e.session = ? and e.position >= ? and e.position < ? order by e.position`,
  );
  const asides = prepare(
    `select a.before, a.content, a.kind, a.id, a.at, b.json, b.hash from aside a left join body b on b.id = a.body
     where a.session = @id and (@kind is null or a.kind = @kind) order by a.before, a.row`,
  );
  const unindexed = prepare(
    `select * from (select e.row, e.session, s.root, e.position, e.role, b.json, b.hash, e.name, e.ref, e.at, 0 as aside from entry e
     join session s on s.id = e.session left join body b on b.id = e.body where e.row > @after order by e.row limit @limit)
     union all
     select * from (select a.number, a.session, s.root, a.before, '', b.json, b.hash, null, null, coalesce(a.at, s.updated_at), 1 from aside a
     join session s on s.id = a.session left join body b on b.id = a.body where a.number > @after order by a.number limit @limit)
     order by 1 limit @limit`,
  );
  /** Rows of a table that stand with their words. */
  const said = <As>(table: string, rows: unknown[]): As[] =>
    (rows as Read[]).map(({ json, hash, ...row }) => ({
      ...openedRow<As>(cells, table, row),
      body: bodyOf({ json, hash }),
    }));
  return {
    entries: (id: string): Entry[] =>
      entries.all(id).map((row) => {
        const { reply, ...entry } = openedRow<Row>(cells, "entry", row as Row);
        return { ...entry, reply: reply === 1 } as Entry;
      }),
    bodies: (id: string, from: number, to: number) =>
      said<{ body: Message; name?: string; ref?: string; at: number; role: string }>(
        "entry",
        bodies.all(id, from, to),
      ),
    asides: (id: string, kind?: Aside["kind"]) =>
      said<Aside>("aside", asides.all({ id, kind: kind ?? null })),
    unindexed: (after: number, limit: number) =>
      said<Unindexed & { aside: number }>("entry", unindexed.all({ after, limit })).map((row) => ({
        ...row,
        aside: row.aside === 1,
      })),
  };
}

interface Unindexed {
  row: number;
  session: string;
  root: string;
  position: number;
  role: string;
  body: Message;
  name?: string;
  ref?: string;
  at: number;
}

export function foldReads({ database, cells }: Reading) {
  const prepare = (sql: string) => database.prepare(sql);
  const select = `select f.session, f.id, f.up_to as upTo, f.text, f.summary, f.messages, f.tokens_before as before, f.tokens_after as after, f.at, f.detail,
     f.undone_at as undoneAt from fold f`;
  const standing = prepare(`${select} where session = ? and undone_at is null order by up_to, at`);
  // Ids rise with time: the session that made it is older than those that inherited it.
  const one = prepare(`${select} where id = ? order by session`);
  const all = prepare(
    `${select} join session s on s.id = f.session where s.root = ? order by f.at desc, f.id desc, f.session`,
  );
  const learnt = prepare(
    "select memory, first, last from learnt where session = @session and first < @to and last > @from order by first, memory",
  );
  const holders = prepare(
    "select distinct memory, session from learnt where memory in (select value from json_each(?))",
  );
  const withSession = (row: unknown): { session: string; fold: Fold } => {
    const { session, detail, ...fold } = openedRow<Fold & { session: string; detail?: string }>(
      cells,
      "fold",
      row as Row,
    );
    return { session, fold: { ...fold, ...(JSON.parse(detail ?? "{}") as Partial<Fold>) } };
  };
  return {
    folds: (id: string) => standing.all(id).map((row) => withSession(row).fold),
    fold: (id: string) => one.all(id).map(withSession),
    allFolds: (root: string) => all.all(root).map(withSession),
    learnt: (session: string, from: number, to: number) =>
      learnt.all({ session, from, to }) as Learnt[],
    holders: (memories: readonly string[]) =>
      holders.all(JSON.stringify(memories)) as { memory: string; session: string }[],
  };
}

export function pinReads({ database, cells }: Reading) {
  const pins = database.prepare(
    "select id, text from pin where root = @root and session in ('', @session) order by id",
  );
  const all = database.prepare(
    "select id, text, session from pin where root = ? order by id, session",
  );
  const opened = <As>(row: unknown): As => openedRow(cells, "pin", row as Row);
  return {
    pins: (root: string, session = "") =>
      pins.all({ root, session }).map((row) => opened<Pin>(row)),
    allPins: (root: string) =>
      all.all(root).map((row) => {
        const { session, ...pin } = opened<Pin & { session: string }>(row);
        return { ...pin, session: session || undefined };
      }),
  };
}

/** Which sessions hold what a request shows. */
export function lookUps({ database, cells }: Reading) {
  // An archived reply's thinking is looked for in line and among what gave way.
  const bound = database.prepare(
    ["entry", "aside"]
      .map(
        (table) =>
          `select b.thought, b.prefix from ${table} b join session s on s.id = b.session
           where s.root = @root and b.prefix is not null and b.thought in (select value from json_each(@asked))`,
      )
      .join(" union "),
  );
  return {
    byChain(chains: readonly string[]) {
      const rows = database.prepare(
        `select e.session, e.position from entry e join session s on s.id = e.session where e.chain in (${marks(chains)})
         order by e.position desc, s.length = e.position + 1 desc, s.updated_at desc, s.id limit 24`,
      );
      return rows.all(...chains.map((chain) => cells.close("key", "chain", chain))) as {
        session: string;
        position: number;
      }[];
    },
    byReply(root: string, label: string | undefined, contents: readonly string[]) {
      const anchors = contents.map((content) =>
        cells.close("key", "anchor", anchorOf(root, label, content)),
      );
      const rows = database.prepare(
        `select e.session from entry e join session s on s.id = e.session where e.anchor in (${marks(anchors)})
         group by e.session order by max(s.updated_at) desc limit 24`,
      );
      return rows.pluck().all(...anchors) as string[];
    },
    bindings(root: string, thoughts: readonly string[]) {
      const asked = JSON.stringify(
        thoughts.map((thought) => cells.close("key", "thought", thought)),
      );
      const rows = bound
        .all({ root, asked })
        .map((row) => openedRow<{ thought: string; prefix: string }>(cells, "entry", row as Row));
      return new Map(rows.map(({ thought, prefix }) => [thought, prefix]));
    },
  };
}

/** What distilling still owes. */
export function jobReads({ database, cells }: Reading) {
  const all = database.prepare(
    `select j.id, j.session, j.first as "from", j.last as "to", j.attempts, j.error, j.not_before as notBefore
     from job j join session s on s.id = j.session
     where (@root is null or s.root = @root) and j.not_before <= @now order by j.not_before, j.id`,
  );
  return {
    jobs: (root: string | undefined, now: number) =>
      all.all({ root: root ?? null, now }).map((row) => openedRow<Job>(cells, "job", row as Row)),
  };
}

/** What changes a history outside any change of a session. */
export function smallWrites({ database, cells }: Reading) {
  // What was taken meanwhile keeps its moment, and a forgotten conversation owes nothing.
  const queue = database.prepare(
    `insert into job (id, session, first, last, attempts, error, not_before)
     select @id, id, @from, @to, 0, @error, @notBefore from session where id = @session
     on conflict (id) do update set
       last = excluded.last, not_before = min(not_before, excluded.not_before)
     where job.attempts = 0`,
  );
  const take = database.prepare(
    `update job set attempts = @attempts, not_before = @notBefore
     where id = @id and attempts = @was and not_before = @before`,
  );
  const pin = database.prepare("insert into pin (id, root, session, text) values (?, ?, ?, ?)");
  const unpin = database.prepare("delete from pin where id = ? and root = ?");
  return {
    queue: (job: Job): boolean =>
      queue.run({ ...job, error: cells.close("put", "error", job.error) }).changes > 0,
    take: ({ id, attempts, notBefore }: Job, next: Pick<Job, "attempts" | "notBefore">): boolean =>
      take.run({ id, was: attempts, before: notBefore, ...next }).changes > 0,
    pin: (root: string, session: string | undefined, { id, text }: Pin): void =>
      void pin.run(id, root, session ?? "", cells.close("put", "text", text)),
    unpin: (root: string, id: string): boolean => unpin.run(id, root).changes > 0,
  };
}
