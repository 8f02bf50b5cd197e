import { type ChildProcessByStdio, spawn } from "node:child_process";
import { once } from "node:events";
import { availableParallelism, loadavg } from "node:os";
import { join } from "node:path";
import { createInterface } from "node:readline";
import type { Readable, Writable } from "node:stream";
import { setTimeout as pause } from "node:timers/promises";
import { isDeepStrictEqual } from "node:util";
import pg from "pg";
import { identityKey } from "../src/core/identity.ts";
import { openPostgres } from "../src/storage/postgres/postgres-storage.ts";
import { openTidemark } from "../src/index.ts";
import { postgresServer } from "../test/support/postgres-server.ts";
import { aboutIn, chance } from "./host.ts";
import { messagesOf, type Said, type Turn, userOf } from "./worker.ts";

/** Turns under way at once, of all workers together: a machine that is full measures itself. */
const AT_ONCE = 3;
/** ms between two connections that are cut. */
const CUTS = 2_000;
/** ms after a disturbance that turns may feel it: a connection is made anew, a dead worker's work is taken over. */
const FELT = 3_000;
/** ms in which the work of a worker that died is taken over. */
const TAKEN_OVER = 15_000;

type Child = ChildProcessByStdio<Writable, Readable, null>;
interface Worker {
  readonly child: Child;
  readonly turns: Map<number, Turn>;
  ready: boolean;
}
interface Asked {
  readonly worker: Worker;
  readonly at: number;
}
/** Of a turn: ms for begin and end together. */
interface Took {
  readonly ms: number;
  readonly calm: boolean;
}

function spread(took: readonly number[]) {
  const all = took.toSorted((one, other) => one - other);
  const at = (share: number): number =>
    Math.round((all[Math.min(all.length - 1, Math.floor(all.length * share))] ?? 0) * 10) / 10;
  return {
    turns: all.length,
    ...{ p50: at(0.5), p95: at(0.95), p99: at(0.99), p999: at(0.999), most: at(1) },
    over100: all.filter((ms) => ms > 100).length,
  };
}

