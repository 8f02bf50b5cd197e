import { isDict, parsed } from "../../base/guards.ts";
import { type Connection, valueOf, valuesOf } from "../sqlite/database.ts";
import { UNUSED } from "../history/schema.ts";

/** What a history lacks, after all that can be read of it was put in order. */
export interface Missing {
  /** Messages a conversation is known to have had. */
  readonly messages: number;
  /** Conversations that lack some, and those without a known owner. */
  readonly conversations: number;
  readonly ownerless: number;
  /** Folds that no longer cover what they covered; their messages go back into the request. */
  readonly folds: number;
  /** Rows that belonged to nothing. */
  readonly orphans: number;
  /** Pictures and documents whose bytes are gone. */
  readonly media: number;
  /** Of each conversation that lacks messages: how many, and how many it had. */
  readonly lacking: ReadonlyMap<string, { readonly lost: number; readonly had: number }>;
}

/** The root of conversations whose owner is not known: no identity has it. */
const NOBODY = "lost";

type Run = (sql: string, ...values: unknown[]) => number;

/** Whose conversations are, as far as it is known from elsewhere. */
export type Owners = readonly (readonly [session: string, root: string])[];

/**
 * Makes a history whole in itself: positions without gaps, nothing that belongs to nothing. What
 * stands behind a gap becomes a conversation of its own, to be read and never gone on with. Within
 * whatever transaction is open.
 */
export function settleHistory(database: Connection, owners: Owners = []): Missing {
  const run: Run = (sql, ...values) => database.prepare(sql).run(...values).changes;
  const ownerless = addLostSessions(database, owners);
  const { folds, lacking } = closeGaps(database, run);
  const orphans = ORPHANS.reduce((sum, sql) => sum + run(sql), 0);
  run(
    "update session set confirmed = min(confirmed, length), watermark = min(watermark, length), noted = min(noted, length) where max(confirmed, watermark, noted) > length",
  );
  const media = valueOf<number>(
    database,
    "select count(distinct hash) from body_media where hash not in (select hash from media)",
  );
  return {
    messages: [...lacking.values()].reduce((sum, { lost }) => sum + lost, 0),
    conversations: lacking.size,
    ownerless,
    folds,
    orphans,
    media,
    lacking,
  };
}

/** Entries whose conversation is gone get it back; answers of how many the owner is not known. */
const addLostSessions = (database: Connection, owners: Owners): number =>
  valuesOf<string>(
    database,
    `insert into session (id, root, label, imported, at, updated_at, confirmed, watermark, noted, length, state, revision)
     with owner (session, root) as materialized (select value ->> 0, min(value ->> 1) from json_each(?) group by 1),
       learned (session, last) as materialized (select session, max(last) from learnt group by session),
       lost as (select session, max(position) + 1 as length, min(at) as first, max(at) as last from entry
         where session not in (select id from session) group by session)
     select e.session, coalesce(o.root, ?), null, 0, e.first, e.last, 0,
       min(coalesce(l.last, 0), e.length), min(coalesce(l.last, 0), e.length), e.length, '{}', 1
     from lost e left join owner o on o.session = e.session
       left join learned l on l.session = e.session
     returning root`,
    JSON.stringify(owners),
    NOBODY,
  ).filter((root) => root === NOBODY).length;

interface Line {
  readonly id: string;
  readonly state: string;
  /**
   * Entries it has words of, how many it is known to have had, and where the first that lacks
   * should stand.
   */
  readonly whole: number;
  readonly had: number;
  readonly length: number;
  readonly gap: number | null;
}

/**
 * Cuts each conversation at its first gap; answers how many folds went with that, and what each
 * conversation lacks.
 */
function closeGaps(database: Connection, run: Run) {
  const lacking = new Map<string, { lost: number; had: number }>();
  let folds = 0;
  for (const { id, state, whole, had, length, gap } of database
    .prepare(
      `select s.id, s.state, s.length, count(e.position) as whole, max(s.length, coalesce(max(e.position) + 1, 0)) as had,
         min(case when e.position <> e.nth then e.nth end) as gap
       from session s left join (select session, position, row_number() over (partition by session order by position) - 1 as nth
         from entry where body in (select id from body)) e on e.session = s.id
       group by s.id order by s.id`,
    )
    .all() as Line[]) {
    if (had > whole) lacking.set(id, { lost: had - whole, had });
    const good = isDict(parsed(state));
    if (length === whole && gap === null && good) continue;
    const kept = gap ?? whole;
    run("delete from entry where session = ? and body not in (select id from body)", id);
    if (kept < whole) apart(database, id, kept);
    folds += run("delete from fold where session = ? and up_to > ?", id, kept);
    run(
      `update session set length = @kept, confirmed = min(confirmed, @kept), watermark = min(watermark, @kept), noted = min(noted, @kept), revision = revision + 1,
       state = case when @good then state else '{}' end where id = @id`,
      { kept, good: Number(good), id },
    );
  }
  folds += run(
    "delete from fold where up_to > (select length from session s where s.id = fold.session)",
  );
  return { folds, lacking };
}

/** Rows that belong to nothing, each kind behind the one it hangs on. */
const ORPHANS: readonly string[] = [
  ...["fold", "job", "learnt", "aside"].map(
    (table) => `delete from ${table} where session not in (select id from session)`,
  ),
  "delete from pin where session <> '' and session not in (select id from session)",
  "delete from aside where body not in (select id from body)",
  ...UNUSED,
];

/** The entries behind a gap, each run of them in a conversation of its own. */
function apart(database: Connection, session: string, from: number): void {
  const runs = database
    .prepare(
      `select min(position) as first, count(*) as length from
         (select position, position - row_number() over (order by position) as run from entry where session = ? and position >= ?)
       group by run order by first`,
    )
    .all(session, from) as { first: number; length: number }[];
  const known = database.prepare("select 1 from session where id = ?");
  const open = database.prepare(
    `insert into session (id, root, label, imported, at, updated_at, confirmed, watermark, noted, length, state, revision)
     select @id, root, null, 1, at, updated_at, @length, @length, @length, @length, '{}', 1 from session where id = @of`,
  );
  const move = database.prepare(
    `update entry set session = @id, position = position - @first, anchor = null
     where session = @of and position between @first and @first + @length - 1`,
  );
  for (const { first, length } of runs) {
    let id = `${session}.${first}`;
    while (known.get(id) !== undefined) id += "~";
    const run = { id, of: session, first, length };
    open.run(run);
    move.run(run);
  }
}
