import { digest } from "../../text/hash.ts";
import { type Session } from "../../model/history.ts";
import { type Message } from "../../model/request.ts";
import { type Statement } from "../../model/installed.ts";
import { type Connection, SilentDamage } from "../sqlite/database.ts";
import { type Cells } from "./cells.ts";
import { unpack } from "./media.ts";
import { type SessionRow, toSession } from "./rows.ts";

type Reads =
  | "allFolds"
  | "allPins"
  | "asides"
  | "bindings"
  | "bodies"
  | "entries"
  | "fold"
  | "folds"
  | "holders"
  | "learnt"
  | "messages"
  | "pin"
  | "pins"
  | "unindexed"
  | "unnoted"
  | "unpin"
  | "version";

export interface Reader extends Readonly<Record<Reads, Statement>> {
  body(row: { json: string | null; hash: string | null }): Message;
  session(id: string): Session | undefined;
  sessions(
    root: string,
    label: string | undefined,
  ): (Session & { length: number; folds: number })[];
}

/** The statements that read a history, prepared once: they are asked several times a turn, and one is freed only by a full collection. */
export function reader(database: Connection, cells: Cells): Reader {
  const prepare: Prepare = (sql) => database.prepare(sql);
  const value: Prepare = (sql) => database.prepare(sql).pluck();
  const media = value("select data from media where hash = ?");
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
    version: value("pragma data_version"),
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
    messages: value(
      "select count(distinct e.chain) from entry e join session s on s.id = e.session where s.root = ?",
    ),
    // Asked on every recall: neither states nor folds are read for it.
    unnoted: value(
      "select id from session where root = ? and imported = 0 and noted < length order by updated_at desc, id limit ?",
    ),
    ...messageStatements(prepare),
    ...foldStatements(prepare),
    ...pinStatements(prepare),
  };
}

type Prepare = (sql: string) => Statement;

const messageStatements = (prepare: Prepare) => ({
  entries: prepare(
    "select chain, content, skeleton, role, reply, head, prefix, thought, at from entry where session = ? order by position",
  ),
  bodies: prepare(
    `select b.json, b.hash, e.name, e.ref, e.at, e.role from entry e left join body b on b.id = e.body
     where e.session = ? and e.position >= ? and e.position < ? order by e.position`,
  ),
  asides: prepare(
    `select a.before, a.content, a.kind, a.id, a.at, b.json, b.hash from aside a left join body b on b.id = a.body
     where a.session = @id and (@kind is null or a.kind = @kind) order by a.before, a.row`,
  ),
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
});

const foldStatements = (prepare: Prepare) => ({
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
});

const pinStatements = (prepare: Prepare) => ({
  pins: prepare(
    "select id, text from pin where root = @root and session in ('', @session) order by id",
  ),
  allPins: prepare("select id, text, session from pin where root = ? order by id, session"),
  pin: prepare("insert into pin (id, root, session, text) values (?, ?, ?, ?)"),
  unpin: prepare("delete from pin where id = ? and root = ?"),
});
