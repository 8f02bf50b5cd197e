import { present } from "../../core/base.ts";
import { ENDED, type EndedAsked, endedRow, type EndedRow, toTurn, TURNS } from "../history-port.ts";

import type { Parts } from "./shared-file.ts";
import type { HistorySql } from "./sql.ts";

/** A memory's id stands between two blanks. */
const HELD = "instr(' ' || %s || ' ', ' ' || @memory || ' ')";
const held = (column: string): string => HELD.replace("%s", column);

/** Rows from one that tells of the memory up to the next that says what is told. */
const TELLING = `with telling as materialized (
  select session, row as first, (select min(row) from ended next where next.session = one.session
    and next.row > one.row and told is not null) as last
  from ended one where told is not null and ${held("told")}
) `;
const TELLS = `exists (select 1 from telling where telling.session = e.session
  and e.row >= first and (last is null or e.row < last))`;

const TOLD = `coalesce(told, (select told from ended before where before.session = e.session
  and before.row < e.row and told is not null order by row desc limit 1))`;

const BARE = ENDED.replace("told, recalled", "'' as told, '' as recalled");

/** Turns as they were. */
export function endedTurns({ put, rows, run, value }: HistorySql) {
  const add = put("ended", ENDED);
  /** What the first that stays was told stood in a row that goes. */
  function trim(session: string): void {
    const first = value<number>`select row from ended where session = ${session}
      order by row desc limit 1 offset ${TURNS.kept - 1}`;
    if (first === undefined) return;
    run(`update ended as e set told = ${TOLD} where row = ?`, first);
    run`delete from ended where session = ${session} and row < ${first}`;
  }
  return {
    parts: {
      ended(turn) {
        const row = endedRow(turn);
        const last = value<string>`select told from ended
          where session = ${row.session} and told is not null order by row desc limit 1`;
        add({ ...row, told: row.told === last ? undefined : row.told });
        const number = value<number>`select last_insert_rowid()` ?? 0;
        if (number % TURNS.counted === 0) trim(row.session);
      },
    } satisfies Partial<Parts>,
    ended({ order, after, limit, bare, ...asked }: EndedAsked) {
      const { root, conversation, memory, since } = asked;
      const isLatest = order === "latest";
      const where = present([
        conversation !== undefined && "e.session = @conversation",
        root !== undefined && "e.session in (select id from session where root = @root)",
        since !== undefined && "at >= @since",
        after !== undefined && `e.row ${isLatest ? "<" : ">"} cast(@after as integer)`,
        memory !== undefined && `(${held("recalled")} or ${TELLS})`,
      ]);
      return rows<EndedRow & { number: number }>(
        `${memory === undefined ? "" : TELLING} select row as number,
           ${bare ? BARE : ENDED.replace("told", `${TOLD} as told`)} from ended e
         ${where.length === 0 ? "" : `where ${where.join(" and ")}`}
         order by e.row ${isLatest ? "desc" : ""} limit @limit`,
        { ...asked, after, limit },
      ).map(toTurn);
    },
  };
}
