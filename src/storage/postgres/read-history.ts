import type {
  Aside,
  Entry,
  Fold,
  Job,
  Learnt,
  StoredMessage,
  Unindexed,
} from "../../core/history.ts";
import type { Message } from "../../core/request.ts";
import { anchorOf } from "../rows.ts";
import type { Belongings, ListedSession, Truth } from "../port.ts";
import { fromJson, part, type Row, type Sql } from "./sql.ts";

const SESSION = part`id, root, label, imported, at, updated_at as "updatedAt", confirmed,
  watermark, noted, state, revision, length, (select count(*) from [fold] f
    where f.session = s.id and f.undone_at is null) as folds`;

const LATEST = part`order by updated_at desc, id`;

/** Conversations, and which of them hold what a request shows. */
export function sessionReads({ rows }: Sql): Pick<Truth, "sessions" | "bindings"> {
  const typed = (found: readonly Row[]): ListedSession[] =>
    found.map(({ state, ...row }) => ({
      ...row,
      state: JSON.parse(String(state)) as unknown,
    })) as unknown as ListedSession[];
  return {
    async sessions(which) {
      if ("ids" in which)
        return typed(
          await rows`select ${SESSION} from unnest(${which.ids}::text[])
            with ordinality named (id, n) join [session] s using (id) order by n`,
        );
      if ("holding" in which)
        return typed(
          await rows`select ${SESSION} from [session] s where id in (select session from [entry]
              where chain = ${which.holding.chain} and at = ${which.holding.at})
            order by watermark desc, updated_at desc, id limit 24`,
        );
      const { root, label } = which;
      if (!("said" in which))
        return typed(
          await rows`select ${SESSION} from [session] s where root = ${root}
              and (${label}::text is null or label = ${label})
              and (not ${which.unnoted ?? false}::boolean or noted < length)
            ${LATEST} limit ${which.limit}::bigint`,
        );
      if (which.said.length === 0)
        return typed(
          await rows`select ${SESSION} from [session] s where root = ${root}
              and label is not distinct from ${label}::text and not imported
            ${LATEST} limit 8`,
        );
      const anchors = which.said.map((words) => anchorOf(root, label, words));
      return typed(
        await rows`select ${SESSION} from [session] s
          join (select session, count(distinct anchor) as told from [entry]
            where anchor = any(${anchors}::text[]) group by session) held on held.session = s.id
          order by told desc, updated_at desc limit 24`,
      );
    },
    // An archived reply's thinking is looked for in line and among what gave way.
    bindings: async (root, thoughts) =>
      new Map(
        (
          await rows<{ thought: string; prefix: string }>`select thought, prefix from (
            select 0 as n, session, thought, prefix from [entry]
              where thought = any(${thoughts}::text[])
            union all select 1, session, thought, prefix from [aside]
              where thought = any(${thoughts}::text[])
          ) bound join [session] s on s.id = bound.session
          where s.root = ${root} and prefix is not null order by n`
        ).map(({ thought, prefix }) => [thought, prefix]),
      ),
  };
}

const spoken = <Said>(found: readonly Row[]): Said[] =>
  found.map(({ json, ...row }) => ({
    ...row,
    body: JSON.parse(String(json)) as Message,
  })) as Said[];

/** Messages in line, and what stands beside it. */
export const messageReads = ({
  rows,
}: Sql): Pick<Truth, "entries" | "bodies" | "asides" | "unindexed"> => ({
  entries: (session) =>
    rows<Entry>`select chain, content, said, role, reply, prefix, thought, at from [entry]
      where session = ${session} order by position`,
  bodies: async (session, from, to) =>
    spoken<StoredMessage>(
      await rows`select json, name, ref, at, role from [entry] join [body] b on b.hash = body
        where session = ${session} and position >= ${from} and position < ${to}
        order by position`,
    ),
  asides: async (session, kind) =>
    spoken<Aside>(
      await rows`select before, content, kind, id, at, json from [aside]
        join [body] b on b.hash = body
        where session = ${session} and (${kind}::text is null or kind = ${kind})
        order by before, row`,
    ),
  unindexed: async (limit, after) =>
    spoken<Unindexed>(
      await rows`select number as row, session, root, place as position, role, said as json,
        name, ref, at, aside from [unindexed](${after}::bigint, ${limit}::bigint)`,
    ),
});

const FOLD = part`session, id, up_to as "upTo", text, summary, messages, tokens_before as before,
  tokens_after as after, at, detail, undone_at as "undoneAt" from [fold]`;

/** Folds, what was learnt, pins, what distilling still owes, and what calls have cost. */
export function besideReads({ rows, row }: Sql): Pick<Truth, "folds" | "learnt" | "belongings"> {
  const folds = (found: readonly Row[]) =>
    found.map(({ session, detail, ...fold }) => ({
      session: String(session),
      fold: { ...fold, ...(JSON.parse(String(detail)) as object) } as unknown as Fold,
    }));
  return {
    async folds(which) {
      if ("session" in which)
        return folds(
          await rows`select ${FOLD} where session = ${which.session} and undone_at is null
            order by up_to, at`,
        );
      if ("id" in which)
        return folds(await rows`select ${FOLD} where id = ${which.id} order by session`);
      return folds(
        await rows`select ${FOLD} where session in (select id from [session]
          where root = ${which.root}) order by at desc, id desc, session`,
      );
    },
    learnt: (of) =>
      "memory" in of
        ? rows<Learnt>`select l.session, l.memory, l.first, l.last from [learnt] l
            join [session] s on s.id = l.session
            where s.root = ${of.root} and l.memory = ${of.memory}
            order by s.updated_at desc, s.id limit 24`
        : rows<Learnt>`select memory, first, last from [learnt]
            where session = ${of.session} and last > ${of.from} and first < ${of.to}
            order by first, memory`,
    async belongings(root) {
      const held = await row<Record<"jobs" | "pins" | "spent", string>>`select
        (select json_agg(j order by j."notBefore", j.id) from (
          select j.id, j.session, j.first as "from", j.last as "to", j.attempts, j.error,
            j.not_before as "notBefore" from [job] j join [session] s on s.id = j.session
          where s.root = ${root}) j)::text as jobs,
        (select json_agg(p order by p.id, p.session nulls first) from (
          select id, text, nullif(session, '') as session from [pin] where root = ${root}
        ) p)::text as pins,
        (select json_agg(json_build_object('purpose', purpose, 'spent', json_build_object(
          'calls', calls, 'input', input, 'cacheWrite', cache_write, 'cacheRead', cache_read,
          'output', output, 'dollars', dollars, 'unpriced', unpriced)) order by purpose)
          from [spent] where root = ${root})::text as spent`;
      const list = <One>(json: string | undefined): One[] =>
        json === undefined ? [] : (fromJson(json) as One[]);
      return {
        jobs: list<Job>(held?.jobs),
        pins: list<Belongings["pins"][number]>(held?.pins),
        spent: list<Belongings["spent"][number]>(held?.spent),
      };
    },
  };
}
