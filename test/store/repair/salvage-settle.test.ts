import { describe, expect, it } from "vitest";
import { HISTORY_STEPS } from "../../../src/store/history/schema.ts";
import { settleHistory } from "../../../src/store/repair/salvage-settle.ts";
import { openDatabase, valuesOf } from "../../../src/store/sqlite/database.ts";

const ANN = '["ann"]';

/** A message of a conversation of which nothing else is left. */
function historyOfLost() {
  const database = openDatabase(":memory:", HISTORY_STEPS, "history");
  database.exec(`
    insert into body values (1, 'hash', '{}');
    insert into entry values (1, 'lost', 0, 'chain', 'content', 'skeleton', 'user', 0, null, 'head', null, null, 5, null, null, 1);
  `);
  return database;
}

describe("a conversation that was lost", () => {
  it("is mended though the search index, which may be damaged too, names two owners of it", () => {
    const database = historyOfLost();
    const owners = [
      ["lost", "lost"],
      ["lost", ANN],
    ] as const;
    expect(settleHistory(database, owners)).toMatchObject({ ownerless: 0, messages: 0 });
    expect(valuesOf(database, "select root from session")).toEqual([ANN]);
    database.close();
  });
});
