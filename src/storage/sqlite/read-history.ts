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
import { anchorOf } from "../rows.ts";
import type { Belongings, ListedSession, Storage } from "../port.ts";
import { SilentDamage } from "./database-file.ts";

import { UNUSED } from "./schema.ts";
import type { Answering, Parts } from "./shared-file.ts";
import { FOLD, type HistorySql, SESSION, SPENT, type StoredRow, typedRow } from "./sql.ts";

/** All that reads a history. */
export const historyReads = (sql: HistorySql) => ({
  ...sessionReads(sql),
  ...messageReads(sql),
  ...besideReads(sql),
});

type HistoryReads<Names extends keyof Storage> = Answering<Storage, Names>;

/** Conversations, and which of them hold what a request shows. */
function sessionReads({ said, values }: HistorySql): HistoryReads<"sessions" | "bindings"> {
  const listed = (from: string, ...given: unknown[]) =>
    said<ListedSession>(
      `select ${SESSION}, length, (select count(*) from fold f where f.session = s.id
        and f.undone_at is null) as folds from ${from}`,
      ...given,
    );
  const latest = (where: string, ...given: unknown[]) =>
    listed(`session s where s.root = ?${where} order by updated_at desc, id limit ?`, ...given);
  const named = (ids: readonly string[]) =>
    listed(
      "(select key, value from json_each(?)) named cross join session s on s.id = named.value " +
        "order by named.key",
      ids,
    );
  return {
    sessions(which) {
      if ("ids" in which) return named(which.ids);
      if ("holding" in which)
        return named(
          values`select e.session from entry e join session s on s.id = e.session
             where e.chain = ${which.holding.chain} and e.at = ${which.holding.at}
            order by s.watermark desc, s.updated_at desc, s.id limit 24`,
        );
      const { root, label } = which;
      if ("said" in which) {
        if (which.said.length === 0)
          return latest(" and s.label is ? and imported = 0", root, label, 8);
        const anchors = which.said.map((words) => anchorOf(root, label, words));
        return named(
          values`select e.session from entry e join session s on s.id = e.session
             where e.anchor in (select value from json_each(${anchors}))
            group by e.session
            order by count(distinct e.anchor) desc, max(s.updated_at) desc limit 24`,
        );
      }
      const { limit = -1 } = which;
      if (which.unnoted) return latest(" and noted < length", root, limit);
      return label === undefined
        ? latest("", root, limit)
        : latest(" and s.label = ?", root, label, limit);
    },
    // An archived reply's thinking is looked for in line and among what gave way.
    bindings: (root, thoughts) =>
      new Map(
        ["entry", "aside"].flatMap((table) =>
          said<{ thought: string; prefix: string }>(
            `select b.thought, b.prefix from ${table} b join session s on s.id = b.session
              where s.root = ? and b.prefix is not null
                and b.thought in (select value from json_each(?))`,
            root,
            thoughts,
          ).map(({ thought, prefix }) => [thought, prefix] as const),
        ),
      ),
  };
}

type Body = { readonly json: string | null; readonly hash: string | null };

function messageReads(
  sql: HistorySql,
): HistoryReads<"entries" | "bodies" | "asides" | "unindexed"> {
  /** Rows with their words. Those that were changed on the disk do not count, or are gone. */
  const spoken = <Spoken>(...asked: Parameters<typeof sql.rows>): Spoken[] =>
    sql.rows<StoredRow & Body>(...asked).map(({ json, hash, ...row }) => {
      if (json === null || digest(json) !== hash) throw new SilentDamage();
      return { ...typedRow<Spoken>(row), body: JSON.parse(json) as Message };
    });
  return {
    entries: (session) =>
      sql.said<Entry>`select chain, content, said, role, reply, prefix, thought, at from entry
         where session = ${session} order by position`,
    bodies: (session, from, to) =>
      spoken<StoredMessage>`select b.json, b.hash, e.name, e.ref, e.at, e.role from entry e
           left join body b on b.id = e.body
         where e.session = ${session} and e.position >= ${from} and e.position < ${to}
         order by e.position`,
    asides: (session, kind) =>
      spoken<Aside>`select a.before, a.content, a.kind, a.id, a.at, b.json, b.hash from aside a
           left join body b on b.id = a.body
         where a.session = ${session} and a.kind = coalesce(${kind}, a.kind)
         order by a.before, a.row`,
    unindexed: (limit, after) =>
      spoken<Unindexed>(
        `select * from (select e.row, e.session, s.root, e.position, e.role, b.json, b.hash,
             e.name, e.ref, e.at, 0 as aside from entry e
           join session s on s.id = e.session left join body b on b.id = e.body
           where e.row > @after order by e.row limit @limit)
         union all
         select * from (select a.number, a.session, s.root, a.before, '', b.json, b.hash, null,
             null, coalesce(a.at, s.updated_at), 1 from aside a
           join session s on s.id = a.session left join body b on b.id = a.body
           where a.number > @after order by a.number limit @limit)
         order by 1 limit @limit`,
        { limit, after: after ?? sql.value`select row from cursor where name = 'history'` ?? 0 },
      ),
  };
}

