import { type Job } from "../../model/history.ts";
import { type Connection } from "../sqlite/database.ts";
import { type Cells } from "./cells.ts";
import { type JobRow, toJob } from "./rows.ts";

/** What distilling still owes, as rows that several processes take work from. */
export function owedTable(database: Connection, cells: Cells) {
  const all = database.prepare(
    `select j.* from job j join session s on s.id = j.session
     where (@root is null or s.root = @root) and j.not_before <= @now order by j.not_before, j.id`,
  );
  // What was taken meanwhile keeps its moment, and a forgotten conversation owes nothing.
  const queue = database.prepare(
    `insert into job (id, session, first, last, attempts, error, not_before)
     select @id, id, @from, @to, 0, @error, @notBefore from session where id = @session
     on conflict (id) do update set
       last = excluded.last, not_before = min(not_before, excluded.not_before)
     where job.attempts = 0`,
  );
  const take = database.prepare(
    `update job set attempts = @attempts, not_before = @notBefore
     where id = @id and attempts = @was and not_before = @before`,
  );
  return {
    read: (root: string | undefined, now: number): Job[] =>
      (all.all({ root: root ?? null, now }) as JobRow[]).map((row) => toJob(cells, row)),
    queue: ({ id, session, from, to, error, notBefore }: Job): boolean =>
      queue.run({ id, session, from, to, notBefore, error: cells.put("error", error) }).changes > 0,
    take: ({ id, attempts, notBefore }: Job, next: Pick<Job, "attempts" | "notBefore">): boolean =>
      take.run({ id, was: attempts, before: notBefore, ...next }).changes > 0,
  };
}
