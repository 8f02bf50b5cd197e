import { Database } from "../../model/installed.ts";
import { existsSync } from "node:fs";
import { guarded } from "../sqlite/database.ts";

/** Takes all turns out of an index.db, words and all, and leaves no byte of them in the file. Memories stay. Throws "store", also where another process writes. */
export function forgetAllTurns(path: string): void {
  if (!existsSync(path)) return;
  guarded("store", `${path} could not be cleared of the words of conversations`, () => {
    const database = new Database(path, { timeout: 0 });
    try {
      const there =
        database.prepare("select 1 from sqlite_schema where name = 'stretch'").get() !== undefined;
      if (
        !there ||
        (database
          .prepare("select (select count(*) from turn) + (select count(*) from turn_word)")
          .pluck()
          .get() as number) === 0
      )
        return;
      database.pragma("secure_delete = ON");
      database
        .transaction(() => {
          for (const table of ["turn_place", "turn_word", "turn", "stretch"])
            database.prepare(`delete from ${table}`).run();
          database.prepare("update root set turns = 0, words = 0, stretches = 0").run();
          database.prepare("delete from cursor where name = 'history'").run();
        })
        .immediate();
      database.exec("vacuum");
      database.pragma("wal_checkpoint(TRUNCATE)");
    } finally {
      database.close();
    }
  });
}
