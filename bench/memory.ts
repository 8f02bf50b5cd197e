// What is remembered of labelled transcripts, by the judge that lies with them: without a model, and with one that says just
// what matters; and of sentences drawn anew each time (a seed of their own: SEED). Prints twenty of the lines for a person to read.
//   npm run bench -- memory [SEED]
import { execFileSync } from "node:child_process";
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { factsFound } from "../src/memory/extracting/extractive.ts";
import { readTranscript } from "../src/memory/extracting/transcript.ts";
import { anthropic } from "../src/providers/anthropic/messages.ts";
import { packed } from "../test/support/packed.ts";
import { record } from "./support.ts";
import { drawn } from "./support/drawn.ts";

const data = process.env["TIDEMARK_MEMORY_DATA"] ?? "../shared/data/memory";
const judge = join(data, "judge.mjs");
if (!existsSync(judge))
  throw new Error(
    `There is no ${judge}: name the folder of the labelled set in TIDEMARK_MEMORY_DATA.`,
  );

const SHOWN = 20;
const { project } = await packed();
const folder = mkdtempSync(join(tmpdir(), "tidemark-memory-"));
const lines = join(folder, "lines.tsv");

interface Sums {
  readonly extractive?: Record<string, number>;
  readonly model?: Record<string, number>;
}

function judged(...args: readonly string[]): Sums {
  const said = execFileSync(
    process.execPath,
    ["--no-warnings", judge, "--pkg", project, "--sums", ...args],
    { encoding: "utf8", maxBuffer: 64 << 20 },
  );
  const last = said.trim().split("\n").at(-1) ?? "{}";
  return JSON.parse(last) as Sums;
}

const half = judged("--mode", "both", "--lines", lines);
const large = judged("--mode", "extractive", "--window", "200000");
const remembered = readFileSync(lines, "utf8")
  .split("\n")
  .filter((line) => line !== "");
rmSync(folder, { recursive: true, force: true });

/** Each sentence in a chat of its own: how many are kept, and which differ from what is wished. */
function keptOfDrawn(seed: number): Record<string, unknown> {
  const isKept = (said: string): boolean => {
    const messages = ["Hi!", "Hello, how can I help?", said, "Noted."].map((content, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content,
    }));
    return factsFound(readTranscript(messages, anthropic), { factsFrom: 0 }).length > 0;
  };
  const { wanted, noise, framed } = drawn(seed);
  const wrong = [...wanted.filter((one) => !isKept(one)), ...[...noise, ...framed].filter(isKept)];
  const of = (all: readonly string[]): string => `${all.filter(isKept).length} of ${all.length}`;
  return { seed, wanted: of(wanted), noise: of(noise), framed: of(framed), wrong };
}

record("memory", {
  "without a model, sentences drawn anew: kept": keptOfDrawn(Number(process.argv[2]) || Date.now()),
  "without a model, a window of half the transcript": half.extractive,
  "without a model, a window of 200,000 tokens": large.extractive,
  "beside a model that says just what matters": half.model,
});
console.log("\nTwenty of the lines, as they stand:");
const step = Math.max(1, Math.floor(remembered.length / SHOWN));
for (const line of remembered.filter((_, at) => at % step === 0).slice(0, SHOWN))
  console.log(`- ${line.split("\t").at(-1)}`);
