// Facts put in and their vectors sorted into cells: what a store costs before it is asked anything.
import { closeSync, fsyncSync, openSync, writeSync } from "node:fs";
import { join } from "node:path";
import { performance } from "node:perf_hooks";
import { sameness } from "../../src/memory/sameness/canonical.ts";
import type { Scope } from "../../src/model/identity.ts";
import type { Change, Store } from "../../src/model/store.ts";
import { percentile, round } from "../support.ts";
import { stopwatch } from "./own-time.ts";

export const NOW = 1_770_000_000_000;
const BATCH = 500;
const LOG_EVERY = 50_000;

export const breathe = (): Promise<void> => new Promise((resolve) => setImmediate(resolve));
export const say = (text: string): unknown => process.stderr.write(`${text}\n`);
export const idOf = (at: number): string => `m${String(at).padStart(9, "0")}`;
export const spread = (times: readonly number[]) => ({
  p50: percentile(times, 0.5),
  p95: percentile(times, 0.95),
  longest: round(Math.max(...times)),
});

const change = (at: number, content: string, scope: Scope): Change => ({
  do: "insert",
  row: {
    memory: {
      id: idOf(at),
      content,
      scope,
      kind: "fact",
      category: `c${at % 7}`,
      importance: 0.5,
      source: "manual",
      origin: "host",
      tags: [],
      at: NOW - at,
      updatedAt: NOW - at,
      uses: 0,
      version: 1,
    },
    statedAt: NOW - at,
    validFrom: NOW - at,
    same: sameness(content),
  },
});

export async function load(
  store: Store,
  texts: Iterable<string>,
  {
    scopeOf,
    vectorOf,
  }: { scopeOf: (at: number) => Scope; vectorOf: (text: string, at: number) => Float32Array },
) {
  const begun = performance.now();
  let [at, batch] = [0, [] as { text: string; at: number }[]];
  const flush = async (): Promise<void> => {
    if (!(await store.put(batch.map((entry) => change(entry.at, entry.text, scopeOf(entry.at))))))
      throw new Error(`Two of the facts before ${at} are the same.`);
    await store.vectors.put(
      batch.map((entry) => ({
        id: idOf(entry.at),
        version: 1,
        vector: vectorOf(entry.text, entry.at),
      })),
    );
    batch = [];
  };
  for (const text of texts) {
    batch.push({ text, at: at++ });
    if (batch.length === BATCH) await flush();
    if (at % LOG_EVERY === 0) say(`${at} in ${Math.round((performance.now() - begun) / 1000)} s`);
  }
  if (batch.length > 0) await flush();
  const seconds = (performance.now() - begun) / 1000;
  return { seconds: round(seconds), perSecond: Math.round(at / seconds) };
}

/** All background work on the cells, slice by slice: what the event loop feels of it. */
export async function settle(store: Store) {
  const [slices, own]: [number[], number[]] = [[], []];
  const begun = performance.now();
  for (;;) {
    const stop = stopwatch();
    const more = await store.vectors.tend();
    const took = stop();
    slices.push(took.ms);
    own.push(took.own);
    if (!more) break;
    await breathe();
    if (slices.length % 20_000 === 0)
      say(`${slices.length} slices in ${Math.round((performance.now() - begun) / 1000)} s`);
  }
  const of = (times: readonly number[]) => ({ ...spread(times), p999: percentile(times, 0.999) });
  return {
    slices: slices.length,
    seconds: round((performance.now() - begun) / 1000),
    sliceMs: of(slices),
    sliceOwnMs: of(own),
  };
}

/** What one fsync of a line costs in this folder, now. */
export function fsyncCost(folder: string, times = 200) {
  const file = openSync(join(folder, "fsync"), "a");
  const took = Array.from({ length: times }, () => {
    const from = performance.now();
    writeSync(file, "a line of a daily log\n");
    fsyncSync(file);
    return performance.now() - from;
  });
  closeSync(file);
  return spread(took);
}
