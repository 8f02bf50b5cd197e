import { isTidemarkError, reasonOf, TidemarkError } from "../../core/errors-and-events.ts";
import { terms } from "../../core/text/terms.ts";
import {
  asked,
  codeOf,
  connect,
  type Connection,
  type DatabaseAt,
  isBusy,
  isDamage,
} from "./database-file.ts";
import { scopeTable, termRows } from "./memory-rows.ts";

import { onTables, UNUSED } from "./schema.ts";
import type { Sql, StoredRow } from "./sql.ts";
import { columnsOf, isSound, NO_INDEXES, raiseNumbers, TABLES } from "./table-rows.ts";
import { ownerOf } from "./write-memories.ts";

interface ValueRow {
  readonly row: number;
  readonly scope: number;
  readonly content: string;
  readonly validTo: number | null;
}

/** Past turns and pages are not made here: a search reads them anew. */
const EMPTIED = `
  insert into memory_index (memory_index) values ('delete-all');
  insert into page_index (page_index) values ('delete-all');
  update scope set memories = 0;
  delete from turn_place; delete from turn_word; delete from turn; delete from stretch;
  delete from stretch_signs;
  delete from root; delete from cursor; delete from page_vector; delete from page_chunk;
  delete from page;
`;

/**
 * Makes the indexes anew from what is true; vectors stay. Answers how many values there are, and
 * tells on the way how many are read.
 */
export function rebuildDerived(sql: Sql, tell: (values: number) => void = () => {}): number {
  const scopes = scopeTable(sql);
  const index = termRows(sql, "memory_index");
  return sql.inOne(() => {
    sql.exec(EMPTIED);
    const values = sql.rows<ValueRow>`select row, scope, content, valid_to as validTo from memory`;
    for (const [nth, value] of values.entries()) {
      tell(nth);
      const found = terms(value.content);
      sql.run`update memory set terms = ${found.join(" ")} where row = ${value.row}`;
      index.add(value.row, ownerOf(value), found);
      if (value.validTo === null) scopes.count(value.scope, 1);
    }
    return values.length;
  })();
}

/** A new file holds these, and so many messages that are known to be in neither file. */
export type Salvaged = ReturnType<typeof salvage>;

/**
 * Reads what can be read of a damaged file into a new one at `to`, and what that lacks from a
 * backup. Neither file is written to.
 */
export function salvage(from: DatabaseAt, to: DatabaseAt, backup?: DatabaseAt) {
  return onTables(to, (target) => {
    const { exec, value } = target;
    const salvaged = target.inOne(() => {
      // Rows that a row names may be lost, or come from the backup behind it.
      exec("pragma defer_foreign_keys = on");
      const torn = walkIn(from, target, Object.keys(TABLES));
      if (backup !== undefined && torn.length > 0) walkIn(backup, target, ["body", ...torn]);
      exec(GAPS);
      const missing = value<number>`select coalesce(sum(missing), 0) from gap`;
      exec(CLOSED);
      exec(UNUSED);
      raiseNumbers(target, value`select coalesce(max(number), 0) from aside` ?? 0);
      // Some tables of the damaged file could not be read from end to end.
      return { missing: missing ?? 0, torn: torn.length > 0 };
    })();
    rebuildDerived(target);
    const count = (from: string): number => value(`select count(*) from ${from}`) ?? 0;
    return {
      ...salvaged,
      memories: count("memory where valid_to is null"),
      conversations: count("session"),
      messages: count("entry"),
    };
  });
}

/** Rows that are there stay. Answers the tables of which some rows could not be read. */
function walkIn(at: DatabaseAt, target: Sql, tables: readonly string[]): string[] {
  /** A body has another number in the new file; its digest says which. */
  const bodies = new Map<unknown, unknown>();
  return asked(at, (source) =>
    [...new Set(tables)].filter((table) => {
      const columns = columnsOf(target, table);
      const names = columns.map(({ name }) => name);
      const taken = table === "body" ? names.filter((name) => name !== "id") : names;
      const put = `insert or ignore into ${table} (${taken.join(", ")})
        values (${taken.map((name) => `@${name}`).join(", ")})`;
      let whole = true;
      for (const read of readable(source, table)) {
        const row = read && { ...read };
        if (row !== undefined && "body" in row) row.body = bodies.get(row.body) ?? null;
        if (row === undefined || !isSound(table, row, columns)) {
          whole = false;
          continue;
        }
        target.run(put, row);
        if (table === "body")
          bodies.set(row.id, target.value`select id from body where hash = ${row.hash}`);
      }
      return !whole;
    }),
  );
}

