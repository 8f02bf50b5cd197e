import { slices } from "../../base/async.ts";
import type { TurnIndex, TurnRow } from "../../model/turns.ts";
import { type Ask, askedAll } from "../sqlite/busy.ts";
import type { Desk } from "../sqlite/database.ts";
import { turnReader } from "./read.ts";
import { turnWriter } from "./write.ts";

/** Conversations taken out in one transaction: some ten milliseconds. */
const BATCH = 10;

/** Searchable turns, by root. `gone` is told how many rows were taken out. */
export function turnTable(
  desk: Desk,
  { ask, gone }: { ask: Ask; gone: (rows: number) => Promise<number> },
): TurnIndex {
  const { run, value, inOne } = desk;
  const write = turnWriter(desk);
  const cursor = value<number>("select row from cursor where name = 'history'");
  const setCursor = run(
    "insert into cursor (name, row) values ('history', ?) on conflict (name) do update set row = excluded.row",
  );
  const add = inOne((rows: readonly TurnRow[], last?: number): void => {
    write.add(rows);
    if (last !== undefined) setCursor(last);
  });
  const remove = inOne((sessions: readonly string[], of: { root?: string }): number =>
    sessions.reduce((sum, session) => sum + write.remove({ session, ...of }), 0),
  );

  return {
    ...askedAll(ask, "be read", { ...turnReader(desk), cursor: () => cursor() ?? 0 }),
    ...askedAll(ask, "be written", { add }),
    remove: ({ session, ...of }) => {
      const sessions = [session].flat();
      // A try that meets another process's lock half-way counts with the next one.
      let rows = 0;
      return ask("be written", async () => {
        for await (const { from, to } of slices(0, sessions.length, { size: BATCH, often: 1 }))
          rows += remove(sessions.slice(from, to), of);
        return gone(rows);
      });
    },
  };
}
