import { spawn } from "node:child_process";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import { check, type Known } from "./check.ts";
import { checkLearning, type LearningOrders } from "./learning.ts";
import { chance } from "./host.ts";
import { type Ack, hear, nothingTold, type Orders, scriptOf, type Told } from "./script.ts";

/** What became of a process that was to be killed. */
interface Life {
  readonly acks: readonly Ack[];
  readonly killed: boolean;
  readonly boundaries?: number;
  readonly names?: readonly string[];
  readonly error: string;
}

const CACHE = join(tmpdir(), "tidemark-drill-compiled");

/** A child with its orders. `at`: the write to die at; `after`: ms from the moment it is loaded until it is killed from outside. */
export function run(
  orders: Orders | LearningOrders,
  { at, after, child: program = "child.ts" }: { at?: string; after?: number; child?: string } = {},
): Promise<Life> {
  const child = spawn(
    process.execPath,
    [
      "--import",
      join(import.meta.dirname, "boundaries.ts"),
      join(import.meta.dirname, program),
      JSON.stringify(orders),
    ],
    {
      stdio: ["ignore", "pipe", "pipe"],
      env: {
        ...process.env,
        NODE_COMPILE_CACHE: CACHE,
        ...(at === undefined ? {} : { DRILL_KILL: at }),
      },
    },
  );
  const acks: Ack[] = [];
  let [error, counted, timer]: [
    string,
    { boundaries?: number; names?: string[] },
    NodeJS.Timeout | undefined,
  ] = ["", {}, undefined];
  child.stderr.on("data", (data: Buffer) => (error += data.toString()));
  createInterface(child.stdout).on("line", (line) => {
    const said = JSON.parse(line) as
      Ack | { ready: true } | { boundaries: number; names: string[] };
    if ("ack" in said) acks.push(said);
    else if ("boundaries" in said) counted = said;
    else if (after !== undefined) timer = setTimeout(() => child.kill("SIGKILL"), after);
  });
  return new Promise((resolve) =>
    child.on("close", (code, signal) => {
      clearTimeout(timer);
      resolve({
        acks,
        killed: signal === "SIGKILL",
        ...counted,
        error:
          signal === "SIGKILL" || code === 0
            ? ""
            : `ended with ${code ?? signal}: ${error.slice(-600)}`,
      });
    }),
  );
}

/** A clock that goes on from one life to the next, as the world's does. */
function worldClock() {
  let time = Date.now();
  return {
    look: (): number => (time += 50),
    pass: (ms: number): number => (time += ms),
  };
}

export interface Broken {
  readonly at: string;
  readonly laws: readonly string[];
}

export interface Kills {
  readonly tried: number;
  readonly survived: number;
  readonly broken: readonly Broken[];
}

const folderOf = (): string => mkdtempSync(join(tmpdir(), "tidemark-drill-"));
/** Longer than a life of a child takes by its own clock. */
const LIFE = 600_000;
const HOUR = 3_600_000;

const LEARNING = { child: "learning.ts" };

