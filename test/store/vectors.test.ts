import { mkdtempSync, readdirSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import Database from "better-sqlite3";
import { afterAll, describe, expect, it } from "vitest";
import { type Store } from "../../src/model/store.ts";
import { openMemoryStore } from "../support/memory-store/index.ts";
import { openSqliteStore } from "../../src/store/open-index.ts";
import { quantised, unit } from "../../src/store/vectors/math.ts";
import {
  ADA,
  BOB,
  insert,
  NOW,
  stored,
  tendAll,
  vectorContract,
} from "../support/vector-contract.ts";
import { clustered, cosine } from "../support/vectors.ts";

const home = mkdtempSync(join(tmpdir(), "tidemark-vectors-"));
afterAll(() => rmSync(home, { recursive: true, force: true }));
let files = 0;
const file = (): string => join(home, `${(files += 1)}`, "index.db");

vectorContract("SQLite in memory", async () => openSqliteStore(":memory:"));
const TINY = { settle: 1, whole: 6, cap: 5, members: 2 };
vectorContract("SQLite, every vector in a cell, cells of a few", async () =>
  openSqliteStore(":memory:", { cells: TINY }),
);
vectorContract("the same without the extension", async () =>
  openSqliteStore(":memory:", { cells: TINY, extension: false }),
);
vectorContract("SQLite without the extension", async () =>
  openSqliteStore(":memory:", { extension: false }),
);
vectorContract("in memory, without a database", async () => openMemoryStore());

const DIMENSIONS = 32;
const MODEL = { name: "test", dimensions: DIMENSIONS };
const name = (at: number): string => `m${String(at).padStart(5, "0")}`;

async function fill(store: Store, vectors: readonly Float32Array[], from = 0): Promise<void> {
  await store.put(vectors.map((_, at) => insert(name(from + at), { category: `c${at % 3}` })));
  await store.vectors.put(
    vectors.map((vector, at) => ({ id: name(from + at), version: 1, vector })),
  );
}

async function recallAgainstExact(
  store: Store,
  vectors: readonly (Float32Array | undefined)[],
  questions: readonly Float32Array[],
): Promise<number> {
  let found = 0;
  for (const question of questions) {
    const truly = vectors
      .flatMap((vector, at) =>
        vector === undefined ? [] : [{ id: name(at), near: cosine(vector, question) }],
      )
      .sort((one, other) => other.near - one.near)
      .slice(0, 10)
      .map(({ id }) => id);
    const ids = (
      await store.vectors.nearest({ scopes: [ADA], now: NOW, limit: 10, vector: question })
    ).map(({ memory }) => memory.id);
    expect(new Set(ids).size).toBe(ids.length);
    found += truly.filter((id) => ids.includes(id)).length;
  }
  return found / (10 * questions.length);
}

describe("hidden cells of a large scope", () => {
  const vectors = clustered(7_000, { dimensions: DIMENSIONS, groups: 60 });
  const questions = clustered(7_030, { dimensions: DIMENSIONS, groups: 60 }).slice(-30);

  it("are read in part and find 0.95 and more of what reading all finds, while they change too", async () => {
    const path = file();
    const store = openSqliteStore(path);
    await store.vectors.use(MODEL);
    await fill(store, vectors.slice(0, 4_000));
    await tendAll(store);
    expect(
      await recallAgainstExact(store, vectors.slice(0, 4_000), questions),
      "one cell is read whole",
    ).toBe(1);
    await fill(store, vectors.slice(4_000), 4_000);
    for (let slices = 0; await store.vectors.tend(); slices += 1)
      if (slices % 40 === 0)
        expect(
          await recallAgainstExact(store, vectors, questions.slice(0, 2)),
          `after ${slices} slices`,
        ).toBeGreaterThanOrEqual(0.9);
    expect(await recallAgainstExact(store, vectors, questions)).toBeGreaterThanOrEqual(0.95);
    const gone = vectors.map((vector, at) => (at % 3 === 0 ? undefined : vector));
    await store.remove(
      vectors.flatMap((_, at) => (at % 3 === 0 ? [name(at)] : [])),
      [ADA],
    );
    expect(await recallAgainstExact(store, gone, questions)).toBeGreaterThanOrEqual(0.95);
    await store.close();
    const database = new Database(path, { readonly: true });
    expect(database.prepare("select count(*) from vector_cell").pluck().get()).toBeGreaterThan(10);
    expect(
      database
        .prepare(
          "select count(*) from vector v where cell > 0 and not exists (select 1 from vector_cell c where c.cell = v.cell)",
        )
        .pluck()
        .get(),
    ).toBe(0);
    expect(
      database
        .prepare(
          "select count(*) from vector_cell c where members <> (select count(*) from vector v where v.cell = c.cell)",
        )
        .pluck()
        .get(),
    ).toBe(0);
    database.close();
  });

  it("go on being made where an ended process left them, with every vector in its place", async () => {
    const path = file();
    let store = openSqliteStore(path);
    await store.vectors.use(MODEL);
    await fill(store, vectors);
    for (let life = 0; life < 6; life += 1) {
      for (let slices = 0; slices < 60; slices += 1) await store.vectors.tend();
      await store.close();
      store = openSqliteStore(path);
      await store.vectors.use(MODEL);
      expect(
        await recallAgainstExact(store, vectors, questions.slice(0, 3)),
      ).toBeGreaterThanOrEqual(0.9);
    }
    await tendAll(store);
    expect(await recallAgainstExact(store, vectors, questions)).toBeGreaterThanOrEqual(0.95);
    await store.close();
  });

  it("take many that come at once as what they will be: each is moved once or twice, few in one slice, and found all the while", async () => {
    const path = file();
    const store = openSqliteStore(path, {
      cells: { settle: 16, whole: 500, cap: 120, members: 35 },
    });
    await store.vectors.use(MODEL);
    await fill(store, vectors.slice(0, 3_000));
    const database = new Database(path, { readonly: true });
    const cellOf = database.prepare("select row, cell from vector").raw();
    let before = new Map(cellOf.all() as [number, number][]);
    let moves = 0;
    for (let slices = 0; await store.vectors.tend(); slices += 1) {
      const after = new Map(cellOf.all() as [number, number][]);
      const moved = [...after].filter(([row, cell]) => before.get(row) !== cell).length;
      expect(moved).toBeLessThanOrEqual(32);
      [moves, before] = [moves + moved, after];
      if (slices % 50 === 0)
        expect(
          await recallAgainstExact(store, vectors.slice(0, 3_000), questions.slice(0, 2)),
          `after ${slices} slices`,
        ).toBeGreaterThanOrEqual(0.9);
    }
    expect(moves).toBeLessThanOrEqual(2 * 3_000);
    expect(
      await recallAgainstExact(store, vectors.slice(0, 3_000), questions),
    ).toBeGreaterThanOrEqual(0.95);
    expect(
      database.prepare("select max(members) from vector_cell").pluck().get(),
    ).toBeLessThanOrEqual(120);
    database.close();
    await store.close();
  });

  it("are made of one that an earlier version let grow far too large", async () => {
    const path = file();
    const store = openSqliteStore(path, {
      cells: { settle: 16, whole: 6_000, cap: 200, members: 70 },
    });
    await store.vectors.use(MODEL);
    await fill(store, vectors.slice(0, 4_000));
    await tendAll(store);
    const database = new Database(path);
    expect(database.prepare("select count(*) from vector_cell").pluck().get()).toBe(1);
    database.prepare("update vector_cell set cap = 300").run();
    await tendAll(store);
    expect(
      await recallAgainstExact(store, vectors.slice(0, 4_000), questions),
    ).toBeGreaterThanOrEqual(0.95);
    expect(
      database.prepare("select max(members), count(*) > 10 from vector_cell").raw().get(),
    ).toEqual([expect.any(Number), 1]);
    database.close();
    await store.close();
  });

  it("come to an end where a count says more than there is", async () => {
    const path = file();
    const store = openSqliteStore(path, { cells: TINY });
    await store.vectors.use(MODEL);
    await fill(store, vectors.slice(0, 40));
    await tendAll(store);
    const database = new Database(path);
    database.prepare("update vector_scope set fresh = 100000").run();
    database
      .prepare(
        "insert into vector_cell (model, scope, cap, members) select model, scope, 5, 900 from vector_scope",
      )
      .run();
    await tendAll(store);
    expect(database.prepare("select fresh from vector_scope").pluck().get()).toBe(0);
    expect(await recallAgainstExact(store, vectors.slice(0, 40), questions)).toBeGreaterThanOrEqual(
      0.95,
    );
    database.close();
    await store.close();
  });

  it("let nothing else wait: other work comes in between the parts of one search", async () => {
    const store = openSqliteStore(":memory:", { extension: false });
    await store.vectors.use(MODEL);
    await fill(store, vectors);
    let turns = 0;
    let done = false;
    const count = (): void => {
      turns += 1;
      if (!done) setImmediate(count);
    };
    setImmediate(count);
    await store.vectors.nearest({ scopes: [ADA], now: NOW, limit: 10, vector: questions[0]! });
    done = true;
    expect(turns).toBeGreaterThanOrEqual(5);
    await store.close();
  });
});

describe("a machine without sqlite-vec", () => {
  it("finds the same, says why it is slow, and leaves the index right for a machine that has it", async () => {
    const path = file();
    const vectors = clustered(600, { dimensions: DIMENSIONS });
    const questions = clustered(620, { dimensions: DIMENSIONS }).slice(-20);
    const first = openSqliteStore(path);
    await first.vectors.use(MODEL);
    expect(first.vectors.handicap()).toBeUndefined();
    await fill(first, vectors.slice(0, 400));
    await tendAll(first);
    await first.close();

    const second = openSqliteStore(path, { extension: false });
    await second.vectors.use(MODEL);
    expect(second.vectors.handicap()).toMatch(/switched off/);
    await fill(second, vectors.slice(400), 400);
    await second.remove(
      Array.from({ length: 100 }, (_, at) => name(at)),
      [ADA],
    );
    await second.put([{ do: "amend", row: stored(name(200), { category: "moved" }), was: 1 }]);
    await second.put([{ do: "end", id: name(201), was: 1, at: NOW }]);
    await tendAll(second);
    const left = vectors.map((vector, at) => (at < 100 || at === 201 ? undefined : vector));
    expect(await recallAgainstExact(second, left, questions)).toBe(1);
    await second.close();

    const third = openSqliteStore(path);
    await third.vectors.use(MODEL);
    expect(await recallAgainstExact(third, left, questions)).toBe(1);
    await tendAll(third);
    expect(await recallAgainstExact(third, left, questions)).toBe(1);
    expect(
      (
        await third.vectors.nearest({
          scopes: [ADA],
          now: NOW,
          limit: 5,
          category: "moved",
          vector: vectors[200]!,
        })
      ).map(({ memory }) => memory.id),
    ).toEqual([name(200)]);
    await third.close();
  });
});

describe("vectors in a file", () => {
  it("leave no byte of what was forgotten, neither exact nor in the index", async () => {
    const path = file();
    const store = openSqliteStore(path);
    await store.vectors.use(MODEL);
    const vectors = clustered(300, { dimensions: DIMENSIONS });
    await fill(store, vectors);
    await tendAll(store);
    const secret = unit(vectors[7]!);
    const traces = [Buffer.from(secret.buffer), Buffer.from(quantised(secret).buffer)];
    const everywhere = (): Buffer =>
      Buffer.concat(
        readdirSync(join(path, "..")).map((own) => readFileSync(join(path, "..", own))),
      );
    expect(traces.map((trace) => everywhere().includes(trace))).toEqual([true, true]);
    expect(await store.remove([name(7)], [ADA])).toBe(1);
    expect(traces.map((trace) => everywhere().includes(trace))).toEqual([false, false]);
    await store.close();
  });

  it.each([384, 3072])("may have %i dimensions", async (dimensions) => {
    const store = openSqliteStore(":memory:");
    await store.vectors.use({ name: "wide", dimensions });
    const vectors = clustered(200, { dimensions, groups: 5 });
    await fill(store, vectors);
    await tendAll(store);
    expect(await recallAgainstExact(store, vectors, vectors.slice(0, 5))).toBe(1);
    await store.close();
  });

  it("are those of the model last put in use: another process with another model finds and stores nothing", async () => {
    const path = file();
    const [one, other] = [openSqliteStore(path), openSqliteStore(path)];
    await one.vectors.use(MODEL);
    const vectors = clustered(5, { dimensions: DIMENSIONS });
    await fill(one, vectors);
    await other.vectors.use({ name: "newer", dimensions: 8 });
    const ask = (store: Store, dimensions: number) =>
      store.vectors.nearest({
        scopes: [ADA],
        now: NOW,
        limit: 5,
        vector: new Float32Array(dimensions).fill(1),
      });
    expect(await ask(one, DIMENSIONS)).toEqual([]);
    expect(await one.vectors.missing(9)).toEqual([]);
    await one.vectors.put([{ id: name(0), version: 1, vector: vectors[1]! }]);
    expect(await ask(other, 8)).toEqual([]);
    expect((await other.vectors.missing(9)).length).toBe(5);
    await Promise.all([one.close(), other.close()]);
  });

  it("of a former model go when the present one has all of its own, and not before", async () => {
    const path = file();
    const store = openSqliteStore(path);
    await store.vectors.use(MODEL);
    await fill(store, clustered(300, { dimensions: DIMENSIONS }));
    await store.put([insert("theirs", { scope: BOB })]);
    await store.put([{ do: "end", id: name(3), was: 1, at: NOW }]);
    await tendAll(store);
    await store.vectors.use({ name: "newer", dimensions: 8 });
    await store.vectors.put(
      (await store.vectors.missing(100)).map((value) => ({
        ...value,
        vector: new Float32Array(8).fill(1),
      })),
    );
    await tendAll(store);
    await store.vectors.use(MODEL);
    expect(
      (await store.vectors.missing(500)).length,
      "the hundred that were embedded anew, and the one that never was",
    ).toBe(101);
    await store.vectors.use({ name: "newer", dimensions: 8 });
    for (;;) {
      const missing = await store.vectors.missing(100);
      if (missing.length === 0) break;
      await store.vectors.put(
        missing.map((value) => ({ ...value, vector: new Float32Array(8).fill(1) })),
      );
    }
    await tendAll(store);
    await store.close();
    const database = new Database(path, { readonly: true });
    expect(database.prepare("select name from vector_model").pluck().all()).toEqual(["newer"]);
    expect(
      database
        .prepare("select count(*) from sqlite_schema where name like 'vector_index_1%'")
        .pluck()
        .get(),
    ).toBe(0);
    database.close();
  });
});
