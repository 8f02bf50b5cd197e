import type { Aside, Entry, Fold, Job, Learnt, Pin, Session } from "../../model/history.ts";
import type { HistoryStore } from "../../model/history-store.ts";
import type { Message } from "../../model/request.ts";
import { digest } from "../../text/hash.ts";
import type { Answering } from "../sqlite/busy.ts";
import { type Connection, prepared, SilentDamage } from "../sqlite/database.ts";
import { anchorOf, type Cells, openedRow, type Row } from "./cells.ts";
import { unpack } from "./media.ts";

/** A history to be asked. Statements are prepared once: they are asked several times a turn, and one is freed only by a full collection. */
export function historyReading(database: Connection, cells: Cells) {
  const ask = prepared(database);
  return {
    ...ask,
    cells,
    /** Rows in plain text. */
    said: <Said>(table: string, sql: string) => {
      const rows = ask.rows<Row>(sql);
      return (...given: unknown[]): Said[] =>
        rows(...given).map((row) => openedRow(cells, table, row));
    },
  };
}
type Reading = ReturnType<typeof historyReading>;

/** All that reads a history, but its books. */
export const historyReads = (reading: Reading) => ({
  ...sessionReads(reading),
  ...messageReads(reading),
  ...foldReads(reading),
  ...pinReads(reading),
  ...lookUps(reading),
  ...jobReads(reading),
});

type Reads<Names extends keyof HistoryStore> = Answering<HistoryStore, Names>;

type Listed = Awaited<ReturnType<HistoryStore["sessions"]>>[number];
type SessionRow = Omit<Listed, "imported" | "state"> & { imported: number; state: string };

const toSession = ({ imported, state, ...said }: SessionRow): Listed => ({
  ...said,
  imported: imported === 1,
  state: JSON.parse(state) as Session["state"],
});

function sessionReads({
  said,
  value,
  values,
  cells,
}: Reading): Reads<"session" | "sessions" | "messages" | "unnoted"> {
  const columns =
    "s.id, s.root, s.label, s.imported, s.at, s.updated_at as updatedAt, s.confirmed, s.watermark, s.noted, s.state, s.revision";
  const one = said<SessionRow>("session", `select ${columns} from session s where id = ?`);
  const listed = (labelled: string) =>
    said<SessionRow>(
      "session",
      `select ${columns}, s.length, (select count(*) from fold f where f.session = s.id and f.undone_at is null) as folds from session s
       where s.root = ?${labelled} order by s.updated_at desc, s.id`,
    );
  const [all, ofLabel] = [listed(""), listed(" and s.label = ?")];
  const messages = value<number>(
    "select count(distinct e.chain) from entry e join session s on s.id = e.session where s.root = ?",
  );
  // Asked on every recall: neither states nor folds are read for it.
  const unnoted = values<string>(
    "select id from session where root = ? and imported = 0 and noted < length order by updated_at desc, id limit ?",
  );
  return {
    session: (id) => one(id).map(toSession)[0],
    sessions: (root, label) =>
      (label === undefined ? all(root) : ofLabel(root, cells.close("key", "label", label))).map(
        toSession,
      ),
    messages: (root) => messages(root) ?? 0,
    unnoted: (root, limit) => unnoted(root, limit),
  };
}

type Body = { readonly json: string | null; readonly hash: string | null };
type Said<Name extends "bodies" | "asides" | "unindexed"> = Awaited<
  ReturnType<HistoryStore[Name]>
>[number];

/** Messages as they came. Words that were changed on the disk do not count, and those that are gone are missed. */
function bodyReader({ value, cells }: Reading): (row: Body) => Message {
  const media = value<string>("select data from media where hash = ?");
  return ({ json, hash }) => {
    if (json === null || digest(json) !== hash) throw new SilentDamage();
    return unpack(cells.open("body", "body", json), (of) => {
      const data = media(of);
      return data === undefined ? undefined : cells.open("key", "media", data);
    });
  };
}