/** The writes of records, tasks, promotion and pages of conversations, in a life that nobody ends. */
export async function boundariesOfLearning(): Promise<readonly string[]> {
  const workspace = folderOf();
  try {
    const life = await run({ workspace, from: 0, clock: worldClock().look() }, LEARNING);
    if (life.error !== "") throw new Error(`The learning of the drill ${life.error}`);
    return life.names ?? [];
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

/** One kill at one of them. */
async function killLearningAt(at: string): Promise<{ killed: boolean; broken: string[] }> {
  const workspace = folderOf();
  try {
    const clock = worldClock();
    const { acks, killed, error } = await run(
      { workspace, from: 0, clock: clock.look() },
      { ...LEARNING, at },
    );
    if (error !== "") return { killed, broken: [error] };
    clock.pass(LIFE);
    const done = Math.max(0, ...acks.map((ack) => (ack.ack === "done" ? ack.step + 1 : 0)));
    return { killed, broken: await checkLearning(workspace, done, clock.look) };
  } catch (thrown) {
    return { killed: true, broken: [String((thrown as Error).stack)] };
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

/** The writes of a conversation that nobody kills. */
export async function boundariesOf(
  calls: number,
): Promise<{ count: number; names: readonly string[] }> {
  const workspace = folderOf();
  try {
    const {
      boundaries = 0,
      names = [],
      error,
    } = await run({ workspace, calls, until: calls * 2, acks: [], clock: worldClock().look() });
    if (error !== "") throw new Error(`The conversation of the drill ${error}`);
    return { count: boundaries, names };
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

/** One kill at one write: looked at, carried on to the end of the conversation, looked at again. */
async function killAt(calls: number, at: string): Promise<{ killed: boolean; broken: string[] }> {
  const workspace = folderOf();
  try {
    const clock = worldClock();
    const { acks, killed, error } = await run(
      { workspace, calls, until: calls * 2, acks: [], clock: clock.look() },
      { at },
    );
    if (error !== "") return { killed, broken: [error] };
    const told = toldBy(acks);
    const steps = scriptOf(calls);
    clock.pass(LIFE + (Number(at.split(" ")[0]) % 3) * HOUR);
    const first = await check({ workspace, steps, told, clock: clock.look });
    clock.pass(HOUR);
    const last = await check({ workspace, steps, told, clock: clock.look }, first.known, true);
    return { killed, broken: [...first.broken, ...last.broken.map((law) => `at the end: ${law}`)] };
  } catch (thrown) {
    return { killed: true, broken: [String((thrown as Error).stack)] };
  } finally {
    rmSync(workspace, { recursive: true, force: true });
  }
}

function toldBy(acks: readonly Ack[], told: Told = nothingTold()): Told {
  for (const ack of acks) hear(told, ack);
  return told;
}

/** Runs `work` over all items, some at once. */
async function together<T>(
  items: readonly T[],
  atOnce: number,
  work: (item: T) => Promise<void>,
): Promise<void> {
  const left = items.slice();
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      for (let item = left.shift(); item !== undefined; item = left.shift()) await work(item);
    }),
  );
}

/** Kills at the given writes ("17 before"): each in a workspace of its own. `within`: ms after which none is begun. */
export async function killAtWrites(
  calls: number | "learning",
  places: readonly string[],
  {
    atOnce = 2,
    within = Infinity,
    told = () => {},
  }: { atOnce?: number; within?: number; told?: (line: string) => void } = {},
): Promise<Kills> {
  const broken: Broken[] = [];
  let tried = 0;
  const until = performance.now() + within;
  await together(places, atOnce, async (at) => {
    if (performance.now() > until) return;
    const { killed, broken: laws } = await (calls === "learning"
      ? killLearningAt(at)
      : killAt(calls, at));
    // Work behind the conversation differs from run to run by a write or two: the last ones may not come.
    if (killed || laws.length > 0) tried += 1;
    if (laws.length > 0) broken.push({ at, laws });
    for (const law of laws) told(`write ${at}: ${law}`);
    if (tried % 50 === 0) told(`${tried} kills at writes, ${broken.length} with something broken`);
  });
  return { tried, survived: tried - broken.length, broken };
}

/** Kills at random instants: life after life of one conversation, each life going on where the last was killed. */
export async function killAtRandom(
  kills: number,
  {
    calls = 60,
    atOnce = 2,
    seed = 1,
    most = 600,
    within = Infinity,
    told = () => {},
  }: {
    calls?: number;
    atOnce?: number;
    seed?: number;
    most?: number;
    within?: number;
    told?: (line: string) => void;
  } = {},
): Promise<Kills> {
  const broken: Broken[] = [];
  let tried = 0;
  const until = performance.now() + within;
  const left = (): boolean => tried < kills && performance.now() < until;
  const chain = async (number: number): Promise<void> => {
    const random = chance(seed * 7_919 + number);
    const workspace = folderOf();
    const clock = worldClock();
    const steps = scriptOf(calls);
    const acks: Ack[] = [];
    const told1 = nothingTold();
    let known: Known | undefined;
    try {
      while (left() && told1.done < steps.length) {
        const after = Math.floor(random() * most);
        const life = await run(
          { workspace, calls, until: steps.length, acks, clock: clock.look() },
          { after },
        );
        acks.push(...life.acks);
        toldBy(life.acks, told1);
        if (life.error !== "") broken.push({ at: `random ${seed}/${number}`, laws: [life.error] });
        if (!life.killed) break;
        tried += 1;
        clock.pass(LIFE + (random() < 0.3 ? HOUR : 0));
        const found = await check({ workspace, steps, told: told1, clock: clock.look }, known);
        ({ known } = found);
        const at = `random ${seed}/${number} after ${after} ms, ${told1.done} steps done`;
        if (found.broken.length > 0) broken.push({ at, laws: found.broken });
        for (const law of found.broken) told(`${at}: ${law}`);
        if (tried % 50 === 0)
          told(`${tried} kills at random instants, ${broken.length} with something broken`);
        clock.pass(1_000);
        // What is broken stays so: the next conversation starts afresh.
        if (found.broken.length > 0) return;
      }
      const end = await check({ workspace, steps, told: told1, clock: clock.look }, known, true);
      if (end.broken.length > 0)
        broken.push({ at: `random ${seed}/${number}, at the end`, laws: end.broken });
      for (const law of end.broken) told(`random ${seed}/${number} at the end: ${law}`);
    } catch (thrown) {
      broken.push({ at: `random ${seed}/${number}`, laws: [String((thrown as Error).stack)] });
      told(String((thrown as Error).stack));
    } finally {
      rmSync(workspace, { recursive: true, force: true });
    }
  };
  let next = 0;
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left()) await chain((next += 1));
    }),
  );
  return { tried, survived: tried - broken.length, broken };
}
