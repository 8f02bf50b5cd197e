// What is remembered of labelled transcripts, by the judge that lies with them: without a model, and with one that says just
// what matters. Beside it the same judge on transcripts drawn anew each time (SEED), in the forms of the labelled ones and their
// shares, and the gap between the two; and single sentences drawn anew. Prints twenty of the lines for a person to read.
//   npm run bench -- memory [SEED]
import { execFileSync } from "node:child_process";
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { factsFound } from "../src/memory/extracting/extractive.ts";
import { readTranscript } from "../src/memory/extracting/transcript.ts";
import { anthropic } from "../src/providers/anthropic/messages.ts";
import { packed } from "../test/support/packed.ts";
import { record, round } from "./support.ts";
import { drawn } from "./support/drawn.ts";
import { MUSTS } from "./support/drawn/musts.ts";
import { WORDINGS, writeTranscripts } from "./support/drawn/transcripts.ts";

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

interface Missed {
  readonly name: string;
  readonly extractive: { readonly missed: readonly string[] };
}
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

const seed = Number(process.argv[2]) || Date.now();
const half = judged("--mode", "both", "--lines", lines);
const large = judged("--mode", "extractive", "--window", "200000");
const remembered = readFileSync(lines, "utf8")
  .split("\n")
  .filter((line) => line !== "");
const anew = judgedAnew();
rmSync(folder, { recursive: true, force: true });

/** Transcripts drawn of the seed, by the same judge; and which forms were kept how often. */
function judgedAnew(): Sums & Record<"wordings" | "forms", Record<string, string>> {
  const [sets, file] = [join(folder, "drawn"), join(folder, "drawn.json")];
  mkdirSync(sets);
  const all = writeTranscripts(sets, seed);
  const sums = judged("--gold-dir", sets, "--mode", "both", "--json", file);
  const missed = new Map(
    (JSON.parse(readFileSync(file, "utf8")) as Missed[]).map(({ name, extractive }) => [
      name,
      new Set(extractive.missed),
    ]),
  );
  const ids = all.flatMap(({ name, durable }) =>
    durable.map(({ id }) => ({ id, kept: missed.get(name)?.has(id) === false })),
  );
  const keptOf = (start: string, inside = ""): string =>
    share(
      ids.filter(({ id }) => id.startsWith(start) && id.includes(inside)).map(({ kept }) => kept),
    );
  const wordings = Object.fromEntries(WORDINGS.map((wording) => [wording, keptOf("", wording)]));
  const forms = MUSTS.map(({ form, of31 }) => [
    `${form}, ${of31} of 31`,
    WORDINGS.map((wording) => `${wording}: ${keptOf(`${form}, ${wording}`)}`).join("; "),
  ]);
  return { ...sums, wordings, forms: Object.fromEntries(forms) as Record<string, string> };
}

function share(kept: readonly boolean[]): string {
  return `${kept.filter(Boolean).length} of ${kept.length}`;
}

/** Each sentence in a chat of its own: how many are kept, and which differ from what is wished. */
function keptOfDrawn(): Record<string, unknown> {
  const isKept = (said: string): boolean => {
    const messages = ["Hi!", "Hello, how can I help?", said, "Noted."].map((content, at) => ({
      role: at % 2 === 0 ? "user" : "assistant",
      content,
    }));
    return factsFound(readTranscript(messages, anthropic), { factsFrom: 0 }).length > 0;
  };
  const { plain, noise, framed, moments } = drawn(seed);
  const wrong = [
    ...plain.filter((one) => !isKept(one)),
    ...[...noise, ...framed, ...moments].filter(isKept),
  ];
  const of = (all: readonly string[]): string => share(all.map(isKept));
  return {
    "said plainly, to be kept": of(plain),
    "of the moment, asked, wondered": of(noise),
    "nobody's: translated, played, passed on": of(framed),
    "of the moment, as in labelled transcripts": of(moments),
    wrong,
  };
}

const musts = ({ extractive }: Sums): number => extractive?.["must"] ?? Number.NaN;

record("memory", {
  seed,
  "without a model, musts kept: labelled, drawn, apart by": [
    musts(half),
    musts(anew),
    round(Math.abs(musts(half) - musts(anew))),
  ],
  "without a model, a window of half the transcript": half.extractive,
  "without a model, a window of 200,000 tokens": large.extractive,
  "without a model, transcripts drawn anew": {
    ...anew.extractive,
    "in the frame of the labelled sentence, in other words": anew.wordings,
    forms: anew.forms,
  },
  "without a model, sentences drawn anew: kept": keptOfDrawn(),
  "beside a model that says just what matters": half.model,
  "beside such a model, transcripts drawn anew": anew.model,
});
console.log("\nTwenty of the lines, as they stand:");
const step = Math.max(1, Math.floor(remembered.length / SHOWN));
for (const line of remembered.filter((_, at) => at % step === 0).slice(0, SHOWN))
  console.log(`- ${line.split("\t").at(-1)}`);