/**
 * The rows of a table, some of them twice. Where reading breaks off, undefined stands in its place,
 * and what lies behind is reached from the other end.
 */
function* readable({ each }: Sql, table: string): Generator<StoredRow | undefined> {
  const order = TABLES[table] ?? "";
  for (const sorted of [order, order.replaceAll(/\w+/g, "$& desc")]) {
    try {
      yield* each<StoredRow>(`select * from ${table} order by ${sorted}`);
      return;
    } catch {
      yield undefined;
    }
  }
}

/**
 * Conversations of which messages are not there: `whole` of them stand in order at the beginning,
 * `behind` so many can be read behind the first gap, and these get a name by the row of the first,
 * which no other ever has. Messages of no conversation are missing, too.
 */
const GAPS = `
  create temp table gap as
    select id, whole, id || '.' || first as rest, held - whole as behind,
      max(length, had) - held as missing
    from (
      select id, length, count(position) as held, coalesce(max(position) + 1, 0) as had,
        coalesce(min(case when position <> nth then nth end), count(position)) as whole,
        min(case when position <> nth then entry end) as first
      from session left join (
        select session, position, row as entry,
          row_number() over (partition by session order by position) - 1 as nth from entry
      ) on session = id
      group by id
    ) where max(length, had) > held or had <> length
    union all
    select null, 0, null, 0, count(*) from entry where session not in (select id from session);
`;

/**
 * Makes the rows fit each other: no conversation has a gap, and nothing belongs to nothing. The
 * messages behind a gap become a conversation to read.
 */
const CLOSED = `
  insert into session (id, root, label, imported, at, updated_at, confirmed, watermark, noted,
      length, state, revision)
    select rest, root, null, 1, at, updated_at, behind, behind, behind, behind,
      '{}', 1 from session join gap using (id) where behind > 0;
  update entry set session = place.session, position = place.position, anchor = null
    from (select entry.row, rest as session,
        row_number() over (partition by id order by position) - 1 as position
      from entry join gap on id = session and position >= whole) place
    where entry.row = place.row;
  update session set length = whole, revision = revision + 1,
    confirmed = min(confirmed, whole), watermark = min(watermark, whole), noted = min(noted, whole)
    from gap where gap.id = session.id;
  drop table gap;
  delete from entry where session not in (select id from session);
  delete from fold where up_to > coalesce((select length from session where id = fold.session), 0);
  delete from job where session not in (select id from session);
  delete from learnt where session not in (select id from session);
  delete from ended where session not in (select id from session);
  delete from aside where session not in (select id from session);
  delete from pin where session <> '' and session not in (select id from session);
  delete from memory where scope not in (select number from scope);
  delete from note where name = '${NO_INDEXES}';
`;

/**
 * SQLite's whole check of a file, which finds nothing in a sound one. It changes nothing. Throws
 * where the key does not fit.
 */
export function integrityOf(at: DatabaseAt): string[] {
  try {
    return asked(at, ({ values }) =>
      values<string>`pragma integrity_check`.filter((line) => line !== "ok"),
    );
  } catch (thrown) {
    if (isTidemarkError(thrown)) throw thrown;
    return [reasonOf(thrown)];
  }
}

/** No damage is seen, and the key fits. */
export function isUndamaged(at: DatabaseAt): boolean {
  try {
    return integrityOf(at).length === 0;
  } catch {
    return false;
  }
}

/** The reason a file does not open, where it is broken: not what a person has to settle. */
export function brokenBy(thrown: unknown): string | undefined {
  // A table or a column may be gone though its migration is noted.
  const known = /^SQLITE_(?:ERROR|CONSTRAINT|MISMATCH|FORMAT|IOERR_SHORT_READ)/;
  if (!isDamage(thrown) && !known.test(codeOf(thrown))) return undefined;
  return reasonOf(thrown instanceof TidemarkError ? (thrown.cause ?? thrown) : thrown);
}

/**
 * Has another process this database open? Of a file without a header that cannot be told: then no.
 */
export function isInUse(at: DatabaseAt): boolean {
  let database: Connection | undefined;
  try {
    database = connect(at, { fileMustExist: true, timeout: 0 });
    // A reader in WAL mode holds a share of the file as long as it is open.
    database.pragma("locking_mode = exclusive");
    database.exec("begin exclusive; rollback");
    return false;
  } catch (thrown) {
    return isBusy(thrown);
  } finally {
    database?.close();
  }
}
