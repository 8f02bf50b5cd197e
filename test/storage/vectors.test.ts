import type { VectorStorage } from "../../src/storage/port.ts";
import { readdirSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openStorage } from "../../src/storage/sqlite/sqlite-storage.ts";
import { unit } from "../../src/core/vectors.ts";
import { ADA, NOW } from "../contracts/made.ts";
import { fill, name, recallAgainstExact, vectorContract } from "../support/vector-contract.ts";
import { clustered } from "../support/vectors.ts";
import { fileFolder } from "../support/afterwards.ts";

const home = fileFolder();
let files = 0;
const file = (): string => join(home, `${(files += 1)}`, "tidemark.db");

const NO_EXTENSION = {
  load: () => {
    throw new Error("no build for this system");
  },
};
vectorContract("SQLite, each compared", async () => openStorage(":memory:"));
vectorContract("SQLite, by signs", async () => openStorage(":memory:", { vectors: { few: 0 } }));
vectorContract("SQLite without the extension", async () =>
  openStorage(":memory:", { vectors: { few: 0, ...NO_EXTENSION } }),
);

const DIMENSIONS = 128;
const MODEL = { name: "test", dimensions: DIMENSIONS };

describe("a large scope", () => {
  const vectors = clustered(3_000, { dimensions: DIMENSIONS, groups: 40 });
  const questions = clustered(3_010, { dimensions: DIMENSIONS, groups: 40 }).slice(-10);

  it("is compared whole, while memories come and go in two processes", async () => {
    const path = file();
    const [one, other] = [openStorage(path), openStorage(path)];
    for (const store of [one, other]) await store.vectors.use(MODEL);
    await fill(one, vectors.slice(0, 2_200));
    const half = vectors.slice(0, 2_200);
    for (const store of [one, other])
      expect(await recallAgainstExact(store, half, questions)).toBeGreaterThanOrEqual(0.99);
    await fill(other, vectors.slice(2_200), { from: 2_200 });
    for (const store of [one, other])
      expect(await recallAgainstExact(store, vectors, questions)).toBeGreaterThanOrEqual(0.99);
    const gone = vectors.map((vector, at) => (at % 7 === 0 ? undefined : vector));
    await one.commit({
      gone: {
        memories: {
          ids: vectors.flatMap((_, at) => (at % 7 === 0 ? [name(at)] : [])),
          scopes: [ADA],
        },
      },
    });
    for (const store of [one, other])
      expect(await recallAgainstExact(store, gone, questions)).toBeGreaterThanOrEqual(0.99);
    await Promise.all([one.close(), other.close()]);
  });

  it("lets nothing else wait: other work comes in between the parts of one search", async () => {
    const store = openStorage(":memory:", { vectors: NO_EXTENSION });
    const wide = { name: "wide", dimensions: 1_024 };
    await store.vectors.use(wide);
    await fill(store, clustered(3_000, { dimensions: wide.dimensions, groups: 5 }));
    let turns = 0;
    let done = false;
    const count = (): void => {
      turns += 1;
      if (!done) setImmediate(count);
    };
    setImmediate(count);
    const vector = new Float32Array(wide.dimensions).fill(1);
    await store.vectors.nearest("memories", { scopes: [ADA], now: NOW, limit: 10, vector });
    done = true;
    expect(turns).toBeGreaterThanOrEqual(3);
    await store.close();
  });

  it("is compared one by one where the extension is missing, which is told once", async () => {
    const told: unknown[] = [];
    const store = openStorage(":memory:", {
      vectors: { ...NO_EXTENSION, missing: (thrown) => told.push(thrown) },
    });
    for (let at = 0; at < 2; at += 1) await store.vectors.use(MODEL);
    const some = vectors.slice(0, 2_200);
    await fill(store, some);
    expect(await recallAgainstExact(store, some, questions)).toBe(1);
    expect(told).toHaveLength(1);
    await store.close();
  });
});

describe("vectors in a file", () => {
  it("leave no byte of what was forgotten", async () => {
    const path = file();
    const store = openStorage(path);
    await store.vectors.use(MODEL);
    const vectors = clustered(300, { dimensions: DIMENSIONS });
    await fill(store, vectors);
    const secret = unit(vectors[7]!);
    const trace = Buffer.from(secret.buffer);
    const everywhere = (): Buffer =>
      Buffer.concat(
        readdirSync(join(path, "..")).map((own) => readFileSync(join(path, "..", own))),
      );
    expect(everywhere().includes(trace)).toBe(true);
    await store.commit({ gone: { memories: { ids: [name(7)], scopes: [ADA] } } });
    expect(everywhere().includes(trace)).toBe(false);
    await store.close();
  });

  it("are those of the model last put in use: another process with another model finds and stores nothing", async () => {
    const path = file();
    const [one, other] = [openStorage(path), openStorage(path)];
    await one.vectors.use(MODEL);
    const vectors = clustered(5, { dimensions: DIMENSIONS });
    await fill(one, vectors);
    await other.vectors.use({ name: "newer", dimensions: 8 });
    const ask = (store: VectorStorage, dimensions: number) =>
      store.vectors.nearest("memories", {
        scopes: [ADA],
        now: NOW,
        limit: 5,
        vector: new Float32Array(dimensions).fill(1),
      });
    expect(await ask(one, DIMENSIONS)).toEqual([]);
    expect(await one.vectors.missing("memories", 9)).toEqual([]);
    await one.commit({ vectors: { memories: [{ id: name(0), version: 1, vector: vectors[1]! }] } });
    expect(await ask(other, 8)).toEqual([]);
    expect((await other.vectors.missing("memories", 9)).length).toBe(5);
    await Promise.all([one.close(), other.close()]);
  });
});
