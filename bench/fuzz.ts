// npm run bench -- fuzz [CASES] [FROM]: random cases against every place where words of others are read. A case is its target and its seed.
import { openTidemark } from "../src/index.ts";
import { PURE, whole } from "../test/support/fuzz.ts";
import { fuzz, megabytes } from "../test/support/fuzz-run.ts";
import { record, round } from "./support.ts";

const cases = Number(process.argv[2] ?? 1_000_000);
const from = Number(process.argv[3] ?? 1);
/** Cases of a whole Tidemark for each thousand of the pure ones: they are a hundred times as slow. */
const SHARE = 4;
const started = performance.now();
const pure = await fuzz(PURE, { cases, from });
const tidemark = await openTidemark({ workspace: false, distil: "extractive", embed: false, recall: {}, window: { tokens: 200_000 } });
const inside = await fuzz(whole(tidemark), { cases: Math.round((cases * SHARE) / 1_000), from });
await tidemark.close();
const long = megabytes(PURE);
const crashes = [...pure.crashes, ...inside.crashes, ...long.crashes];
const ran = { ...pure.ran, ...inside.ran, "a megabyte of one token": long.ran };
const tried = Object.values(ran).reduce((sum, many) => sum + many, 0);
record("fuzz", { seeds: `${from} and on`, tried, survived: tried - crashes.length, minutes: round((performance.now() - started) / 60_000), cases: ran, slowestMegabyte: long.slowest, crashes });
