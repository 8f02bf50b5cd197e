import type { HistoryDesk } from "./message-rows.ts";

/**
 * Entries move, and so does what names their places. What moved is read anew by the search index.
 * Each steps aside first, so that none meets another on its way.
 */
export function mover({ run }: HistoryDesk) {
  const steps = [
    ["entry", "position", "starts"],
    ["aside", "before", "starts"],
    ...["learnt", "job"].flatMap((table) => [
      [table, "first", "starts"],
      [table, "last", "ends"],
    ]),
  ].flatMap(([table = "", column = "", list = ""]) => [
    run(
      `update ${table} set ${table === "entry" ? "row = @number + moved.key + 1, " : ""}
         ${column} = -1 - moved.value from json_each(@${list}) moved
       where session = @session and ${column} = @from + moved.key`,
    ),
    run(
      `update ${table} set ${column} = -1 - ${column} where session = @session and ${column} < 0`,
    ),
  ]);
  const empty = run("delete from job where session = @session and first = last");
  return (given: { session: string; from: number; number: number; places: readonly number[] }) => {
    const { places, ...place } = given;
    // A range ends behind the last that stands of it.
    const ends = places.map((next, at) => Math.min(next, (places[at - 1] ?? place.from - 1) + 1));
    const lists = { starts: JSON.stringify(places), ends: JSON.stringify(ends) };
    for (const step of [...steps, empty]) step({ ...place, ...lists });
  };
}
