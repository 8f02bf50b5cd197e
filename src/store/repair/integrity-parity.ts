import { asked, valueOf } from "../sqlite/database.ts";

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
  return asked(path, (database) => {
    const number = (sql: string): number => valueOf<number | null>(database, sql) ?? 0;
    database.exec(
      "create virtual table temp.terms_of using fts5vocab(main, memory_index, instance)",
    );
    const model = "(select number from vector_model where current = 1)";
    return {
      values: number("select count(*) from memory where terms <> ''"),
      indexed: number(
        "select count(distinct doc) from temp.terms_of where doc in (select row from memory)",
      ),
      current: number("select count(*) from memory where valid_to is null"),
      vectors:
        number(`select ${model}`) === 0
          ? undefined
          : number(
              `select count(*) from vector v join memory m on m.row = v.row where m.valid_to is null and v.model = ${model}`,
            ),
      orphans:
        number(
          "select count(distinct doc) from temp.terms_of where doc not in (select row from memory)",
        ) +
        number("select count(*) from vector where row not in (select row from memory)") +
        number("select count(*) from turn where stretch not in (select number from stretch)") +
        number("select count(*) from turn_place where word not in (select number from turn_word)"),
      cursor: number("select row from cursor where name = 'history'"),
    };
  });
}

/** What a sound history.db has waiting: distilling to be done again, and messages behind a row. */
export const waitingIn = (path: string, behind: number): { jobs: number; unread: number } =>
  asked(path, (database) => ({
    jobs: valueOf(database, "select count(*) from job where id not like 'rest:%'"),
    unread: valueOf(database, "select count(*) from entry where row > ?", behind),
  }));