/** Workers behind a balancer that hands each turn to another one, while they are killed, cut off and their server restarted. */
export async function workers({
  processes = 8,
  minutes = 1,
  sessions = 50,
  kills = 20,
  restarts = 3,
}: {
  processes?: number;
  minutes?: number;
  sessions?: number;
  kills?: number;
  restarts?: number;
} = {}) {
  const server = await postgresServer();
  const address = `${server.address("drill")}&poolSize=5`;
  const random = chance(7);
  const one = <T>(of: readonly T[]): T => of[Math.floor(random() * of.length)] as T;
  const took: Took[] = [];
  const asked = new Map<number, Asked[]>();
  /** When a worker died, and when its work may have been lost otherwise. */
  const died = new Map<Worker, number>();
  const disturbed: number[] = [];
  const failed: { worker: Worker; at: number }[] = [];
  const events: Record<string, number> = {};
  const said = Array.from({ length: processes * sessions }, () => 0);
  const busy = new Set<number>();
  const all: Worker[] = [];
  let [folds, calls, number] = [0, 0, 0];
  let isOver = false;
  let wake = (): void => undefined;

  function hear(worker: Worker, line: Said): void {
    const at = Date.now();
    if (line.said === "ready") worker.ready = true;
    if (line.said === "asked") {
      calls += 1;
      for (const n of line.messages) asked.set(n, [...(asked.get(n) ?? []), { worker, at }]);
    }
    if (line.said === "event") {
      const name = `${line.type} ${line.code}`;
      events[name] = (events[name] ?? 0) + 1;
      failed.push({ worker, at });
    }
    if (line.said === "turn") {
      const { conversation, at: place } = line.turn;
      const ms = line.began + line.ended;
      const calm = !disturbed.some((when) => when >= at - ms - FELT && when <= at);
      if (line.below) took.push({ ms, calm });
      if (line.folded) folds += 1;
      said[conversation] = place + 2;
      worker.turns.delete(conversation);
      busy.delete(conversation);
    }
    wake();
  }
  function start(): void {
    number += 1;
    const child = spawn(
      process.execPath,
      [join(import.meta.dirname, "worker.ts"), address, `${number}`],
      { stdio: ["pipe", "pipe", "ignore"] },
    );
    const worker: Worker = { child, turns: new Map(), ready: false };
    all.push(worker);
    child.stdin.on("error", () => undefined);
    createInterface({ input: child.stdout }).on("line", (line) =>
      hear(worker, JSON.parse(line) as Said),
    );
    child.on("exit", () => {
      all.splice(all.indexOf(worker), 1);
      // The balancer asks another one. One that could not open is started again, too.
      for (const conversation of worker.turns.keys()) busy.delete(conversation);
      if (!isOver) start();
      wake();
    });
  }
  function hand(conversation: number): void {
    const worker = one(all.filter(({ ready }) => ready));
    const turn = { conversation, at: said[conversation] ?? 0 };
    busy.add(conversation);
    worker.turns.set(conversation, turn);
    worker.child.stdin.write(`${JSON.stringify(turn)}\n`);
  }
  const woken = (): Promise<unknown> =>
    Promise.race([new Promise<void>((resolve) => (wake = resolve)), pause(20)]);
  const areReady = async (): Promise<void> => {
    while (all.length < processes || all.some(({ ready }) => !ready)) await woken();
  };

  const telling = setInterval(() => {
    const turns = said.reduce((sum, length) => sum + length / 2, 0);
    const ready = all.filter((one) => one.ready).length;
    console.error(
      `${turns} turns, ${busy.size} under way, ${ready} of ${all.length} workers ready`,
    );
  }, 10_000);
  try {
    for (let count = 0; count < processes; count += 1) start();
    await areReady();
    const begun = Date.now();
    const end = begun + minutes * 60_000;
    const killAt = Array.from(
      { length: kills },
      (_, at) => begun + ((at + 1) / (kills + 1)) * (end - begun),
    );
    const restartAt = Array.from(
      { length: restarts },
      (_, at) => begun + ((at + 0.75) / restarts) * (end - begun),
    );
    let cutAt = begun + CUTS;
    let cuts = 0;
    while (Date.now() < end) {
      if (Date.now() > (killAt[0] ?? Infinity)) {
        killAt.shift();
        // One in the middle of something, where there is one.
        const worker = one(all.filter(({ turns, ready }) => ready && turns.size > 0)) ?? one(all);
        disturbed.push(Date.now());
        died.set(worker, Date.now());
        worker.child.kill("SIGKILL");
      }
      if (Date.now() > (restartAt[0] ?? Infinity)) {
        const how = restartAt.length % 2 === 0 ? "fast" : "immediate";
        restartAt.shift();
        disturbed.push(Date.now());
        server.stop(how);
        await pause(1_000);
        disturbed.push(Date.now());
        server.start();
        disturbed.push(Date.now());
      }
      if (Date.now() > cutAt) {
        cutAt = Date.now() + CUTS * (0.5 + random());
        disturbed.push(Date.now());
        if (await cut(address, random())) cuts += 1;
        disturbed.push(Date.now());
      }
      const free = said.flatMap((_, at) => (busy.has(at) ? [] : [at]));
      while (busy.size < AT_ONCE && all.some(({ ready }) => ready)) hand(one(free));
      await woken();
    }
    // One more turn of each in peace brings in what could not be written meanwhile.
    await areReady();
    while (busy.size > 0) await woken();
    for (const at of said.keys()) {
      hand(at);
      while (busy.size >= AT_ONCE) await woken();
    }
    while (busy.size > 0) await woken();
    isOver = true;
    const ends = all.map(async ({ child }) => {
      child.stdin.write("close\n");
      await once(child, "exit");
    });
    await Promise.all(ends);

    const lost = (worker: Worker, from: number, to: number): boolean => {
      const death = died.get(worker) ?? Infinity;
      return (
        (death >= from && death <= to) ||
        disturbed.some((when) => when >= from - FELT && when <= to) ||
        failed.some((one) => one.worker === worker && one.at >= from && one.at <= to)
      );
    };
    const again = [...asked].filter(([, asks]) => asks.length > 1);
    const unexplained = again.filter(([, asks]) =>
      asks.slice(1).some(({ at }, index) => {
        const before = asks[index] as Asked;
        return !lost(before.worker, before.at, Math.min(at, before.at + TAKEN_OVER));
      }),
    );
    const found = await judge(address, said);
    const broken = [
      ...found.broken,
      ...unexplained.map(([n, asks]) => `message ${n} was distilled ${asks.length} times`),
    ];
    const tried = found.tried + asked.size;
    return {
      ...{ processes, sessions: said.length, minutes, kills: died.size, restarts, cuts },
      ...{ turns: said.reduce((sum, length) => sum + length / 2, 0), folds, calls },
      "messages distilled": asked.size,
      "asked about again": {
        "after a death, a cut or a restart": again.length - unexplained.length,
        else: unexplained.length,
      },
      "below the marks, ms": {
        calm: spread(took.filter(({ calm }) => calm).map(({ ms }) => ms)),
        "within 3 s of a kill, a cut or a restart": spread(
          took.filter(({ calm }) => !calm).map(({ ms }) => ms),
        ),
      },
      events,
      machine: { cores: availableParallelism(), load: loadavg().map((load) => Math.round(load)) },
      ...{ tried, survived: tried - Math.min(tried, broken.length), broken: broken.slice(0, 50) },
    };
  } finally {
    isOver = true;
    clearInterval(telling);
    for (const { child } of all) child.kill("SIGKILL");
    server.close();
  }
}

