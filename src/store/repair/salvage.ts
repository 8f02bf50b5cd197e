import { asked, type Connection, insertOf, valueOf } from "../sqlite/database.ts";
import type { StoredRow } from "../history/desk.ts";
import { onHistory, UNUSED } from "../history/schema.ts";
import { columnsOf, isSound, raiseNumbers, TABLES } from "../history/table-rows.ts";

export interface Salvaged {
  /** The new file holds so many. */
  readonly conversations: number;
  readonly messages: number;
  /** So much is known to have been there and is in neither file. */
  readonly lost: {
    readonly messages: number;
    readonly conversations: number;
    readonly folds: number;
    readonly media: number;
  };
  /** Tables of the damaged file that could not be read from end to end. */
  readonly broken: readonly string[];
}

/**
 * Reads what can be read of a damaged history into a new one at `to`, and what that lacks from a
 * backup. Neither file is written to. `cursor`: no new message gets a number up to this one, for
 * the search index has read so far.
 */
export function salvageHistory(
  from: string,
  to: string,
  { backup, cursor = 0 }: { backup?: string | undefined; cursor?: number } = {},
): Salvaged {
  return onHistory(to, (target) =>
    target
      .transaction(() => {
        const broken = walkIn(from, target, Object.keys(TABLES));
        if (backup !== undefined && broken.length > 0)
          walkIn(backup, target, ["body", "media", "body_media", ...broken]);
        const lost = settle(target);
        const beside = valueOf<number>(target, "select coalesce(max(number), 0) from aside");
        raiseNumbers(target, Math.max(cursor, beside));
        const count = (table: string): number => valueOf(target, `select count(*) from ${table}`);
        return { conversations: count("session"), messages: count("entry"), lost, broken };
      })
      .immediate(),
  );
}

/** Rows that are there stay. Answers the tables of which some rows could not be read. */
function walkIn(path: string, target: Connection, tables: readonly string[]): string[] {
  /** A body has another number in the new file; its digest says which. */
  const bodies = new Map<unknown, unknown>();
  const bodyOf = target.prepare("select id from body where hash = ?").pluck();
  return asked(path, (source) =>
    [...new Set(tables)].filter((table) => {
      const columns = columnsOf(target, table);
      const names = columns.map(({ name }) => name);
      const taken = table === "body" ? names.filter((name) => name !== "id") : names;
      const put = target.prepare(insertOf(table, taken));
      let whole = true;
      for (const read of readable(source, table)) {
        const row = read && { ...read };
        if (row !== undefined && "body" in row) row.body = bodies.get(row.body) ?? null;
        if (row === undefined || !isSound(table, row, columns)) {
          whole = false;
          continue;
        }
        put.run(row);
        if (table === "body") bodies.set(row.id, bodyOf.get(row.hash));
      }
      return !whole;
    }),
  );
}

/**
 * The rows of a table, some of them twice. Where reading breaks off, undefined stands in its place,
 * and what lies behind is reached from the other end.
 */
function* readable(source: Connection, table: string): Generator<StoredRow | undefined> {
  const order = TABLES[table] ?? "";
  for (const sorted of [order, order.replaceAll(/\w+/g, "$& desc")]) {
    try {
      yield* source.prepare<[], StoredRow>(`select * from ${table} order by ${sorted}`).iterate();
      return;
    } catch {
      yield undefined;
    }
  }
}

/**
 * Makes the rows fit each other: no conversation has a gap, and nothing belongs to nothing. The
 * messages behind a gap become a conversation to read. Answers what is not there.
 */
function settle(target: Connection): Salvaged["lost"] {
  const run = (sql: string, ...given: unknown[]): number =>
    target.prepare(sql).run(...given).changes;
  const ownerless = run("delete from entry where session not in (select id from session)");
  const lacking = target
    .prepare<[], { id: string; held: number; whole: number; had: number }>(
      `select id, count(position) as held, max(length, coalesce(max(position) + 1, 0)) as had,
         coalesce(min(case when position <> nth then nth end), count(position)) as whole
       from session left join (
         select session, position,
           row_number() over (partition by session order by position) - 1 as nth from entry
       ) on session = id
       group by id having had > held or had <> length order by id`,
    )
    .all();
  const isKnown = target.prepare("select 1 from session where id = ?");
  for (const { id, held, whole } of lacking) {
    let rest = `${id}.${whole}`;
    while (isKnown.get(rest) !== undefined) rest += "~";
    if (held > whole) moveApart(target, { id, rest, whole, behind: held - whole });
    run("update session set length = ?, revision = revision + 1 where id = ?", whole, id);
  }
  const folds = run(
    "delete from fold where up_to > (select length from session where id = fold.session)",
  );
  for (const table of ["fold", "job", "learnt", "aside"])
    run(`delete from ${table} where session not in (select id from session)`);
  run("delete from pin where session <> '' and session not in (select id from session)");
  for (const sql of UNUSED) run(sql);
  run(
    `update session set confirmed = min(confirmed, length), watermark = min(watermark, length),
       noted = min(noted, length) where max(confirmed, watermark, noted) > length`,
  );
  const short = lacking.filter(({ had, held }) => had > held);
  return {
    messages: short.reduce((sum, { had, held }) => sum + had - held, ownerless),
    conversations: short.length,
    folds,
    media: valueOf(
      target,
      "select count(distinct hash) from body_media where hash not in (select hash from media)",
    ),
  };
}

/** Puts the messages from a place on into a conversation of their own, to be read only. */
function moveApart(
  target: Connection,
  place: { id: string; rest: string; whole: number; behind: number },
): void {
  const moves = [
    `insert into session (id, root, label, imported, at, updated_at,
       confirmed, watermark, noted, length, state, revision)
     select @rest, root, null, 1, at, updated_at,
       @behind, @behind, @behind, @behind, '{}', 1 from session where id = @id`,
    `update entry set session = @rest, anchor = null, position = numbered.nth
     from (select row, row_number() over (order by position) - 1 as nth from entry
       where session = @id and position >= @whole) numbered
     where entry.row = numbered.row`,
  ];
  for (const sql of moves) target.prepare(sql).run(place);
}
