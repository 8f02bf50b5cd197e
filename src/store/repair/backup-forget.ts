import { Database } from "../../model/installed.ts";
import { existsSync } from "node:fs";
import { asked, guarded, type Connection, valueOf, valuesOf } from "../sqlite/database.ts";

/** Conversations and pins of the roots `ofUser` names. */
interface OwnedHistory {
  readonly roots: readonly string[];
  readonly sessions: readonly string[];
  readonly messages: number;
}

export function ownedHistory(path: string, meant: (root: string) => boolean): OwnedHistory {
  if (!existsSync(path)) return { roots: [], sessions: [], messages: 0 };
  return asked(path, (database) => {
    const all = valuesOf<string>(
      database,
      "select root from session union select root from pin union select root from ledger",
    );
    const roots = all.filter(meant);
    const sessions = valuesOf<string>(
      database,
      "select id from session where root in (select value from json_each(?)) order by id",
      JSON.stringify(roots),
    );
    const messages = valueOf<number>(
      database,
      "select count(*) from entry where session in (select value from json_each(?))",
      JSON.stringify(sessions),
    );
    return { roots, sessions, messages };
  });
}

/** What is left of roots when their conversations are forgotten: pins, books, names. Rejects with "history". */
export function forgetRoots(path: string, roots: readonly string[]): void {
  rewritten(path, "history", (database) => {
    for (const root of roots)
      for (const table of ["pin", "ledger"])
        database.prepare(`delete from ${table} where root = ?`).run(root);
  });
}

/** What is left of a scope and of roots when their memories and turns are gone: names, words, counts. Rejects with "store". */
export function forgetNames(
  path: string,
  { scope, meant }: { scope: string; meant: (root: string) => boolean },
): void {
  rewritten(path, "store", (database) => {
    const number = valueOf(database, "select number from scope where name = ?", scope);
    if (number !== undefined) {
      for (const table of ["category_members", "category_term", "vector_category"])
        database.prepare(`delete from ${table} where scope = ?`).run(number);
      // The number is never given to another: its name alone goes.
      database
        .prepare("update scope set name = ? where number = ?")
        .run(`forgotten:${String(number)}`, number);
    }
    for (const { number: root, name } of database
      .prepare("select number, name from root")
      .all() as { number: number; name: string }[]) {
      if (!meant(name)) continue;
      database
        .prepare(
          "delete from turn_place where word in (select number from turn_word where root = ?)",
        )
        .run(root);
      for (const table of ["turn_word", "turn", "stretch"])
        database.prepare(`delete from ${table} where root = ?`).run(root);
      database.prepare("delete from root where number = ?").run(root);
    }
  });
}

/** In one transaction; then the whole file anew, so that no page keeps what stood on it. */
function rewritten(
  path: string,
  code: "history" | "store",
  work: (database: Connection) => void,
): void {
  if (!existsSync(path)) return;
  guarded(code, `${path} could not be cleared of what is forgotten`, () => {
    const database = new Database(path, { timeout: 0 });
    try {
      database.pragma("secure_delete = ON");
      database.transaction(() => work(database)).immediate();
      database.exec("vacuum");
      database.pragma("wal_checkpoint(TRUNCATE)");
    } finally {
      database.close();
    }
  });
}
