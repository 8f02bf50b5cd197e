import {
  asked,
  isDamage,
  type Connection,
  valueOf,
  valuesOf,
  insertOf,
} from "../sqlite/database.ts";
import type { Row } from "./desk.ts";

/**
 * Takes conversations the backup has more of, and says how long they are. What was forgotten is in
 * no backup: forgetting takes them along.
 */
export function mergeBackup(target: Connection, backup: string): Map<string, number> {
  const taken = new Map<string, number>();
  try {
    return asked(backup, (source) => {
      const ids = valuesOf<string>(source, "select id from session order by id");
      return mergeSessions(source, target, ids, taken);
    });
  } catch (thrown) {
    // A backup that cannot be read to its end gives what it gave.
    if (!isDamage(thrown)) throw thrown;
    return taken;
  }
}

/**
 * Those of the conversations that `source` has more of, with what is pinned beside them. Answers
 * how long they are.
 */
export function mergeSessions(
  source: Connection,
  target: Connection,
  ids: readonly string[],
  taken = new Map<string, number>(),
): Map<string, number> {
  const lengthIn = (database: Connection, id: string): number =>
    valueOf<number | undefined>(database, "select length from session where id = ?", id) ?? -1;
  const silent = source.prepare(
    `select 1 from (select body from entry where session = @id union all select body from aside where session = @id)
     where body not in (select id from body)`,
  );
  for (const id of ids) {
    const more = lengthIn(source, id);
    // Of messages without their words nothing would be brought back.
    if (lengthIn(target, id) >= more || silent.get({ id }) !== undefined) continue;
    replaceSession(source, target, id);
    taken.set(id, more);
  }
  const pin = target.prepare(
    "insert or ignore into pin (id, root, session, text) values (@id, @root, @session, @text)",
  );
  const roots = valuesOf(
    source,
    "select distinct root from session where id in (select value from json_each(?))",
    JSON.stringify(ids),
  );
  for (const row of source
    .prepare("select * from pin where session = '' and root in (select value from json_each(?))")
    .all(JSON.stringify(roots)))
    pin.run(row);
  return taken;
}

function replaceSession(source: Connection, target: Connection, id: string): void {
  for (const table of ["entry", "aside", "fold", "job", "learnt", "pin"])
    target
      .prepare(`delete from ${table} where session = @id or session glob @id || '.*'`)
      .run({ id });
  target.prepare("delete from session where id = @id or id glob @id || '.*'").run({ id });
  const copy = (table: string, rows: Row[], leave: readonly string[] = []): void => {
    for (const row of rows) {
      const names = Object.keys(row).filter((name) => !leave.includes(name));
      target.prepare(insertOf(table, names)).run(row);
    }
  };
  const of = (table: string): Row[] =>
    source.prepare(`select * from ${table} where session = ?`).all(id) as Row[];
  copy("session", source.prepare("select * from session where id = ?").all(id) as Row[]);
  for (const table of ["entry", "aside"]) {
    const rows = of(table).map((row) => {
      const body = source.prepare("select * from body where id = ?").get(row.body) as Row;
      copy("body", [body], ["id"]);
      const number = valueOf(target, "select id from body where hash = ?", body.hash);
      const media = source
        .prepare("select m.* from body_media b join media m on m.hash = b.hash where b.body = ?")
        .all(row.body) as Row[];
      copy("media", media);
      copy(
        "body_media",
        media.map(({ hash }) => ({ body: number, hash })),
      );
      return { ...row, body: number };
    });
    copy(table, rows, ["row"]);
  }
  for (const table of ["fold", "job", "learnt", "pin"]) copy(table, of(table));
}
