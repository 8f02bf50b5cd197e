// npm run bench -- fuzz [CASES] [FROM]: random cases against every place where words of others are read. A case is its target and its seed.
// "fuzz learning [CASES] [FROM]": those of skills, front matter and paths alone.
// Then a sweep: every reader of a text with hostile shapes, at a quarter of a megabyte and at one. "fuzz sweep": the sweep alone.
import { readFileSync } from "node:fs";
import { openTidemark } from "../src/index.ts";
import { PURE, whole } from "../test/support/fuzz.ts";
import { LEARNING } from "../test/support/fuzz-learning.ts";
import { fuzz, megabytes } from "../test/support/fuzz-run.ts";
import { SHAPES } from "../test/support/hostile-shapes.ts";
import { sweep } from "../test/support/sweep.ts";
import { readers } from "../test/support/sweep-readers.ts";
import { record, round } from "./support.ts";

const [first = "", second = "", third = ""] = process.argv.slice(2);
/** Cases of a whole Tidemark for each thousand of the pure ones: they are a hundred times as slow. */
const SHARE = 4;
/** Four times the text may take six times as long; the short lengths before only save the time of what is squared. */
const BOUNDS = { lengths: [4_000, 16_000, 64_000, 250_000, 1_000_000], most: 6, leastMs: 50 };

async function random(cases: number, from: number): Promise<Record<string, unknown>> {
  const started = performance.now();
  const pure = await fuzz(PURE, { cases, from });
  const tidemark = await openTidemark({
    workspace: false,
    distil: "extractive",
    embed: false,
    recall: {},
    window: { tokens: 200_000 },
  });
  const inside = await fuzz(whole(tidemark), { cases: Math.round((cases * SHARE) / 1_000), from });
  await tidemark.close();
  const long = megabytes(PURE);
  const crashes = [...pure.crashes, ...inside.crashes, ...long.crashes];
  const ran = { ...pure.ran, ...inside.ran, "a megabyte of one token": long.ran };
  const tried = Object.values(ran).reduce((sum, many) => sum + many, 0);
  return {
    seeds: `${from} and on`,
    tried,
    survived: tried - crashes.length,
    minutes: round((performance.now() - started) / 60_000),
    cases: ran,
    slowestMegabyte: long.slowest,
    crashes,
  };
}

async function learned(cases: number, from: number): Promise<Record<string, unknown>> {
  const started = performance.now();
  const { ran, crashes } = await fuzz(LEARNING, { cases, from });
  const long = megabytes(LEARNING, 100_000);
  return {
    seeds: `${from} and on`,
    minutes: round((performance.now() - started) / 60_000),
    cases: { ...ran, "a hundred kilobytes of one token": long.ran },
    slowest: long.slowest,
    crashes: [...crashes, ...long.crashes],
  };
}

async function swept(): Promise<Record<string, unknown>> {
  const { found, left } = await readers();
  const { pairs, slow } = await sweep(found, SHAPES, BOUNDS);
  return { readers: found.length, shapes: SHAPES.length, pairs, slow, handedNothingPlain: left };
}

/** What was measured before, where the sweep runs alone. */
const before = (): Record<string, unknown> =>
  (
    JSON.parse(readFileSync(new URL("results/fuzz.json", import.meta.url), "utf8")) as {
      figures: Record<string, unknown>;
    }
  ).figures;

if (first === "learning")
  record("fuzz", {
    ...before(),
    learning: await learned(Number(second || 300_000), Number(third || 1)),
  });
else {
  const figures =
    first === "sweep" ? before() : await random(Number(first || 1_000_000), Number(second || 1));
  record("fuzz", { learning: before()["learning"], ...figures, sweep: await swept() });
}
