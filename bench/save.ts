// What a save and a fold ask of the disk: system calls before the answer and behind it, and how long a save takes beside the sync alone.
//   npm run bench -- save [OTHER_CHECKOUT]
// Counts come from strace, which has to be installed (apt-get install strace). OTHER_CHECKOUT, with its own node_modules, plays the same in the same run.
import { spawnSync } from "node:child_process";
import fs, { mkdtempSync, readFileSync, rmSync, statSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import { promisify } from "node:util";
import type { Tidemark } from "../src/index.ts";
import { median, percentile, record, round } from "./support.ts";

const TIMES = 10;
const TIMED = 150;
const ROUNDS = 3;
const MARK = "/tidemark-bench-mark/";
const WINDOW = 8_000;

/** Between two marks a trace tells apart what was called. */
const mark = (name: string): void => void fs.existsSync(MARK + name);
const home = (): string => mkdtempSync(join(tmpdir(), "tidemark-bench-"));
const fact = (n: number): string => `Boat ${n} lies at pier ${n * 3} until the ${n}th of May.`;

async function opened(tree: string, workspace: string): Promise<Tidemark> {
  const { openTidemark } = (await import(join(tree, "src/index.ts"))) as {
    openTidemark: (options: object) => Promise<Tidemark>;
  };
  const window = { tokens: WINDOW, patience: 30_000 };
  return openTidemark({ workspace, distil: "extractive", embed: false, cache: false, window });
}

/** ms until a host comes again: its model has to answer. */
const AWAY = 300;

/** Marks the work, which is answered, and what goes on behind the answer. */
async function marked(tidemark: Tidemark, name: string, work: () => Promise<unknown>) {
  await tidemark.idle();
  mark(`${name}`);
  await work();
  mark(`${name}, behind`);
  await tidemark.idle();
  await new Promise((resolve) => setTimeout(resolve, AWAY));
  mark("none");
}

/** A request over the mark at which messages fold. */
const talk = (n: number) => ({
  model: "claude-sonnet-5-5",
  max_tokens: 500,
  messages: Array.from({ length: 31 }, (_, at) => ({
    role: at % 2 === 0 ? "user" : "assistant",
    content: `${n}.${at}: ${"The harbour master asks where the boats lie tonight. ".repeat(15)}`,
  })),
});

async function traced(tree: string): Promise<void> {
  const folder = home();
  const tidemark = await opened(tree, folder);
  for (let n = 0; n < 5; n += 1) await tidemark.memory.save(fact(n));
  for (let n = 0; n < TIMES; n += 1)
    await marked(tidemark, "a save", () => tidemark.memory.save(fact(100 + n)));
  for (let n = 0; n < TIMES; n += 1)
    await marked(tidemark, "eight saves at once", () =>
      Promise.all(
        Array.from({ length: 8 }, (_, at) => tidemark.memory.save(fact(200 + n * 8 + at))),
      ),
    );
  let folds = 0;
  for (let n = 0; n < TIMES; n += 1)
    await marked(tidemark, "a fold", async () => {
      const turn = await tidemark.begin(talk(n));
      if (turn.folded !== undefined) folds += 1;
    });
  await tidemark.close();
  rmSync(folder, { recursive: true });
  if (folds !== TIMES) throw new Error(`${folds} of ${TIMES} requests were folded`);
}

/** ms of each save, and of a sync of as many bytes as a save adds to the log. */
async function timed(tree: string): Promise<void> {
  const folder = home();
  const tidemark = await opened(tree, folder);
  const log = (): number => statSync(join(folder, ".tidemark/tidemark.db-wal")).size;
  const before = ["index.db-wal", "history.db-wal"].some((name) =>
    fs.existsSync(join(folder, ".tidemark", name)),
  );
  for (let n = 0; n < 20; n += 1) await tidemark.memory.save(fact(n));
  await tidemark.idle();
  const start = before ? 0 : log();
  await tidemark.memory.save(fact(50));
  const bytes = Math.max(16_384, before ? 0 : log() - start);
  const file = fs.openSync(join(folder, "beside"), "a");
  const sync = promisify(fs.fdatasync);
  const [saves, syncs]: [number[], number[]] = [[], []];
  const time = async (list: number[], work: () => Promise<unknown>): Promise<void> => {
    const from = performance.now();
    await work();
    list.push(performance.now() - from);
  };
  for (let n = 0; n < TIMED; n += 1) {
    await time(saves, () => tidemark.memory.save(fact(100 + n)));
    await tidemark.idle();
    fs.writeSync(file, Buffer.alloc(bytes, n));
    await time(syncs, () => sync(file));
  }
  await tidemark.close();
  rmSync(folder, { recursive: true });
  console.log(JSON.stringify({ saves, syncs, bytes }));
}

const KINDS = { syncs: /^f(?:data)?sync\(/, opens: /^openat\(/, renames: /^rename/ };
type Counts = Record<keyof typeof KINDS, number>;

/** Calls a time, by what was marked. */
function countsOf(tree: string): Record<string, Counts> {
  const trace = join(home(), "trace");
  const { status, error, stderr } = spawnSync("strace", [
    ...["-f", "-qq", "-o", trace],
    ...["-e", "trace=fsync,fdatasync,openat,rename,renameat,renameat2,access,faccessat"],
    ...[process.execPath, import.meta.filename, "traced", tree],
  ]);
  if (error !== undefined || status !== 0)
    throw new Error(`strace is needed, and its child to end well: ${String(error ?? stderr)}`);
  const counts: Record<string, Counts> = {};
  let now = "none";
  for (const line of readFileSync(trace, "utf8").split("\n")) {
    const call = line.replace(/^\d+ +/, "");
    now = new RegExp(`"${MARK}([^"]*)"`).exec(call)?.[1] ?? now;
    const of = (counts[now] ??= { syncs: 0, opens: 0, renames: 0 });
    for (const [kind, pattern] of Object.entries(KINDS) as [keyof Counts, RegExp][])
      if (pattern.test(call)) of[kind] += 1 / TIMES;
  }
  delete counts.none;
  return Object.fromEntries(
    Object.entries(counts).map(([name, { syncs, opens, renames }]) => [
      name,
      { syncs: round(syncs), opens: round(opens), renames: round(renames) },
    ]),
  );
}

function timesOf(tree: string): { saves: number[]; syncs: number[] } {
  const { stdout, stderr } = spawnSync(process.execPath, [import.meta.filename, "timed", tree], {
    encoding: "utf8",
  });
  if (stdout === "") throw new Error(stderr);
  return JSON.parse(stdout.trim().split("\n").at(-1) ?? "") as { saves: number[]; syncs: number[] };
}

const [verb, tree = ""] = process.argv.slice(2);
if (verb === "traced") await traced(tree);
else if (verb === "timed") await timed(tree);
else {
  const trees = { here: join(import.meta.dirname, ".."), ...(verb && { before: resolve(verb) }) };
  const names = Object.keys(trees) as (keyof typeof trees)[];
  const times = Object.fromEntries(
    names.map((name) => [name, { saves: [] as number[], syncs: [] as number[] }]),
  );
  // Turn by turn, since a disk is not the same from one minute to the next.
  for (let round = 0; round < ROUNDS; round += 1)
    for (const name of names) {
      const { saves, syncs } = timesOf(trees[name] ?? "");
      times[name]?.saves.push(...saves);
      times[name]?.syncs.push(...syncs);
    }
  const figures = names.map((name) => {
    const { saves = [], syncs = [] } = times[name] ?? {};
    const ms = {
      "a save, median": median(saves),
      "a save, p99": percentile(saves, 0.99),
      "the sync alone, median": median(syncs),
    };
    return [name, { ms, "calls a time": countsOf(trees[name] ?? "") }];
  });
  record("save", Object.fromEntries(figures) as Record<string, unknown>, verb ? "BEFORE" : "");
}
