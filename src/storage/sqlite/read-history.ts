import { slices } from "../../core/base.ts";
import type {
  Aside,
  Entry,
  Fold,
  Job,
  Learnt,
  StoredMessage,
  Unindexed,
} from "../../core/history.ts";
import type { Message, SpentLine } from "../../core/request.ts";
import { digest } from "../../core/text/cut.ts";
import type { Belongings, ListedSession, Storage } from "../port.ts";
import { SilentDamage } from "./database-file.ts";
import {
  anchorOf,
  FOLD,
  type HistoryDesk,
  SESSION,
  type StoredRow,
  typedRow,
  unpack,
} from "./message-rows.ts";
import { UNUSED } from "./schema.ts";
import type { Answering, Parts } from "./shared-file.ts";

/** All that reads a history. */
export const historyReads = (desk: HistoryDesk, spent: SpentOf) => ({
  ...sessionReads(desk),
  ...messageReads(desk),
  ...besideReads(desk, spent),
});
type SpentOf = (root: string) => SpentLine[];

type HistoryReads<Names extends keyof Storage> = Answering<Storage, Names>;

/** Conversations, and which of them hold what a request shows. */
function sessionReads({ said, value, values }: HistoryDesk): HistoryReads<
  "sessions" | "bindings"
> & {
  readonly messages: (root: string) => number;
} {
  const listed = (from: string) =>
    said<ListedSession>(
      "session",
      `select ${SESSION}, length, (select count(*) from fold f where f.session = s.id
        and f.undone_at is null) as folds from ${from}`,
    );
  const latest = (where: string) =>
    listed(`session s where s.root = ?${where} order by updated_at desc, id limit ?`);
  const named = listed(
    "(select key, value from json_each(?)) named cross join session s on s.id = named.value " +
      "order by named.key",
  );
  const [all, ofLabel, ofSame, unnoted] = [
    ...[latest(""), latest(" and s.label = ?"), latest(" and s.label is ? and imported = 0")],
    latest(" and noted < length"),
  ] as const;
  const messages = value<number>(
    `select count(distinct e.chain) from entry e join session s on s.id = e.session
      where s.root = ?`,
  );
  const holding = values<string>(
    `select e.session from entry e join session s on s.id = e.session
      where e.chain = ? and e.at = ? 
     order by s.watermark desc, s.updated_at desc, s.id limit 24`,
  );
  const ofSaid = values<string>(
    `select e.session from entry e join session s on s.id = e.session
      where e.anchor in (select value from json_each(?))
     group by e.session order by count(distinct e.anchor) desc, max(s.updated_at) desc limit 24`,
  );
  // An archived reply's thinking is looked for in line and among what gave way.
  const bound = said<{ thought: string; prefix: string }>(
    "entry",
    ["entry", "aside"]
      .map(
        (table) =>
          `select b.thought, b.prefix from ${table} b join session s on s.id = b.session
           where s.root = @root and b.prefix is not null
             and b.thought in (select value from json_each(@asked))`,
      )
      .join(" union "),
  );
  return {
    sessions(which) {
      if ("ids" in which) return named(which.ids);
      if ("holding" in which) return named(holding(which.holding.chain, which.holding.at));
      const { root, label } = which;
      if ("said" in which) {
        if (which.said.length === 0) return ofSame(root, label ?? null, 8);
        return named(ofSaid(which.said.map((words) => anchorOf(root, label, words))));
      }
      const { limit = -1 } = which;
      if (which.unnoted) return unnoted(root, limit);
      return label === undefined ? all(root, limit) : ofLabel(root, label, limit);
    },
    messages: (root) => messages(root) ?? 0,
    bindings: (root, thoughts) =>
      new Map(
        bound({ root, asked: JSON.stringify(thoughts) }).map(({ thought, prefix }) => [
          thought,
          prefix,
        ]),
      ),
  };
}

type Body = { readonly json: string | null; readonly hash: string | null };

/**
 * Messages as they came. Words that were changed on the disk do not count, and those that are gone
 * are missed.
 */
function bodyReader({ value }: HistoryDesk): (row: Body) => Message {
  const media = value<string>("select data from media where hash = ?");
  return ({ json, hash }) => {
    if (json === null || digest(json) !== hash) throw new SilentDamage();
    return unpack(json, media);
  };
}

