// npm run drill -- [PART …] [--calls N] [--kills N] [--after N] [--minutes N] [--processes N] [--turns N] [--within N] [--cases N] [--at-once N]
// Parts: writes (kills at every write), learning (at those of records, tasks, promotion and pages of conversations), random (kills at random instants), races (several processes), corruptions (damaged
// databases), files (damaged lines of logs, links), workers (eight on a PostgreSQL server, killed, cut off, the server restarted), cuts (a connection to it cut at every message on its wire), soak. All of them if none is named, the kills beside the others, and the results are made anew; --within bounds
// the kills of each to so many minutes, --at-once says how many run beside each other. What is found goes to
// bench/results/drill.json, with a summary that takes in the benches of hostile input; the exit code is 1 if anything was lost.
import { execFileSync, spawn } from "node:child_process";
import { once } from "node:events";
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { parseArgs } from "node:util";
import { boundariesOf, boundariesOfLearning, killAtRandom, killAtWrites } from "./crash.ts";
import { damageLines, plantLinks } from "./files.ts";
import { chance } from "./host.ts";
import { cuts } from "./cuts.ts";
import { race } from "./races.ts";
import { workers } from "./workers.ts";
import { soak, type SoakReport } from "./soak.ts";

const number = { type: "string" } as const;
const { values, positionals } = parseArgs({
  allowPositionals: true,
  options: {
    calls: number,
    kills: number,
    after: number,
    minutes: number,
    processes: number,
    turns: number,
    within: number,
    "at-once": number,
    cases: number,
  },
});
const given = (name: keyof typeof values, otherwise: number): number =>
  Number(values[name] ?? otherwise);
const PARTS = [
  "writes",
  "learning",
  "random",
  "races",
  "corruptions",
  "files",
  "workers",
  "cuts",
  "soak",
] as const;
type Part = (typeof PARTS)[number];

interface Result {
  readonly tried: number;
  readonly survived: number;
  readonly [figure: string]: unknown;
}

const within = given("within", Infinity) * 60_000;

/** The same order each time; what a bound leaves out is missing everywhere alike. */
function shuffled<T>(items: readonly T[]): T[] {
  const random = chance(1);
  return items
    .map((item) => ({ item, at: random() }))
    .sort((one, other) => one.at - other.at)
    .map(({ item }) => item);
}

const told = (line: string): void => console.error(line);

function placesOf(names: readonly string[]): string[] {
  const all = names.map((_, at) => at + 1);
  return [
    ...all.map((at) => `${at} before`),
    ...all.filter((at) => /writeFile/.test(names[at - 1] ?? "")).map((at) => `${at} half`),
    ...all.filter((at) => at % given("after", 1) === 0).map((at) => `${at} after`),
  ];
}

const DO: Record<Part, () => Promise<Result>> = {
  /** The same of what an agent learns by: records, tasks, promotion, pages of conversations. */
  async learning() {
    const names = await boundariesOfLearning();
    const places = placesOf(names);
    return {
      writes: names.length,
      places: places.length,
      ...(await killAtWrites("learning", shuffled(places), {
        told,
        within,
        atOnce: given("at-once", 2),
      })),
    };
  },
  /** Before each write; in the middle of those that can tear; and behind every n-th, which is before the next but for what the host knows. */
  async writes() {
    const calls = given("calls", 15);
    const { count, names } = await boundariesOf(calls);
    const places = placesOf(names);
    return {
      writes: count,
      places: places.length,
      ...(await killAtWrites(calls, shuffled(places), {
        told,
        within,
        atOnce: given("at-once", 2),
      })),
    };
  },
  random: async () => ({
    ...(await killAtRandom(given("kills", 500), { told, within, atOnce: given("at-once", 2) })),
  }),
  races: async () => ({
    ...(await race({ processes: given("processes", 8), minutes: given("minutes", 10) })),
  }),
  corruptions: () => Promise.resolve(corruptions(given("cases", 120))),
  async files() {
    const found = [await damageLines(given("cases", 300)), await plantLinks()];
    const sum = (of: "tried" | "survived"): number => found.reduce((all, one) => all + one[of], 0);
    return {
      tried: sum("tried"),
      survived: sum("survived"),
      broken: found.flatMap(({ broken }) => broken),
    };
  },
  workers: () =>
    workers({
      ...{ processes: given("processes", 8), minutes: given("minutes", 1) },
      kills: given("kills", 20),
    }),
  /** A connection cut at every message on the wire, or at every n-th where `--after` says so. */
  cuts: () => cuts({ step: given("after", 1), atOnce: given("at-once", 2), told }),
  async soak() {
    // Heap is measured behind a full collection, which a process has to be started for.
    if (globalThis.gc === undefined) {
      await once(
        spawn(
          process.execPath,
          [
            "--expose-gc",
            import.meta.filename,
            ...process.argv.slice(2).filter((word) => !PARTS.includes(word as Part)),
            "soak",
          ],
          { stdio: "inherit" },
        ),
        "close",
      );
      return (read().parts.soak ?? { tried: 0, survived: 0 }) as Result;
    }
    const report = await soak({
      turns: given("turns", 20_000),
      conversations: 200,
      length: 25,
      by: "model",
      told,
    });
    return { tried: report.turns, survived: flat(report) ? report.turns : 0, ...report };
  },
};

