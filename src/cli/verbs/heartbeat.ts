import { spawn } from "node:child_process";
import { resolve } from "node:path";
import { setTimeout as delay } from "node:timers/promises";
import { present } from "../../core/base.ts";
import { reasonOf } from "../../core/errors-and-events.ts";
import { tail } from "../../core/text/cut.ts";
import { onlyOne } from "../../workspace/disk/lock.ts";
import { type Given, UsageError, type Verb } from "../input/flags.ts";
import { needWorkspace, withWorkspace } from "../input/open.ts";
import { type Io, json } from "../render/layout.ts";

const UNITS: Readonly<Record<string, number>> = { s: 1_000, m: 60_000, h: 3_600_000 };
const SHORTEST_MS = 1_000;
const LONGEST_MS = 7 * 24 * 3_600_000;
/** The command has so long to end after it was asked to, ms. */
const GRACE = 10_000;
/** And what it left behind so long to let go of its output. */
const LINGERS = 1_000;
/** Characters of what it prints that are kept: what an agent comes to stands at the end. */
const KEPT = 100_000;

/**
 * Without a command: prints the wake-up prompt, exit 1 where nothing is due. With one: runs it with
 * the prompt on its standard input, one at a time over all processes; what comes while it runs is
 * skipped. What it prints is kept in history.
 */
export const heartbeat: Verb = {
  flags: {
    every: { takes: "TIME", says: "wake up again after so long: 90s, 30m, 2h" },
  },
  examples: ["tidemark heartbeat", "tidemark heartbeat --every 30m -- node agent.mjs"],
  async run(given, io) {
    const every = given.read("every", "a time from 1s to 168h, such as 90s, 30m or 2h", timeOf);
    if (given.words.length === 0) {
      if (every !== undefined)
        throw new UsageError(
          "--every needs a command to run: tidemark heartbeat --every 30m -- node agent.mjs",
        );
      const found = await withWorkspace(given, io, (tidemark) => tidemark.heartbeat());
      if (found.prompt === undefined) io.warn(`Not due: ${found.why}`);
      return { found, lines: present([found.prompt]), code: found.due ? 0 : 1 };
    }
    needWorkspace(given.workspace);
    const ended = new AbortController();
    const stop = (): void => ended.abort();
    process.once("SIGTERM", stop).once("SIGINT", stop);
    try {
      let code = 0;
      do {
        const wait = pause(every ?? 0, ended.signal);
        code = await beat(given, io, ended.signal).catch((thrown: unknown) => {
          if (every === undefined) throw thrown;
          io.warn(`This heartbeat failed: ${reasonOf(thrown)}`);
          return 1;
        });
        await wait;
      } while (every !== undefined && !ended.signal.aborted);
      return { found: undefined, code: ended.signal.aborted ? 0 : code };
    } finally {
      process.off("SIGTERM", stop).off("SIGINT", stop);
    }
  },
};

async function beat(given: Given, io: Io, signal: AbortSignal): Promise<number> {
  let code = 0;
  const work = async (): Promise<void> => {
    const { prompt, why } = await withWorkspace(given, io, (tidemark) => tidemark.heartbeat());
    if (prompt === undefined) return io.warn(`Not due: ${why}`);
    const isJson = given.on("json");
    const shown = isJson ? { ...io, write: () => {} } : io;
    const { status, output } = await spawned(given.words, { prompt, signal, io: shown });
    if (isJson) io.say(json({ why, code: status, output }));
    code = status;
    if (status !== 0) io.warn(`The command ended with code ${status}.`);
    const day = new Date().toISOString();
    if (output.trim() === "") return;
    await withWorkspace(given, io, async (tidemark) => {
      await tidemark.history.import({
        id: `heartbeat ${day}`,
        learn: false,
        messages: [
          { role: "user", text: prompt },
          { role: "assistant", text: output },
        ],
      });
    });
  };
  if (!(await onlyOne(resolve(given.workspace), work)))
    io.warn("Skipped: the heartbeat before is still at work.");
  return code;
}

/** The command with the prompt on its standard input; what it prints is shown as it comes. */
async function spawned(
  [command = "", ...args]: readonly string[],
  { prompt, signal, io }: { prompt: string; signal: AbortSignal; io: Io },
): Promise<{ status: number; output: string }> {
  const child = spawn(command, args, { stdio: ["pipe", "pipe", "inherit"] });
  let output = "";
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    output = tail(output + part, KEPT);
    io.write(part);
  });
  // A command need not read what it is given.
  child.stdin.on("error", () => {}).end(prompt);
  let late: NodeJS.Timeout | undefined;
  const end = (): void => {
    child.kill("SIGTERM");
    late = setTimeout(() => child.kill("SIGKILL"), GRACE);
  };
  if (signal.aborted) end();
  else signal.addEventListener("abort", end, { once: true });
  const closed = new Promise((resolve) => child.on("close", resolve));
  const status = await new Promise<number>((resolve) => {
    child.on("exit", (code) => resolve(code ?? 1));
    child.on("error", ({ message }) => {
      io.warn(`${command} could not be started: ${message}.`);
      resolve(1);
    });
  });
  clearTimeout(late);
  signal.removeEventListener("abort", end);
  // A process the command left behind may hold its output open.
  await Promise.race([closed, pause(LINGERS, signal, false)]);
  child.stdout.destroy();
  return { status, output };
}

/** Ends early where it is called off. */
const pause = (ms: number, signal: AbortSignal, ref = true): Promise<void> =>
  delay(ms, undefined, { signal, ref }).catch(() => undefined);

function timeOf(text: string): number | undefined {
  const [, number = "", unit = ""] = /^(\d{1,6})([smh])$/.exec(text) ?? [];
  const ms = Number(number) * (UNITS[unit] ?? NaN);
  return ms >= SHORTEST_MS && ms <= LONGEST_MS ? ms : undefined;
}