function messageReads(desk: HistoryDesk): HistoryReads<"entries" | "bodies" | "asides"> & {
  readonly unindexed: (after: number, limit: number) => Unindexed[];
} {
  const bodyOf = bodyReader(desk);
  /** Rows of a table that stand with their words. */
  function withBodies<Spoken>(table: string, sql: string) {
    const rows = desk.rows<StoredRow & Body>(sql);
    return (...given: unknown[]): Spoken[] =>
      rows(...given).map(({ json, hash, ...row }) => ({
        ...typedRow<Spoken>(table, row),
        body: bodyOf({ json, hash }),
      }));
  }
  const asides = withBodies<Aside>(
    "aside",
    `select a.before, a.content, a.kind, a.id, a.at, b.json, b.hash from aside a
      left join body b on b.id = a.body
     where a.session = ? and a.kind = coalesce(?, a.kind) order by a.before, a.row`,
  );
  const unindexed = withBodies<Unindexed>(
    "entry",
    `select * from (select e.row, e.session, s.root, e.position, e.role, b.json, b.hash, e.name,
      e.ref, e.at, 0 as aside from entry e
     join session s on s.id = e.session left join body b on b.id = e.body where e.row > @after
       order by e.row limit @limit)
     union all
     select * from (select a.number, a.session, s.root, a.before, '', b.json, b.hash, null,
       null, coalesce(a.at, s.updated_at), 1 from aside a
     join session s on s.id = a.session left join body b on b.id = a.body
       where a.number > @after order by a.number limit @limit)
     order by 1 limit @limit`,
  );
  return {
    entries: desk.said<Entry>(
      "entry",
      `select chain, content, said, role, reply, prefix, thought, at from entry
        where session = ? order by position`,
    ),
    bodies: withBodies<StoredMessage>(
      "entry",
      `select b.json, b.hash, e.name, e.ref, e.at, e.role from entry e
        left join body b on b.id = e.body
       where e.session = ? and e.position >= ? and e.position < ? order by e.position`,
    ),
    asides: (id, kind) => asides(id, kind),
    unindexed: (after, limit) => unindexed({ after, limit }),
  };
}

/**
 * What stands beside the messages: folds, what was learnt of them, pins, and what distilling still
 * owes.
 */
function besideReads(
  { said, rows }: HistoryDesk,
  spent: SpentOf,
): HistoryReads<"folds" | "learnt" | "belongings"> {
  const folds = (where: string) => {
    const found = said<Fold & { session: string; detail?: Partial<Fold> }>(
      "fold",
      `select ${FOLD}, undone_at as undoneAt from fold where ${where}`,
    );
    return (...given: unknown[]) =>
      found(...given).map(({ session, detail, ...fold }) => ({
        session,
        fold: { ...fold, ...detail },
      }));
  };
  const standing = folds("session = ? and undone_at is null order by up_to, at");
  // Ids rise with time: the session that made it is older than those that inherited it.
  const named = folds("id = ? order by session");
  const all = folds(
    "session in (select id from session where root = ?) order by at desc, id desc, session",
  );
  const learnt = (where: string) =>
    rows<Learnt & { session: string }>(
      `select memory, first, last, session from learnt where ${where}`,
    );
  const inRange = learnt("session = ? and last > ? and first < ? order by first, memory");
  const held = learnt("memory in (select value from json_each(?))");
  const pins = said<Belongings["pins"][number]>(
    "pin",
    `select id, text, nullif(session, '') as session from pin where root = ?
      order by id, session`,
  );
  const jobs = said<Job>(
    "job",
    `select j.id, j.session, j.first as "from", j.last as "to", j.attempts, j.error,
      j.not_before as notBefore
     from job j join session s on s.id = j.session
     where s.root = ? order by j.not_before, j.id`,
  );
  return {
    folds(which) {
      if ("session" in which) return standing(which.session);
      return "id" in which ? named(which.id) : all(which.root);
    },
    learnt: (of) => ("memories" in of ? held(of.memories) : inRange(of.session, of.from, of.to)),
    belongings: (root) => ({ jobs: jobs(root), pins: pins(root), spent: spent(root) }),
  };
}

/** Changes of a history that belong to no session. */
export function smallWrites({ run, put }: HistoryDesk) {
  // A job taken meanwhile keeps its moment, and a forgotten conversation owes nothing.
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
  const pin = put("pin", "id, root, session, text");
  const unpin = run("delete from pin where id = @id and root = @root");
  return {
    queued: (job) => queue(job).changes > 0,
    taken: ({ job: { id, attempts, notBefore }, next }) =>
      take({ id, was: attempts, before: notBefore, ...next }).changes > 0,
    pinned: (given) => pin({ ...given, session: given.session ?? "" }),
    unpinned: (given) => unpin(given).changes > 0,
  } satisfies Partial<Parts>;
}

/** Conversations forgotten in one transaction: a few milliseconds. */
const BATCH = 50;

/**
 * Bodies and media go too, once nothing else refers to them: with the last batch, so that a process
 * that is killed before it forgets again.
 */
export async function forgetSessions(
  { run: prepared, inOne }: HistoryDesk,
  sessions: readonly string[],
): Promise<void> {
  const named = "in (select value from json_each(?))";
  const removals = [
    ...["entry", "aside", "fold", "job", "pin", "learnt"].map(
      (table) => `delete from ${table} where session ${named}`,
    ),
    `delete from session where id ${named}`,
  ].map(prepared);
  const cleaning = UNUSED.map(prepared);
  const run = inOne((from: number, to: number) => {
    const batch = sessions.slice(from, to);
    for (const remove of removals) remove(batch);
    if (to === sessions.length) for (const clean of cleaning) clean();
  });
  for await (const { from, to } of slices(0, sessions.length, { size: BATCH, often: 1 }))
    run(from, to);
}