/** So many damaged files of each database, by the test that also runs a few of them in CI. */
function corruptions(cases: number): Result {
  const folder = mkdtempSync(join(tmpdir(), "tidemark-drill-"));
  const report = join(folder, "report");
  try {
    const env = { ...process.env, TIDEMARK_FAULTS: `${cases}`, TIDEMARK_FAULTS_REPORT: report };
    execFileSync(
      process.execPath,
      [
        join(import.meta.dirname, "..", "node_modules", "vitest", "vitest.mjs"),
        "run",
        "test/stories/faults.test.ts",
        "-t",
        "is used as far",
      ],
      { env, stdio: "ignore" },
    );
  } catch {
    // A case that failed is in the report.
  }
  const found = readFileSync(report, "utf8")
    .trim()
    .split("\n")
    .map(
      (line) =>
        JSON.parse(line) as {
          name: string;
          tried: number;
          survived: number;
          mended: number;
          broken: string[];
        },
    );
  rmSync(folder, { recursive: true });
  const sum = (of: "tried" | "survived" | "mended"): number =>
    found.reduce((all, one) => all + one[of], 0);
  return {
    tried: sum("tried"),
    survived: sum("survived"),
    mended: sum("mended"),
    broken: found.flatMap(({ broken }) => broken),
  };
}

/** What is promised of a process that runs for long. */
const flat = ({ heapGrowth, handleGrowth, troubles, unevenness }: SoakReport): boolean =>
  heapGrowth <= 10 && handleGrowth <= 0 && troubles === 0 && unevenness <= 25;

const FILE = join(import.meta.dirname, "..", "bench", "results", "drill.json");
interface File {
  command: string;
  node: string;
  parts: Record<string, unknown>;
}
function read(): File {
  const none: File = { command: "npm run drill", node: process.version, parts: {} };
  return existsSync(FILE) ? { ...none, ...(JSON.parse(readFileSync(FILE, "utf8")) as File) } : none;
}

async function play(part: string): Promise<void> {
  const known = PARTS.find((one) => one === part);
  if (known === undefined) {
    console.error(`There is no part ${part} of the drill; there are ${PARTS.join(", ")}.`);
    process.exit(2);
  }
  const started = performance.now();
  const result = await DO[known]();
  if (known === "soak" && globalThis.gc === undefined) return;
  const minutes = Math.round((performance.now() - started) / 6_000) / 10;
  const options = Object.entries(values)
    .map(([name, value]) => ` --${name} ${value}`)
    .join("");
  const file = read();
  file.node = process.version;
  file.parts[known] = { command: `npm run drill -- ${known}${options}`, took: minutes, ...result };
  writeFileSync(FILE, `${JSON.stringify(file, null, 2)}\n`);
}

async function inTurn(some: readonly string[]): Promise<void> {
  for (const part of some) await play(part);
}

if (positionals.length > 0) await inTurn(positionals);
else {
  // Of a whole run nothing older stays.
  rmSync(FILE, { force: true });
  await Promise.all([
    inTurn(["writes", "learning", "random"]),
    inTurn(["races", "corruptions", "files", "workers", "cuts", "soak"]),
  ]);
}

/** What each row of the summary is called, and where its figures stand. */
const ROWS: readonly (readonly [what: string, file: string, path: readonly string[]])[] = [
  ["killed at a write: before it, in its middle, behind it", "drill", ["parts", "writes"]],
  [
    "killed at a write of records, tasks, promotion, pages of conversations",
    "drill",
    ["parts", "learning"],
  ],
  ["killed at a random instant", "drill", ["parts", "random"]],
  ["checks while eight processes write for ten minutes", "drill", ["parts", "races"]],
  [
    "checks of eight workers on PostgreSQL, killed, cut off, restarted",
    "drill",
    ["parts", "workers"],
  ],
  ["checks of a connection cut at a message on its wire", "drill", ["parts", "cuts"]],
  ["databases cut off, overwritten, emptied", "drill", ["parts", "corruptions"]],
  ["lines of the log damaged, links in the place of our files", "drill", ["parts", "files"]],
  ["turns of 200 conversations in one process", "drill", ["parts", "soak"]],
  ["random input to every parser", "fuzz", ["figures"]],
  ["secrets, made up", "secrets", ["figures", "madeUp"]],
];

function rowOf([what, name, path]: (typeof ROWS)[number]) {
  const file = join(import.meta.dirname, "..", "bench", "results", `${name}.json`);
  const held: unknown = existsSync(file) ? JSON.parse(readFileSync(file, "utf8")) : undefined;
  const {
    tried = 0,
    survived,
    found,
  } = (path.reduce<unknown>(
    (value, key) => (value as Record<string, unknown> | undefined)?.[key],
    held,
  ) ?? {}) as { tried?: number; survived?: number; found?: number };
  return { what, tried, survived: survived ?? found ?? 0, lost: tried - (survived ?? found ?? 0) };
}

const table = ROWS.map(rowOf).filter(({ tried }) => tried > 0);
writeFileSync(FILE, `${JSON.stringify({ ...read(), summary: table }, null, 2)}\n`);
console.table(table);
// Of a whole run no row may be missing.
const complete = positionals.length > 0 || table.length === ROWS.length;
if (globalThis.gc === undefined)
  process.exitCode = complete && table.every(({ lost }) => lost === 0) ? 0 : 1;