/**
 * What stands beside the messages: folds, what was learnt of them, pins, what distilling still
 * owes, and what calls have cost.
 */
function besideReads({ said, rows }: HistorySql): HistoryReads<"folds" | "learnt" | "belongings"> {
  const folds = (where: string, given: string) =>
    said<Fold & { session: string; detail?: Partial<Fold> }>(
      `select ${FOLD}, undone_at as undoneAt from fold where ${where}`,
      given,
    ).map(({ session, detail, ...fold }) => ({ session, fold: { ...fold, ...detail } }));
  return {
    folds(which) {
      if ("session" in which)
        return folds("session = ? and undone_at is null order by up_to, at", which.session);
      // Ids rise with time: the session that made it is older than those that inherited it.
      if ("id" in which) return folds("id = ? order by session", which.id);
      const ofRoot = "session in (select id from session where root = ?)";
      return folds(`${ofRoot} order by at desc, id desc, session`, which.root);
    },
    learnt: (of) =>
      "memory" in of
        ? rows<Learnt>`select l.session, l.memory, l.first, l.last from learnt l
             join session s on s.id = l.session
           where s.root = ${of.root} and l.memory = ${of.memory}
           order by s.updated_at desc, s.id limit 24`
        : rows<Learnt>`select memory, first, last from learnt
           where session = ${of.session} and last > ${of.from} and first < ${of.to}
           order by first, memory`,
    belongings: (root) => ({
      jobs: said<Job>`select j.id, j.session, j.first as "from", j.last as "to", j.attempts,
           j.error, j.not_before as notBefore
         from job j join session s on s.id = j.session
         where s.root = ${root} order by j.not_before, j.id`,
      pins: said<Belongings["pins"][number]>`select id, text, nullif(session, '') as session
         from pin where root = ${root} order by id, session`,
      spent: rows<Pick<SpentLine, "purpose"> & SpentLine["spent"]>(
        `select purpose, ${SPENT} from spent where root = ? order by purpose`,
        root,
      ).map(({ purpose, ...spent }) => ({ purpose, spent })),
    }),
  };
}

/** Changes of a history that belong to no session. */
export function smallWrites({ run, put }: HistorySql) {
  const pin = put("pin", "id, root, session, text");
  const add = put(
    "spent",
    `root, purpose, ${SPENT}`,
    `on conflict (root, purpose) do update set calls = calls + excluded.calls,
       input = input + excluded.input, cache_write = cache_write + excluded.cache_write,
       cache_read = cache_read + excluded.cache_read, output = output + excluded.output,
       dollars = dollars + excluded.dollars, unpriced = unpriced + excluded.unpriced`,
  );
  return {
    // A job taken meanwhile keeps its moment, and a forgotten conversation owes nothing.
    queued: (job) =>
      run(
        `insert into job (id, session, first, last, attempts, error, not_before)
         select @id, id, @from, @to, 0, @error, @notBefore from session where id = @session
         on conflict (id) do update set
           last = excluded.last, not_before = min(not_before, excluded.not_before)
         where job.attempts = 0`,
        job,
      ).changes > 0,
    taken: ({ job, next }) =>
      run`update job set attempts = ${next.attempts}, not_before = ${next.notBefore}
         where id = ${job.id} and attempts = ${job.attempts} and not_before = ${job.notBefore}`
        .changes > 0,
    pinned: (given) => pin({ ...given, session: given.session ?? "" }),
    unpinned: ({ id, root }) =>
      run`delete from pin where id = ${id} and root = ${root}`.changes > 0,
    /** Sums, so that calls never grow beyond a line for each root and purpose. */
    spent({ root, lines }) {
      for (const { purpose, spent } of lines) add({ ...spent, root, purpose });
    },
  } satisfies Partial<Parts>;
}

/**
 * Bodies go too, once nothing else refers to them: with the last conversations, so that a process
 * that is killed before it forgets again.
 */
export function forgetSessions(
  { run }: HistorySql,
  sessions: readonly string[],
  isLast: boolean,
): void {
  const named = "in (select value from json_each(?))";
  for (const table of ["entry", "aside", "fold", "job", "pin", "learnt", "ended"])
    run(`delete from ${table} where session ${named}`, sessions);
  run(`delete from session where id ${named}`, sessions);
  if (isLast) run(UNUSED);
}