function messageReads(reading: Reading): Reads<"entries" | "bodies" | "asides" | "unindexed"> {
  const bodyOf = bodyReader(reading);
  /** Rows of a table that stand with their words. */
  function withBodies<Spoken>(table: string, sql: string) {
    const rows = reading.rows<Row & Body>(sql);
    return (...given: unknown[]): Spoken[] =>
      rows(...given).map(({ json, hash, ...row }) => ({
        ...openedRow<Spoken>(reading.cells, table, row),
        body: bodyOf({ json, hash }),
      }));
  }
  const entries = reading.said<Omit<Entry, "reply"> & { reply: number }>(
    "entry",
    "select chain, content, skeleton, role, reply, head, prefix, thought, at from entry where session = ? order by position",
  );
  const bodies = withBodies<Said<"bodies">>(
    "entry",
    `select b.json, b.hash, e.name, e.ref, e.at, e.role from entry e left join body b on b.id = e.body
     where e.session = ? and e.position >= ? and e.position < ? order by e.position`,
  );
  const asides = withBodies<Aside>(
    "aside",
    `select a.before, a.content, a.kind, a.id, a.at, b.json, b.hash from aside a left join body b on b.id = a.body
     where a.session = @id and (@kind is null or a.kind = @kind) order by a.before, a.row`,
  );
  const unindexed = withBodies<Omit<Said<"unindexed">, "aside"> & { aside: number }>(
    "entry",
    `select * from (select e.row, e.session, s.root, e.position, e.role, b.json, b.hash, e.name, e.ref, e.at, 0 as aside from entry e
     join session s on s.id = e.session left join body b on b.id = e.body where e.row > @after order by e.row limit @limit)
     union all
     select * from (select a.number, a.session, s.root, a.before, '', b.json, b.hash, null, null, coalesce(a.at, s.updated_at), 1 from aside a
     join session s on s.id = a.session left join body b on b.id = a.body where a.number > @after order by a.number limit @limit)
     order by 1 limit @limit`,
  );
  return {
    entries: (id) => entries(id).map((entry) => ({ ...entry, reply: entry.reply === 1 })),
    bodies: (...range) => bodies(...range),
    asides: (id, kind) => asides({ id, kind }),
    unindexed: (after, limit) =>
      unindexed({ after, limit }).map((row) => ({ ...row, aside: row.aside === 1 })),
  };
}

function foldReads({
  said,
  rows,
}: Reading): Reads<"folds" | "fold" | "allFolds" | "learnt" | "holders"> {
  const folds = (where: string) =>
    said<Fold & { session: string; detail?: string }>(
      "fold",
      `select f.session, f.id, f.up_to as upTo, f.text, f.summary, f.messages, f.tokens_before as before, f.tokens_after as after, f.at, f.detail,
       f.undone_at as undoneAt from fold f ${where}`,
    );
  const standing = folds("where session = ? and undone_at is null order by up_to, at");
  // Ids rise with time: the session that made it is older than those that inherited it.
  const one = folds("where id = ? order by session");
  const all = folds(
    "join session s on s.id = f.session where s.root = ? order by f.at desc, f.id desc, f.session",
  );
  const learnt = rows<Learnt>(
    "select memory, first, last from learnt where session = @session and first < @to and last > @from order by first, memory",
  );
  const holders = rows<{ memory: string; session: string }>(
    "select distinct memory, session from learnt where memory in (select value from json_each(?))",
  );
  const withSession = ({ session, detail = "{}", ...fold }: ReturnType<typeof one>[number]) => ({
    session,
    fold: { ...fold, ...(JSON.parse(detail) as Partial<Fold>) },
  });
  return {
    folds: (id) => standing(id).map((row) => withSession(row).fold),
    fold: (id) => one(id).map(withSession),
    allFolds: (root) => all(root).map(withSession),
    learnt: (session, from, to) => learnt({ session, from, to }),
    holders: (memories) => holders(JSON.stringify(memories)),
  };
}

