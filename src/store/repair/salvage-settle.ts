import { isDict, parsed } from "../../base/guards.ts";
import { type Connection } from "../sqlite/database.ts";

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

interface SessionRow {
  id: string;
  length: number;
  state: string;
}

/**
 * Makes a history whole in itself: positions without gaps, nothing that belongs to nothing. What stands behind a gap becomes
 * a conversation of its own, to be read and never gone on with. Within whatever transaction is open.
 */
export function settleHistory(
  database: Connection,
  ownerOf: (session: string) => string | undefined = () => undefined,
): Missing {
  const run = (sql: string, ...values: unknown[]): number =>
    database.prepare(sql).run(...values).changes;
  const count = (sql: string): number => database.prepare(sql).pluck().get() as number;
  const lacking = new Map<string, { lost: number; had: number }>();

  let ownerless = 0;
  for (const id of database
    .prepare("select distinct session from entry where session not in (select id from session)")
    .pluck()
    .all() as string[]) {
    const owner =
      (database.prepare("select root from ledger where session = ?").pluck().get(id) as
        string | undefined) ?? ownerOf(id);
    if (owner === undefined) ownerless += 1;
    const { length, first, last } = database
      .prepare(
        "select max(position) + 1 as length, min(at) as first, max(at) as last from entry where session = ?",
      )
      .get(id) as { length: number; first: number; last: number };
    const { read } = database
      .prepare("select coalesce(max(last), 0) as read from learnt where session = ?")
      .get(id) as { read: number };
    run(
      "insert into session (id, root, label, imported, at, updated_at, confirmed, watermark, noted, length, state, revision) values (?, ?, null, 0, ?, ?, 0, ?, ?, ?, '{}', 1)",
      id,
      owner ?? NOBODY,
      first,
      last,
      Math.min(read, length),
      Math.min(read, length),
      length,
    );
  }

  let folds = 0;
  for (const session of database
    .prepare("select id, length, state from session order by id")
    .all() as SessionRow[]) {
    const whole = database
      .prepare(
        "select position from entry where session = ? and body in (select id from body) order by position",
      )
      .pluck()
      .all(session.id) as number[];
    const had = Math.max(session.length, (whole.at(-1) ?? -1) + 1);
    if (had > whole.length) lacking.set(session.id, { lost: had - whole.length, had });
    if (
      session.length === whole.length &&
      whole.every((position, at) => position === at) &&
      isState(session.state)
    )
      continue;
    const gap = whole.findIndex((position, at) => position !== at);
    const kept = gap < 0 ? whole.length : gap;
    run("delete from entry where session = ? and body not in (select id from body)", session.id);
    if (kept < whole.length) apart(database, session.id, kept);
    folds += run("delete from fold where session = ? and up_to > ?", session.id, kept);
    run(
      `update session set length = @kept, confirmed = min(confirmed, @kept), watermark = min(watermark, @kept), noted = min(noted, @kept), revision = revision + 1,
       state = case when @good then state else '{}' end where id = @id`,
      { kept, good: isState(session.state) ? 1 : 0, id: session.id },
    );
  }
  folds += run(
    "delete from fold where up_to > (select length from session s where s.id = fold.session)",
  );

  let orphans = ["fold", "job", "learnt", "aside"].reduce(
    (sum, table) => sum + run(`delete from ${table} where session not in (select id from session)`),
    0,
  );
  orphans += run("delete from pin where session <> '' and session not in (select id from session)");
  orphans += run("delete from aside where body not in (select id from body)");
  orphans += run(
    "delete from body where id not in (select body from entry union select body from aside)",
  );
  orphans += run("delete from body_media where body not in (select id from body)");
  orphans += run("delete from media where hash not in (select hash from body_media)");
  run(
    "update session set confirmed = min(confirmed, length), watermark = min(watermark, length), noted = min(noted, length) where max(confirmed, watermark, noted) > length",
  );
  const media = count(
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

/** The entries behind a gap, each run of them in a conversation of its own. */
function apart(database: Connection, session: string, from: number): void {
  const rest = database
    .prepare(
      "select row, position from entry where session = ? and position >= ? order by position",
    )
    .all(session, from) as { row: number; position: number }[];
  const move = database.prepare(
    "update entry set session = ?, position = ?, anchor = null where row = ?",
  );
  const known = database.prepare("select 1 from session where id = ?");
  const open = database.prepare(
    `insert into session (id, root, label, imported, at, updated_at, confirmed, watermark, noted, length, state, revision)
     select @id, root, null, 1, at, updated_at, @length, @length, @length, @length, '{}', 1 from session where id = @of`,
  );
  for (let start = 0, end = 0; start < rest.length; start = end) {
    const run = (at: number): number => (rest[at]?.position ?? 0) - at;
    for (end = start + 1; end < rest.length && run(end) === run(start); end += 1);
    let id = `${session}.${rest[start]?.position ?? 0}`;
    while (known.get(id) !== undefined) id += "~";
    open.run({ id, length: end - start, of: session });
    rest.slice(start, end).forEach(({ row }, at) => move.run(id, at, row));
  }
}

const isState = (text: string): boolean => isDict(parsed(text));
