import { isDict, parsed } from "../../base/guards.ts";
import { type Connection, valueOf, valuesOf } from "../sqlite/database.ts";

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

type Run = (sql: string, ...values: unknown[]) => number;

/**
 * Makes a history whole in itself: positions without gaps, nothing that belongs to nothing. What stands behind a gap becomes
 * a conversation of its own, to be read and never gone on with. Within whatever transaction is open.
 */
export function settleHistory(
  database: Connection,
  ownerOf: (session: string) => string | undefined = () => undefined,
): Missing {
  const run: Run = (sql, ...values) => database.prepare(sql).run(...values).changes;
  const ownerless = addLostSessions(database, run, ownerOf);
  const { folds, lacking } = closeGaps(database, run);
  const orphans = dropOrphans(run);
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
function addLostSessions(
  database: Connection,
  run: Run,
  ownerOf: (session: string) => string | undefined,
): number {
  let ownerless = 0;
  for (const id of valuesOf<string>(
    database,
    "select distinct session from entry where session not in (select id from session)",
  )) {
    const owner =
      valueOf<string | undefined>(database, "select root from ledger where session = ?", id) ??
      ownerOf(id);
    if (owner === undefined) ownerless += 1;
    const { length, first, last } = database
      .prepare(
        "select max(position) + 1 as length, min(at) as first, max(at) as last from entry where session = ?",
      )
      .get(id) as { length: number; first: number; last: number };
    const read = valueOf<number>(
      database,
      "select coalesce(max(last), 0) from learnt where session = ?",
      id,
    );
    const known = Math.min(read, length);
    run(
      "insert into session (id, root, label, imported, at, updated_at, confirmed, watermark, noted, length, state, revision) values (?, ?, null, 0, ?, ?, 0, ?, ?, ?, '{}', 1)",
      ...[id, owner ?? NOBODY, first, last, known, known, length],
    );
  }
  return ownerless;
}

/** Cuts each conversation at its first gap; answers how many folds went with that, and what each conversation lacks. */
function closeGaps(database: Connection, run: Run) {
  const lacking = new Map<string, { lost: number; had: number }>();
  let folds = 0;
  for (const session of database
    .prepare("select id, length, state from session order by id")
    .all() as SessionRow[]) {
    const whole = valuesOf<number>(
      database,
      "select position from entry where session = ? and body in (select id from body) order by position",
      session.id,
    );
    const had = Math.max(session.length, (whole.at(-1) ?? -1) + 1);
    if (had > whole.length) lacking.set(session.id, { lost: had - whole.length, had });
    const gap = whole.findIndex((position, at) => position !== at);
    const good = isState(session.state);
    if (session.length === whole.length && gap < 0 && good) continue;
    const kept = gap < 0 ? whole.length : gap;
    run("delete from entry where session = ? and body not in (select id from body)", session.id);
    if (kept < whole.length) apart(database, session.id, kept);
    folds += run("delete from fold where session = ? and up_to > ?", session.id, kept);
    run(
      `update session set length = @kept, confirmed = min(confirmed, @kept), watermark = min(watermark, @kept), noted = min(noted, @kept), revision = revision + 1,
       state = case when @good then state else '{}' end where id = @id`,
      { kept, good: good ? 1 : 0, id: session.id },
    );
  }
  folds += run(
    "delete from fold where up_to > (select length from session s where s.id = fold.session)",
  );
  return { folds, lacking };
}

/** Rows that belong to nothing, each kind behind the one it hangs on. */
const dropOrphans = (run: Run): number =>
  [
    ...["fold", "job", "learnt", "aside"].map(
      (table) => `delete from ${table} where session not in (select id from session)`,
    ),
    "delete from pin where session <> '' and session not in (select id from session)",
    "delete from aside where body not in (select id from body)",
    "delete from body where id not in (select body from entry union select body from aside)",
    "delete from body_media where body not in (select id from body)",
    "delete from media where hash not in (select hash from body_media)",
  ].reduce((sum, sql) => sum + run(sql), 0);

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
