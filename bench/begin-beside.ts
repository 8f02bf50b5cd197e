// How long `begin` and `end` take while seven other processes save into the same workspace.
//   npm run bench -- begin-beside [OTHER_CHECKOUT]
// OTHER_CHECKOUT, with its own node_modules, plays the same turn by turn with this one: figures are medians over the rounds.
// A version that saves ten times as fast has ten times as many commits beside it: with a pace, both have as many.
import { type ChildProcess, spawn } from "node:child_process";
import { once } from "node:events";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join, resolve } from "node:path";
import { performance } from "node:perf_hooks";
import type { Tidemark } from "../src/index.ts";
import { median, percentile, record } from "./support.ts";

const WRITERS = 7;
const TURNS = 100;
const ROUNDS = 5;
/** ms between two saves of a writer. */
const PACES = { "as fast as they can": 0, "twice a second each": 500 };
/** ms between two turns, as a user would leave more. */
const BETWEEN = 20;

const pauseFor = (ms: number): Promise<void> => new Promise((resolve) => setTimeout(resolve, ms));

async function opened(tree: string, workspace: string): Promise<Tidemark> {
  const { openTidemark } = (await import(join(tree, "src/index.ts"))) as {
    openTidemark: (options: object) => Promise<Tidemark>;
  };
  return openTidemark({
    workspace,
    distil: "extractive",
    embed: false,
    cache: false,
    recall: false,
  });
}

/** Saves one fact after the other until it is ended. */
async function writer(tree: string, workspace: string, name: string, pace: number) {
  const tidemark = await opened(tree, workspace);
  process.send?.("ready");
  for (let n = 0; ; n += 1) {
    await tidemark.memory.save(`Boat ${name}-${n} lies at pier ${n * 3} until the ${n}th of May.`);
    process.send?.("saved");
    if (pace > 0) await pauseFor(pace);
  }
}

/** ms of each turn of a conversation that grows. */
async function turns(tree: string, workspace: string): Promise<number[]> {
  const tidemark = await opened(tree, workspace);
  const messages: object[] = [];
  const times: number[] = [];
  for (let n = 0; n < TURNS; n += 1) {
    messages.push({ role: "user", content: `${n}: where does boat ${n} lie tonight?` });
    const start = performance.now();
    const request = { model: "claude-sonnet-5-5", max_tokens: 500, messages: [...messages] };
    const turn = await tidemark.begin(request as Parameters<Tidemark["begin"]>[0]);
    const reply = { role: "assistant", content: `It lies at pier ${n * 3}, as far as I know.` };
    await turn.end(reply);
    times.push(performance.now() - start);
    messages.push(reply);
    await pauseFor(BETWEEN);
  }
  await tidemark.close();
  return times;
}

interface Round {
  readonly times: number[];
  /** Saves a second of all writers together: one that writes less stands less in the way. */
  readonly saves: number;
}

async function beside(tree: string, pace: number): Promise<Round> {
  const workspace = mkdtempSync(join(tmpdir(), "tidemark-bench-"));
  const others: ChildProcess[] = [];
  let saved = 0;
  for (let n = 0; n < WRITERS; n += 1) {
    const other = spawn(
      process.execPath,
      [import.meta.filename, "writer", tree, workspace, `${n}`, `${pace}`],
      { stdio: ["ignore", "ignore", "inherit", "ipc"] },
    );
    other.on("message", (word) => (saved += Number(word === "saved")));
    others.push(other);
    await once(other, "message");
  }
  const [start, before] = [performance.now(), saved];
  const args = [import.meta.filename, "turns", tree, workspace];
  const eighth = spawn(process.execPath, args, { stdio: ["ignore", "pipe", "inherit"] });
  let said = "";
  eighth.stdout.on("data", (part: Buffer) => (said += part.toString()));
  await once(eighth, "close");
  const saves = ((saved - before) * 1000) / (performance.now() - start);
  for (const other of others) other.kill("SIGKILL");
  await Promise.all(
    others.map((other) => other.exitCode ?? other.signalCode ?? once(other, "exit")),
  );
  rmSync(workspace, { recursive: true });
  return { times: JSON.parse(said.trim().split("\n").at(-1) ?? "") as number[], saves };
}

const [verb = "", tree = "", workspace = "", name = "", pace = ""] = process.argv.slice(2);
if (verb === "writer") await writer(tree, workspace, name, Number(pace));
else if (verb === "turns") console.log(JSON.stringify(await turns(tree, workspace)));
else {
  const trees = { here: join(import.meta.dirname, ".."), ...(verb && { before: resolve(verb) }) };
  const figures: Record<string, Record<string, unknown>> = {};
  for (const [way, ms] of Object.entries(PACES)) {
    const rounds: Record<string, Round[]> = {};
    // Turn by turn, since a machine is not the same from one minute to the next.
    for (let round = 0; round < ROUNDS; round += 1)
      for (const [which, at] of Object.entries(trees))
        (rounds[which] ??= []).push(await beside(at, ms));
    for (const [which, all] of Object.entries(rounds)) {
      const of = (share: number): number[] => all.map(({ times }) => percentile(times, share));
      (figures[way] ??= {})[which] = {
        "ms of begin and end, median": median(of(0.5)),
        "ms of begin and end, p99": median(of(0.99)),
        "median of each round": of(0.5),
        "p99 of each round": of(0.99),
        "saves a second beside": median(all.map(({ saves }) => saves)),
      };
    }
  }
  record(
    "begin-beside",
    { writers: WRITERS, turns: TURNS, rounds: ROUNDS, ...figures },
    verb ? "BEFORE" : "",
  );
}
