import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import fc from "fast-check";
import { afterAll, describe, expect, it } from "vitest";
import { openSqliteStore } from "../../src/store/open-index.ts";
import { loadExtension } from "../../src/store/vectors/extension.ts";
import { openResidence, type Residence } from "../../src/store/vectors/resident.ts";
import { ADA, insert, NOW, tendAll } from "../support/vector-contract.ts";
import { clustered } from "../support/vectors.ts";
import { runs } from "../support/runs.ts";

const home = mkdtempSync(join(tmpdir(), "tidemark-resident-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
let files = 0;
const file = (): string => join(home, `${(files += 1)}.db`);

const DIMENSIONS = 24;
const PLACES = 8;
const vectorOf = (seed: number): Int8Array =>
  Int8Array.from(
    { length: DIMENSIONS },
    (_, at) => (((seed * 31 + at * 17) * 2654435761) >>> 24) - 128,
  );
const product = (one: Int8Array, other: Int8Array): number =>
  one.reduce((sum, value, at) => sum + value * (other[at] ?? 0), 0);

function opened(path: string) {
  const database = new Database(path);
  expect(loadExtension(database)).toBeUndefined();
  database.pragma("journal_mode = WAL");
  database.exec(
    `create virtual table if not exists v using vec0(row integer primary key, scope integer partition key, cell integer partition key, embedding int8[${DIMENSIONS}], chunk_size=${PLACES})`,
  );
  const add = database.prepare(
    "insert into v (row, scope, cell, embedding) values (?, ?, ?, vec_int8(?))",
  );
  const drop = database.prepare("delete from v where row = ?");
  return {
    database,
    add: (row: number, cell: number, vector: Int8Array) =>
      add.run(BigInt(row), 1n, BigInt(cell), vector),
    drop: (row: number) => drop.run(BigInt(row)),
  };
}

function seen(residence: Residence, cell: number, question: Int8Array): Map<number, number> {
  const found = new Map<number, number>();
  residence.scan(question, { scope: 1, cell }, (row, dot) => found.set(row, dot));
  return found;
}

describe("vectors at hand", () => {
  const step = fc.oneof(
    {
      weight: 4,
      arbitrary: fc.record({
        do: fc.constant("add" as const),
        cell: fc.integer({ min: 1, max: 3 }),
        seed: fc.nat(1_000),
        elsewhere: fc.boolean(),
      }),
    },
    {
      weight: 3,
      arbitrary: fc.record({
        do: fc.constant("drop" as const),
        which: fc.nat(1_000),
        elsewhere: fc.boolean(),
      }),
    },
    // Out of its place and, with another vector, into the same.
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant("anew" as const),
        which: fc.nat(1_000),
        seed: fc.nat(1_000),
      }),
    },
    {
      weight: 1,
      arbitrary: fc.record({
        do: fc.constant("undone" as const),
        cell: fc.integer({ min: 1, max: 3 }),
        seed: fc.nat(1_000),
      }),
    },
    { weight: 4, arbitrary: fc.record({ do: fc.constant("ask" as const), seed: fc.nat(1_000) }) },
  );

  it.each([
    ["all of them", 1 << 20],
    ["two chunks of them", 2 * PLACES * DIMENSIONS],
    ["none of them", 0],
  ])("are those in the database, whoever wrote them, with room for %s", (_, most) => {
    fc.assert(
      fc.property(fc.array(step, { minLength: 1, maxLength: 60 }), (steps) => {
        const path = file();
        const own = opened(path);
        const other = opened(path);
        const residence = openResidence(own.database, { name: "v", places: PLACES }, most);
        const standing = new Map<number, { cell: number; vector: Int8Array }>();
        let next = 1;
        const ask = (seed: number): void => {
          for (const cell of [1, 2, 3]) {
            const exact = [...standing]
              .filter(([, one]) => one.cell === cell)
              .map(([row, { vector }]): [number, number] => [row, product(vectorOf(seed), vector)]);
            expect(seen(residence, cell, vectorOf(seed))).toEqual(new Map(exact));
          }
        };
        for (const one of steps) {
          const rows = [...standing.keys()];
          if (one.do === "ask") ask(one.seed);
          else if (one.do === "add") {
            (one.elsewhere ? other : own).add(next, one.cell, vectorOf(one.seed));
            if (!one.elsewhere) residence.changed({ scope: 1, cell: one.cell, row: next });
            standing.set(next, { cell: one.cell, vector: vectorOf(one.seed) });
            next += 1;
          } else if (one.do === "undone") {
            own.database.exec("begin");
            own.add(next, one.cell, vectorOf(one.seed));
            residence.changed({ scope: 1, cell: one.cell, row: next });
            expect(
              residence.scan(vectorOf(1), { scope: 1, cell: one.cell }, () => expect.unreachable()),
            ).toBeUndefined();
            own.database.exec("rollback");
          } else if (rows.length > 0) {
            const row = rows[one.which % rows.length] ?? 0;
            const { cell } = standing.get(row) ?? { cell: 0 };
            const at = one.do === "drop" && one.elsewhere ? other : own;
            at.drop(row);
            if (at === own) residence.changed();
            standing.delete(row);
            if (one.do === "anew") {
              own.add(row, cell, vectorOf(one.seed));
              residence.changed({ scope: 1, cell, row });
              standing.set(row, { cell, vector: vectorOf(one.seed) });
            }
          }
        }
        ask(7);
        own.database.close();
        other.database.close();
      }),
      { numRuns: runs(20) },
    );
  });

  it("are not read again as long as nobody wrote", () => {
    const { database, add } = opened(file());
    const residence = openResidence(database, { name: "v", places: PLACES });
    for (let row = 1; row <= 20; row += 1) add(row, 1, vectorOf(row));
    const place = { scope: 1, cell: 1 };
    expect(residence.scan(vectorOf(1), place, () => undefined)).toBe(3);
    expect(residence.scan(vectorOf(2), place, () => undefined)).toBe(0);
    add(21, 1, vectorOf(21));
    residence.changed({ ...place, row: 21 });
    expect(
      residence.scan(vectorOf(2), place, () => undefined),
      "only the chunk that changed",
    ).toBe(1);
    database.close();
  });
});

describe("a search among vectors at hand", () => {
  it("finds what holds, however much of what is nearer has expired", async () => {
    const store = openSqliteStore(file(), {
      cells: { settle: 1, whole: 1_000, cap: 1_000, members: 300 },
    });
    await store.vectors.use({ name: "test", dimensions: DIMENSIONS });
    const vectors = clustered(200, { dimensions: DIMENSIONS, groups: 4 });
    await store.put(
      vectors.map((_, at) => insert(`m${at}`, at % 20 === 0 ? {} : { expiresAt: NOW + 10 })),
    );
    await store.vectors.put(vectors.map((vector, at) => ({ id: `m${at}`, version: 1, vector })));
    await tendAll(store);
    const near = async (now: number) =>
      (await store.vectors.nearest({ scopes: [ADA], now, limit: 8, vector: vectors[0]! })).map(
        ({ memory }) => memory.id,
      );
    expect(await near(NOW)).toHaveLength(8);
    const left = await near(NOW + 10);
    expect(left).toHaveLength(8);
    expect(left.every((id) => Number(id.slice(1)) % 20 === 0)).toBe(true);
    await store.close();
  });
});
