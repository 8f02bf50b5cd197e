// How long a recall takes among 100,000 memories of one scope, by words and by words and meaning,
// and how many of the truly nearest ten the scan by signs finds. Vectors lie as embeddings do, in
// clusters: a text belongs to one of a thousand middles and stands about it. "own" is the time
// without what the thread waited for a processor that other work had.
import { mkdirSync, mkdtempSync, rmSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { join } from "node:path";
import type { Scope } from "../../src/core/identity.ts";
import { openTidemark, type Options } from "../../src/index.ts";
import { sameness } from "../../src/memory/saving/same-and-category.ts";
import type { VectorStorage } from "../../src/storage/port.ts";
import { openStorage } from "../../src/storage/sqlite/sqlite-storage.ts";
import { unit } from "../../src/core/vectors.ts";
import { chance, clustered, cosine } from "../../test/support/vectors.ts";
import { percentile, round } from "../support.ts";
import { conversations, manyFacts } from "./facts.ts";
import { stopwatch } from "./own-time.ts";

const MANY = 100_000;
export const BATCH = 500;
const DIMENSIONS = 384;
const NOW = 1_770_000_000_000;
const SCOPE = "user:0" as const;
const middles = clustered(1_000, { dimensions: DIMENSIONS, groups: 1_000, spread: 0 });

function vectorOf(text: string): Float32Array {
  let seed = 2_166_136_261;
  for (const letter of text) seed = Math.imul(seed ^ (letter.codePointAt(0) ?? 0), 16_777_619);
  const random = chance(seed >>> 0);
  const middle = middles[Math.floor(random() * middles.length)] ?? new Float32Array(DIMENSIONS);
  // Even noise of deviation 0.9, since normal noise takes five times as long to make.
  return unit(middle.map((value) => value + 0.9 * Math.sqrt(12) * (random() - 0.5)));
}
export const embedder = {
  model: "clusters",
  dimensions: DIMENSIONS,
  embed: async (texts: readonly string[]) => texts.map((text) => vectorOf(text)),
};

export const memory = (content: string, at: number, scope: Scope = SCOPE) => ({
  do: "insert" as const,
  row: {
    memory: {
      ...{ id: `m${String(at).padStart(9, "0")}`, content, scope, kind: "fact" as const },
      ...{ category: `c${at % 7}`, importance: 0.5, source: "manual", origin: "host" as const },
      ...{ tags: [], at: NOW - at, updatedAt: NOW - at, uses: 0, version: 1 },
    },
    statedAt: NOW - at,
    validFrom: NOW - at,
    same: sameness(content),
  },
});

export async function fill(store: VectorStorage, many: number): Promise<Float32Array[]> {
  await store.vectors.use({ name: embedder.model, dimensions: DIMENSIONS });
  const kept: Float32Array[] = [];
  let batch: ReturnType<typeof memory>[] = [];
  for (const text of manyFacts(many)) {
    batch.push(memory(text, kept.length + batch.length));
    if (batch.length < BATCH) continue;
    await store.commit({ memories: batch });
    const vectors = batch.map(({ row: { memory: own } }) => ({
      ...{ id: own.id, version: 1, vector: vectorOf(own.content) },
    }));
    await store.commit({ vectors: { memories: vectors } });
    kept.push(...vectors.map(({ vector }) => vector));
    batch = [];
  }
  return kept;
}

export async function asked(place: Options, embed: typeof embedder | false, questions: string[]) {
  const tidemark = await openTidemark({
    ...{ ...place, embed, identity: { user: "0" }, now: () => NOW },
    listen: (event) => {
      if (event.type === "degraded") throw new Error(`${event.where}: ${event.error}`);
    },
  });
  for (const question of questions.slice(0, 40)) await tidemark.memory.recall(`${question} indeed`);
  // Once a week memory is consolidated behind.
  await tidemark.idle();
  const [own, clock]: [number[], number[]] = [[], []];
  for (const question of questions) {
    await new Promise((resolve) => setImmediate(resolve));
    const stop = stopwatch();
    await tidemark.memory.recall(question, { limit: 10 });
    const took = stop();
    own.push(took.own);
    clock.push(took.ms);
  }
  await tidemark.close();
  return {
    "own ms": { p50: percentile(own, 0.5), p95: percentile(own, 0.95) },
    "ms by the clock": { p50: percentile(clock, 0.5), p95: percentile(clock, 0.95) },
  };
}

export async function nearestTen(
  store: VectorStorage,
  kept: readonly Float32Array[],
  questions: string[],
) {
  await store.vectors.use({ name: embedder.model, dimensions: DIMENSIONS });
  let found = 0;
  for (const question of questions) {
    const vector = vectorOf(question);
    const near = await store.vectors.nearest("memories", {
      scopes: [SCOPE],
      now: NOW,
      limit: 10,
      vector,
    });
    const cosines = Float64Array.from(kept, (own) => cosine(own, vector)).sort();
    const least = (cosines.at(-10) ?? 1) - 1e-5;
    found += near.filter((hit) => hit.cosine >= least).length;
  }
  return round(found / (10 * questions.length));
}

export async function speed() {
  const workspace = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
  const index = join(workspace, ".tidemark", "tidemark.db");
  mkdirSync(join(workspace, ".tidemark"), { mode: 0o700 });
  const store = openStorage(index);
  const kept = await fill(store, MANY);
  const all = conversations().flatMap(({ questions }) => questions.map((one) => one.question));
  const questions = Array.from({ length: 200 }, (_, at) => all[(at * 13) % all.length] ?? "");
  const figures = {
    data: "LoCoMo's observations varied; vectors of 384 dimensions around 1,000 middles, spread 0.9",
    memories: kept.length,
    questions: questions.length,
    "load before": round(loadavg()[0] ?? 0),
    words: await asked({ workspace }, false, questions),
    "words and meaning": await asked({ workspace }, embedder, questions),
    "of the truly nearest ten": await nearestTen(store, kept, questions.slice(0, 40)),
  };
  await store.close();
  rmSync(workspace, { recursive: true });
  return figures;
}
