import { Database } from "../../model/installed.ts";
import { existsSync } from "node:fs";
import { guarded, type Connection } from "../sqlite/database.ts";

/** Conversations and pins of the roots `ofUser` names. */
interface OwnedHistory {
  readonly roots: readonly string[];
  readonly sessions: readonly string[];
  readonly messages: number;
}

const rootsIn = (
  database: Connection,
  table: string,
  column: string,
  meant: (root: string) => boolean,
): string[] =>
  (database.prepare(`select distinct ${column} from ${table}`).pluck().all() as string[]).filter(
    meant,
  );

export function ownedHistory(path: string, meant: (root: string) => boolean): OwnedHistory {
  if (!existsSync(path)) return { roots: [], sessions: [], messages: 0 };
  const database = new Database(path, { readonly: true, timeout: 5000 });
  try {
    const roots = [
      ...new Set(
        ["session", "pin", "ledger"].flatMap((table) => rootsIn(database, table, "root", meant)),
      ),
    ];
    const asked = JSON.stringify(roots);
    const sessions = database
      .prepare("select id from session where root in (select value from json_each(?)) order by id")
      .pluck()
      .all(asked) as string[];
    const messages = database
      .prepare("select count(*) from entry where session in (select value from json_each(?))")
      .pluck()
      .get(JSON.stringify(sessions)) as number;
    return { roots, sessions, messages };
  } finally {
    database.close();
  }
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
    const number = database.prepare("select number from scope where name = ?").pluck().get(scope);
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