/** Cuts a connection of one of the workers, whatever it is at. */
async function cut(address: string, chosen: number): Promise<boolean> {
  const client = new pg.Client(address.replace(/\?.*/, ""));
  client.on("error", () => undefined);
  try {
    await client.connect();
    const { rows } = await client.query<{ pid: number }>(
      "select pid from pg_stat_activity where application_name = 'tidemark' order by state, pid",
    );
    const row = rows[Math.floor(chosen * rows.length)];
    await client.query("select pg_terminate_backend($1)", [row?.pid ?? 0]);
    return row !== undefined;
  } catch {
    // The server is away.
    return false;
  } finally {
    await client.end().catch(() => undefined);
  }
}

/** All that was said is there once, word for word, and of each message behind the watermark one fact. */
export async function judge(address: string, said: readonly number[]) {
  const broken: string[] = [];
  let tried = 0;
  const hold = (law: string, holds: boolean): void => {
    tried += 1;
    if (!holds) broken.push(law);
  };
  const store = await openPostgres(address);
  const tidemark = await openTidemark({ store: address, distil: "extractive", recall: false });
  for (const [conversation, length] of said.entries()) {
    const user = userOf(conversation);
    const root = identityKey({ user });
    const sessions = await store.sessions({ root, label: `${conversation}` });
    hold(`conversation ${conversation} is there ${sessions.length} times`, sessions.length === 1);
    const own = tidemark.as({ user });
    const { messages } = await own.history.read({ conversation: `${conversation}` });
    const expected = messagesOf(conversation, length - 1);
    for (const at of Array(Math.max(expected.length, messages.length)).keys())
      hold(
        `conversation ${conversation}, message ${at} is ${JSON.stringify(messages[at])?.slice(0, 60)}`,
        isDeepStrictEqual(messages[at], expected[at]),
      );
    const facts = new Map<number, number>();
    for (const { content } of await own.memory.list({ limit: 1_000 })) {
      const n = aboutIn(content);
      if (n !== undefined) facts.set(n, (facts.get(n) ?? 0) + 1);
    }
    const jobs = (await store.belongings(root)).jobs;
    const { watermark = 0 } = sessions[0] ?? {};
    const first = conversation * 6_000;
    for (let at = 0; at < length; at += 1) {
      const count = facts.get(first + at) ?? 0;
      const isOwed = jobs.some(({ from, to }) => at >= from && at < to);
      const law = `message ${at} of ${conversation} has ${count} facts, the watermark is ${watermark}`;
      hold(law, count <= 1 && (count === 1 || isOwed || at >= watermark));
    }
  }
  await tidemark.close();
  await store.close();
  return { tried, broken };
}
