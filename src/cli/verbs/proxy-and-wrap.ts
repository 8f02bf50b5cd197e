import { spawn } from "node:child_process";
import { randomBytes } from "node:crypto";
import { once } from "node:events";
import { constants } from "node:os";
import { serveLoopback } from "../../adapters/http/serve-loopback.ts";
import { asDict } from "../../core/base.ts";
import { reasonOf } from "../../core/errors-and-events.ts";
import { internalsFor } from "../../session/options/internals.ts";
import type { Tidemark } from "../../session/options/tidemark-api.ts";
import { type Given, UsageError, type Verb } from "../input/flags.ts";
import { withWorkspace } from "../input/workspace-of-verb.ts";
import { addressesBelow, createProxy } from "../proxy/proxy.ts";
import { type Io, json, plain } from "../render/layout.ts";

/** The port where none is named: what a program was told once stays true. */
const PORT = 4747;

const WINDOW = { takes: "N", says: "use no more of a model's window than this: 16k, 200k" };

type Work<T> = (addresses: Record<string, string>, tidemark: Tidemark) => Promise<T>;

/** Serves the proxy while the work goes on, which is given its addresses. */
const served = <T>(
  given: Given,
  io: Io,
  { port, below = "", work }: { port?: number; below?: string; work: Work<T> },
): Promise<T> =>
  withWorkspace(
    given,
    io,
    async (tidemark) => {
      const handle = createProxy(tidemark, { env: io.env, port, below });
      const proxy = await serveLoopback(handle, { port });
      return work(addressesBelow(proxy.url + below), tidemark).finally(proxy.close);
    },
    {
      makes: "any",
      window: { tokens: given.tokens("window") },
      hear: (event) => {
        if (event.type !== "passed") return;
        const isNone = event.reason === UNCALLED;
        const told = isNone ? UNCALLED : `a call passed without memory: ${plain(event.reason)}`;
        io.warn(`tidemark: ${told}`);
      },
    },
  );

/** For programs that are started elsewhere. */
export const proxy: Verb = {
  says: "a local address by which any program's calls of a model get a memory",
  flags: {
    port: { takes: "N", says: `the port of this machine to listen on (default ${PORT})` },
    window: WINDOW,
  },
  examples: ["tidemark proxy", "tidemark proxy --port 8080 --user ada"],
  async run(given, io) {
    const port = given.whole("port", 65_535) ?? PORT;
    const work: Work<unknown> = (addresses) => {
      if (given.on("json")) io.write(`${json(addresses)}\n`);
      else for (const [name, url] of Object.entries(addresses)) io.say(`${name}=${url}`);
      return Promise.race(["SIGINT", "SIGTERM", "SIGHUP"].map((signal) => once(process, signal)));
    };
    await served(given, io, { port, work });
    return { found: undefined };
  },
};

/** A program with the proxy for as long as it runs. */
export const wrap: Verb = {
  says: "run a program whose calls of a model get a memory",
  takes: "-- COMMAND …",
  words: "any",
  flags: { window: WINDOW },
  examples: ["tidemark wrap -- claude", "tidemark wrap --user ada -- python agent.py"],
  async run(given, io) {
    const [command, ...args] = given.words;
    if (command === undefined)
      throw new UsageError("wrap takes a command behind two dashes: tidemark wrap -- claude");
    // The terminal is the program's while it runs.
    const held = new Set<string>();
    const quiet = { ...io, warn: (line: string) => void held.add(line) };
    const work: Work<number> = async (addresses, tidemark) => {
      // A company's proxy knows nothing of this machine.
      const near = ["127.0.0.1", io.env.NO_PROXY ?? io.env.no_proxy].join();
      const env = { ...io.env, ...addresses, NO_PROXY: near, no_proxy: near };
      const { code, trouble } = await played([command, args], env);
      if (trouble !== undefined) quiet.warn(`tidemark: ${plain(`"${command}" ${trouble}`)}`);
      else internalsFor(tidemark, "wrap").expectCalls(UNCALLED);
      return code;
    };
    // What is remembered is shown to no other user of the machine, who may reach the port.
    const below = `/${randomBytes(9).toString("base64url")}`;
    const code = await served(given, quiet, { below, work }).finally(() => held.forEach(io.warn));
    return { found: undefined, code };
  },
};

const UNCALLED =
  "no call of a model came through; does the program read ANTHROPIC_BASE_URL or OPENAI_BASE_URL?";

/** Runs the program to its end: its exit code as a shell gives it, and why it never ran. */
async function played(
  [command, args]: readonly [string, readonly string[]],
  env: NodeJS.ProcessEnv,
): Promise<{ readonly code: number; readonly trouble?: string }> {
  const program = spawn(command, args, { stdio: "inherit", env });
  const pass = (signal: NodeJS.Signals): void => {
    // What a terminal's keys mean it has told the program as well.
    const isKey = signal === "SIGINT" || signal === "SIGQUIT";
    if (!isKey || !process.stdin.isTTY) program.kill(signal);
  };
  for (const signal of PASSED_ON) process.on(signal, pass);
  try {
    const [code, signal] = (await once(program, "exit")) as [number | null, NodeJS.Signals];
    return { code: code ?? SIGNALLED + constants.signals[signal] };
  } catch (thrown) {
    return asDict(thrown).code === "ENOENT"
      ? { code: NOT_FOUND, trouble: "is no program that could be found." }
      : { code: NOT_RUN, trouble: `could not be run: ${reasonOf(thrown)}` };
  } finally {
    for (const signal of PASSED_ON) process.off(signal, pass);
  }
}

const PASSED_ON = ["SIGINT", "SIGQUIT", "SIGTERM", "SIGHUP"] as const;

/** Exit codes of a shell. */
const [NOT_RUN, NOT_FOUND, SIGNALLED] = [126, 127, 128];
