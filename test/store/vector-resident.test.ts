import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { deskOf } from "../../src/store/sqlite/database.ts";
import { fromBlob, quantised, toBlob, unit } from "../../src/store/vectors/math.ts";
import { openResidence } from "../../src/store/vectors/resident-vectors.ts";
import { runs } from "../support/runs.ts";
import { clustered } from "../support/vectors.ts";

const home = mkdtempSync(join(tmpdir(), "tidemark-resident-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));

const DIMENSIONS = 24;
const MODEL = { number: 1, name: "test", dimensions: DIMENSIONS, notes: null };
const POOL = clustered(50, { dimensions: DIMENSIONS }).map(unit);
const QUESTION = quantised(POOL[0] ?? new Float32Array(DIMENSIONS));
const dot = (one: Int8Array, other: Int8Array): number =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

function opened(path: string, most?: number) {
  const database = new Database(path);
  database.pragma("journal_mode = WAL");
  database.exec(
    "create table if not exists vector (row integer primary key, model integer, scope integer, cell integer, embedding blob)",
  );
  const put = database.prepare("insert or replace into vector values (?, 1, ?, 0, ?)");
  const drop = database.prepare("delete from vector where row = ? and scope = ?");
  const all = database.prepare("select row, embedding from vector where scope = ?");
  const residence = openResidence(deskOf(database), "vector", most);
  return {
    database,
    put(row: number, scope: number, pick: number) {
      put.run(row, scope, toBlob(POOL[pick] ?? new Float32Array(DIMENSIONS)));
      residence.changed(row, { model: 1, scope });
    },
    drop(row: number, scope: number) {
      drop.run(row, scope);
      residence.changed(row, { model: 1, scope });
    },
    async seen(scope: number): Promise<Map<number, number>> {
      const found = new Map<number, number>();
      await residence.scan(
        { model: MODEL, scope },
        {
          question: QUESTION,
          visit: (row, product) => found.set(row, product),
          pause: () => undefined,
        },
      );
      return found;
    },
    stored: (scope: number) =>
      new Map(
        (all.all(scope) as { row: number; embedding: Buffer }[]).map(({ row, embedding }) => [
          row,
          dot(QUESTION, quantised(fromBlob(embedding))),
        ]),
      ),
  };
}
const sorted = (map: Map<number, number>) => [...map].sort(([a], [b]) => a - b);

describe("vectors at hand", () => {
  const step = fc.record({
    by: fc.constantFrom("one" as const, "other" as const),
    act: fc.constantFrom("put", "put", "put", "drop", "ask", "fail"),
    row: fc.nat(30),
    pick: fc.nat(49),
  });

  it("are those of the database, whichever connection writes, and whatever is rolled back", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 60 }), async (steps) => {
        const path = join(mkdtempSync(join(home, "v-")), "index.db");
        const both = { one: opened(path), other: opened(path) };
        const owners = new Map<number, string>();
        for (const { by, act, row, pick } of steps) {
          const { database, put, drop, seen, stored } = both[by];
          const scope = 1 + (row % 2);
          // A row keeps its vector once another connection has read it: values are never changed in place there.
          const free = (owners.get(row) ?? by) === by;
          if (act === "put" && free) put(row, scope, pick);
          if (act === "put" && free) owners.set(row, by);
          if (act === "drop") drop(row, scope);
          if (act === "fail" && free)
            expect(() =>
              database.transaction(() => {
                put(row, scope, pick);
                throw new Error("rolled back");
              })(),
            ).toThrow("rolled back");
          if (act !== "ask") continue;
          const rows = [...(await seen(scope)).keys()].sort();
          expect(rows).toEqual([...stored(scope).keys()].sort());
        }
        const { seen, stored } = both.one;
        if (steps.every(({ by }) => by === "one"))
          for (const scope of [1, 2])
            expect(sorted(await seen(scope))).toEqual(sorted(stored(scope)));
        both.one.database.close();
        both.other.database.close();
      }),
      { numRuns: runs(100) },
    );
  });

  it("take no more room than there is: the scope not asked for the longest gives way, and what is too large is read", async () => {
    const { database, put, seen, stored } = opened(":memory:", 30 * DIMENSIONS);
    for (let row = 0; row < 50; row += 1) put(row, row < 20 ? 1 : row < 40 ? 2 : 3, row);
    for (const scope of [1, 2, 1, 3, 2])
      expect(sorted(await seen(scope))).toEqual(sorted(stored(scope)));
    for (let row = 50; row < 90; row += 1) put(row, 4, row % 50);
    expect(sorted(await seen(4))).toEqual(sorted(stored(4)));
    database.close();
  });

  it("are read by two questions at once as by one", async () => {
    const { database, put, seen, stored } = opened(":memory:");
    for (let row = 0; row < 50; row += 1) put(row, 1, row);
    const [first, second] = await Promise.all([seen(1), seen(1)]);
    expect([sorted(first), sorted(second)]).toEqual([sorted(stored(1)), sorted(stored(1))]);
    database.close();
  });
});
