import type { HistorySql } from "./message-rows.ts";

/** Places that name an entry, and whether a range starts or ends there. */
const STEPS = [
  ["entry", "position", "starts"],
  ["aside", "before", "starts"],
  ...["learnt", "job"].flatMap((table) => [
    [table, "first", "starts"],
    [table, "last", "ends"],
  ]),
].flatMap(([table = "", column = "", list = ""]) => [
  `update ${table} set ${table === "entry" ? "row = @number + moved.key + 1, " : ""}
     ${column} = -1 - moved.value from json_each(@${list}) moved
   where session = @session and ${column} = @from + moved.key`,
  `update ${table} set ${column} = -1 - ${column} where session = @session and ${column} < 0`,
]);
const EMPTY = "delete from job where session = @session and first = last";

/**
 * Entries move, and so does what names their places. What moved is read anew by the search index.
 * Each steps aside first, so that none meets another on its way.
 */
export function shiftEntries(
  { run }: HistorySql,
  given: { session: string; from: number; number: number; places: readonly number[] },
): void {
  const { places, ...place } = given;
  // A range ends behind the last that stands of it.
  const ends = places.map((next, at) => Math.min(next, (places[at - 1] ?? place.from - 1) + 1));
  const lists = { starts: JSON.stringify(places), ends: JSON.stringify(ends) };
  for (const step of [...STEPS, EMPTY]) run(step, { ...place, ...lists });
}
