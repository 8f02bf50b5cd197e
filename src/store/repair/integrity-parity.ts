import { defined } from "../../base/guards.ts";
import { Database } from "../../model/installed.ts";

/** How many of each thing an index.db holds, side by side. */
interface Parity {
  /** Values with words, current and past, and those the term index knows. */
  readonly values: number;
  readonly indexed: number;
  readonly current: number;
  /** Vectors of current values; undefined while no embedder was ever used. */
  readonly vectors?: number;
  /** Rows whose memory or conversation is gone. */
  readonly orphans: number;
  /** The last row of history the search knows. */
  readonly cursor: number;
}

/** Reads a sound index.db and changes nothing. */
export function parityOf(path: string): Parity {
  const database = new Database(path, { readonly: true, fileMustExist: true, timeout: 5000 });
  try {
    const number = (sql: string): number =>
      (database.prepare(sql).pluck().get() as number | null) ?? 0;
    database.exec(
      "create virtual table temp.terms_of using fts5vocab(main, memory_index, instance)",
    );
    const model = database
      .prepare("select number from vector_model where current = 1")
      .pluck()
      .get() as number | undefined;
    return {
      values: number("select count(*) from memory where terms <> ''"),
      indexed: number(
        "select count(distinct doc) from temp.terms_of where doc in (select row from memory)",
      ),
      current: number("select count(*) from memory where valid_to is null"),
      ...defined({
        vectors:
          model === undefined
            ? undefined
            : (database
                .prepare(
                  "select count(*) from vector v join memory m on m.row = v.row where m.valid_to is null and v.model = ?",
                )
                .pluck()
                .get(model) as number),
      }),
      orphans:
        number(
          "select count(distinct doc) from temp.terms_of where doc not in (select row from memory)",
        ) +
        number("select count(*) from vector where row not in (select row from memory)") +
        number("select count(*) from turn where stretch not in (select number from stretch)") +
        number("select count(*) from turn_place where word not in (select number from turn_word)"),
      cursor: number("select row from cursor where name = 'history'"),
    };
  } finally {
    database.close();
  }
}

/** What a sound history.db has waiting: distilling to be done again, and messages behind a row. */
export function waitingIn(path: string, behind: number): { jobs: number; unread: number } {
  const database = new Database(path, { readonly: true, fileMustExist: true, timeout: 5000 });
  try {
    return {
      jobs: database
        .prepare("select count(*) from job where id not like 'rest:%'")
        .pluck()
        .get() as number,
      unread: database
        .prepare("select count(*) from entry where row > ?")
        .pluck()
        .get(behind) as number,
    };
  } finally {
    database.close();
  }
}
