// Bound thinking against the strict rules of the local server: random conversations and every transcript of
// ../shared/data/agents, in every strategy, streamed and not. What counts is that nothing is refused.
//   npm run bench -- thinking [how many random ones] [in how many processes]; 0: the transcripts alone, beside the figures there are
// Interrupted, it keeps what was played so far.
import { fork } from "node:child_process";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { realHistories } from "../test/support/histories.ts";
import { judgeOf, toolsOf } from "../test/support/replay-judge.ts";
import {
  casesOf,
  STRATEGIES,
  type StrategyRun,
  strategyRun,
} from "../test/support/replay-strategies.ts";
import { record, round } from "./support.ts";

interface Sum {
  conversations: number;
  calls: number;
  folds: number;
  refused: number;
  foldsInLoopsOfManualThinking: number;
  foldsInLoopsBelowTheBrim: number;
  thoughtsSentOn: number;
  thoughtsDroppedByTheProvider: number;
}
type Sums = Record<string, Sum>;

const BRIM = 0.9;
const nothing = (): Sum => ({
  conversations: 0,
  calls: 0,
  folds: 0,
  refused: 0,
  foldsInLoopsOfManualThinking: 0,
  foldsInLoopsBelowTheBrim: 0,
  thoughtsSentOn: 0,
  thoughtsDroppedByTheProvider: 0,
});

function add(
  sums: Sums,
  key: string,
  { calls, folds, broken, inLoop, counted, name }: StrategyRun,
): void {
  for (const law of broken) console.error(`${name}, ${key}: ${law}`);
  const sum = (sums[key] ??= nothing());
  sum.conversations++;
  sum.calls += calls;
  sum.folds += folds;
  sum.refused += broken.length;
  sum.foldsInLoopsOfManualThinking += inLoop.length;
  sum.foldsInLoopsBelowTheBrim += inLoop.filter((level) => level < BRIM).length;
  sum.thoughtsSentOn += counted.thoughts;
  sum.thoughtsDroppedByTheProvider += counted.dropped;
}

function merged(all: readonly Sums[]): Sums {
  const whole: Sums = {};
  for (const sums of all) {
    for (const [key, sum] of Object.entries(sums)) {
      const into = (whole[key] ??= nothing());
      for (const name of Object.keys(into) as (keyof Sum)[]) into[name] += sum[name];
    }
  }
  return whole;
}

async function random(from: number, to: number): Promise<Sums> {
  const sums: Sums = {};
  for (let seed = from; seed < to; seed++) {
    const options = casesOf(seed);
    add(sums, options.strategy, await strategyRun(options));
  }
  return sums;
}

async function transcripts(): Promise<Sums> {
  const sums: Sums = {};
  for (const { name, format, system, messages } of realHistories()) {
    if (format !== "anthropic") continue;
    const transcript = {
      name,
      system,
      messages: judgeOf(format, { window: 32_000 }).mended(messages),
      tools: toolsOf(format, messages) ?? [],
    };
    for (const strategy of STRATEGIES) {
      for (const streams of [false, true])
        add(
          sums,
          strategy,
          await strategyRun({
            seed: 1,
            strategy,
            thinking: "adaptive",
            streams,
            window: 32_000,
            transcript,
          }),
        );
    }
  }
  return sums;
}

const AT_A_TIME = 50;

/** One share of the work in a process of its own, which tells what it has played as it goes. */
const inProcess = (...args: string[]): Promise<Sums> =>
  new Promise((resolve, reject) => {
    const child = fork(import.meta.filename, ["part", ...args]);
    const told: Sums[] = [];
    child.on("message", (sums) => told.push(sums as Sums));
    child.on("error", reject);
    child.on("exit", (code) =>
      code === 0 ? resolve(merged(told)) : reject(new Error(`a part ended with ${code}`)),
    );
  });

const tell = (sums: Sums): Promise<void> =>
  new Promise((done) => (process.send ? process.send(sums, () => done()) : done()));

/** Of the last run. */
function before(): Sums {
  const { figures } = JSON.parse(
    readFileSync(join(import.meta.dirname, "results/thinking.json"), "utf8"),
  ) as { figures: { random: Sums } };
  return figures.random;
}

const [first = "10000", second = "2", third = ""] = process.argv.slice(2);
if (first === "part") {
  let stopped = false;
  process.on("SIGINT", () => (stopped = true));
  if (second === "transcripts") await tell(await transcripts());
  else
    for (let from = Number(second); from < Number(third) && !stopped; from += AT_A_TIME)
      await tell(await random(from, Math.min(from + AT_A_TIME, Number(third))));
  process.exit(0);
} else {
  const started = performance.now();
  process.on("SIGINT", () => console.error("stopping after what is being played"));
  const [count, processes] = [Number(first), Number(second)];
  const shares = Array.from({ length: processes }, (_, at) =>
    inProcess(
      String(1 + Math.floor((count * at) / processes)),
      String(1 + Math.floor((count * (at + 1)) / processes)),
    ),
  );
  const none: Sums = {};
  const [had = none, ...parts] = await Promise.all([
    realHistories().length === 0 ? none : inProcess("transcripts"),
    ...shares,
  ]);
  const made = count > 0 ? merged(parts) : before();
  record("thinking", {
    provider: "simulated: the rules of test/support/messages-server, in this process",
    random: made,
    transcripts: had,
    seconds: round((performance.now() - started) / 1000),
  });
  if (Object.values({ ...made, ...had }).some(({ refused }) => refused > 0)) process.exitCode = 1;
}