function pinReads({ said }: Reading): Reads<"pins" | "allPins"> {
  const pins = said<Pin>(
    "pin",
    "select id, text from pin where root = @root and session in ('', @session) order by id",
  );
  const all = said<Pin & { session: string }>(
    "pin",
    "select id, text, session from pin where root = ? order by id, session",
  );
  return {
    pins: (root, session = "") => pins({ root, session }),
    allPins: (root) =>
      all(root).map(({ session, ...pin }) => ({ ...pin, session: session || undefined })),
  };
}

/** Which sessions hold what a request shows. */
function lookUps({
  said,
  rows,
  values,
  cells,
}: Reading): Reads<"byChain" | "byReply" | "bindings"> {
  const ofChains = rows<{ session: string; position: number }>(
    `select e.session, e.position from entry e join session s on s.id = e.session where e.chain in (select value from json_each(?))
     order by e.position desc, s.length = e.position + 1 desc, s.updated_at desc, s.id limit 24`,
  );
  const ofReplies = values<string>(
    `select e.session from entry e join session s on s.id = e.session where e.anchor in (select value from json_each(?))
     group by e.session order by max(s.updated_at) desc limit 24`,
  );
  // An archived reply's thinking is looked for in line and among what gave way.
  const bound = said<{ thought: string; prefix: string }>(
    "entry",
    ["entry", "aside"]
      .map(
        (table) =>
          `select b.thought, b.prefix from ${table} b join session s on s.id = b.session
           where s.root = @root and b.prefix is not null and b.thought in (select value from json_each(@asked))`,
      )
      .join(" union "),
  );
  const closed = (column: string, texts: readonly string[]): string =>
    JSON.stringify(texts.map((text) => cells.close("key", column, text)));
  return {
    byChain: (chains) => ofChains(closed("chain", chains)),
    byReply: (root, label, contents) => {
      const anchors = contents.map((content) => anchorOf(root, label, content));
      return ofReplies(closed("anchor", anchors));
    },
    bindings: (root, thoughts) =>
      new Map(
        bound({ root, asked: closed("thought", thoughts) }).map(({ thought, prefix }) => [
          thought,
          prefix,
        ]),
      ),
  };
}

/** What distilling still owes. */
function jobReads({ said }: Reading): Reads<"jobs"> {
  const all = said<Job>(
    "job",
    `select j.id, j.session, j.first as "from", j.last as "to", j.attempts, j.error, j.not_before as notBefore
     from job j join session s on s.id = j.session
     where (@root is null or s.root = @root) and j.not_before <= @now order by j.not_before, j.id`,
  );
  return { jobs: (root, now) => all({ root, now }) };
}

/** What changes a history outside any change of a session. */
export function smallWrites({ run, cells }: Reading): Reads<"queue" | "take" | "pin" | "unpin"> {
  // What was taken meanwhile keeps its moment, and a forgotten conversation owes nothing.
  const queue = run(
    `insert into job (id, session, first, last, attempts, error, not_before)
     select @id, id, @from, @to, 0, @error, @notBefore from session where id = @session
     on conflict (id) do update set
       last = excluded.last, not_before = min(not_before, excluded.not_before)
     where job.attempts = 0`,
  );
  const take = run(
    `update job set attempts = @attempts, not_before = @notBefore
     where id = @id and attempts = @was and not_before = @before`,
  );
  const pin = run("insert into pin (id, root, session, text) values (?, ?, ?, ?)");
  const unpin = run("delete from pin where id = ? and root = ?");
  return {
    queue: (job) => queue({ ...job, error: cells.close("put", "error", job.error) }).changes > 0,
    take: ({ id, attempts, notBefore }, next) =>
      take({ id, was: attempts, before: notBefore, ...next }).changes > 0,
    pin: (root, session, { id, text }) =>
      void pin(id, root, session ?? "", cells.close("put", "text", text)),
    unpin: (root, id) => unpin(id, root).changes > 0,
  };
}
