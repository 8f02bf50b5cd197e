// What reading only some cells misses of what reading all would find.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import type { Scope } from "../../src/model/identity.ts";
import type { Store } from "../../src/model/store.ts";
import { openSqliteStore } from "../../src/store/open-index.ts";
import { clustered } from "../../test/support/vectors.ts";
import { round } from "../support.ts";
import { load, NOW, settle } from "./memory-speed-build.ts";

export const DIMENSIONS = 384;
const QUESTIONS = 40;

export const unit = (vector: Float32Array): Float32Array => {
  const length = Math.sqrt(vector.reduce((sum, value) => sum + value * value, 0)) || 1;
  return vector.map((value) => value / length);
};

/** All vectors one after the other; every `step`-th belongs to the scope that is asked. */
export interface Kept {
  readonly vectors: Float32Array;
  readonly step: number;
}

function leastOfTen({ vectors, step }: Kept, question: Float32Array): number {
  const best: number[] = [];
  for (let at = 0; at < vectors.length; at += step * DIMENSIONS) {
    let sum = 0;
    for (let index = 0; index < DIMENSIONS; index += 1)
      sum += vectors[at + index]! * question[index]!;
    if (best.length === 10 && sum <= best[9]!) continue;
    best.push(sum);
    best.sort((one, other) => other - one);
    best.length = Math.min(10, best.length);
  }
  return best.at(-1) ?? 0;
}

/** The share of the truly nearest ten that the index finds. Of equals any will do. */
export async function againstExact(
  store: Store,
  kept: Kept,
  { scope, questions }: { scope: Scope; questions: readonly Float32Array[] },
): Promise<number> {
  let found = 0;
  const asked = questions.slice(0, QUESTIONS).map(unit);
  for (const vector of asked) {
    const near = await store.vectors.nearest({ scopes: [scope], now: NOW, limit: 10, vector });
    if (new Set(near.map(({ memory }) => memory.id)).size !== near.length)
      throw new Error("an id twice");
    const least = leastOfTen(kept, vector) - 1e-5;
    found += near.filter(({ cosine }) => cosine >= least).length;
  }
  return round(found / (10 * asked.length));
}

/** The same on vectors around 200 middles, asked for what lies half way off a vector. */
export async function onClusters(total: number): Promise<number> {
  const home = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
  const store = openSqliteStore(join(home, "index.db"));
  await store.vectors.use({ name: "synthetic", dimensions: DIMENSIONS });
  const made = clustered(total, { dimensions: DIMENSIONS, groups: 200, spread: 0.9 }).map(unit);
  await load(
    store,
    Array.from({ length: total }, (_, index) => `fact ${index}`),
    { scopeOf: () => "user:0", vectorOf: (_, index) => made[index]! },
  );
  await settle(store);
  const vectors = new Float32Array(total * DIMENSIONS);
  made.forEach((vector, index) => vectors.set(vector, index * DIMENSIONS));
  const noise = clustered(QUESTIONS, {
    dimensions: DIMENSIONS,
    groups: QUESTIONS,
    spread: 0,
    seed: 9,
  }).map(unit);
  const questions = noise.map((vector, index) =>
    made[(index * 977) % total]!.map((value, place) => value + 0.5 * vector[place]!),
  );
  const found = await againstExact(store, { vectors, step: 1 }, { scope: "user:0", questions });
  await store.close();
  rmSync(home, { recursive: true });
  return found;
}
