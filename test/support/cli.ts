import { spawn } from "node:child_process";
import { fileURLToPath } from "node:url";
import { executeHere } from "./cli-here.ts";
import { builtUrl } from "./built.ts";

const MAIN = fileURLToPath(builtUrl("cli/main"));

export interface Ran {
  readonly code: number | null;
  readonly out: string;
  readonly err: string;
}

export interface Running {
  readonly done: Promise<Ran>;
  /** Resolves when standard output holds the text. */
  until(text: string): Promise<void>;
  type(line: string): void;
  end(): void;
  interrupt(): void;
  terminate(): void;
}

const BARE = {
  ANTHROPIC_API_KEY: "",
  ANTHROPIC_BASE_URL: "",
  ANTHROPIC_AUTH_TOKEN: "",
  TIDEMARK: "",
  TIDEMARK_DEBUG: "",
  NODE_OPTIONS: "",
};

/** The command line as a process of its own, to be typed at. */
export function start(
  args: readonly string[],
  { env = {}, cwd }: { env?: NodeJS.ProcessEnv; cwd?: string } = {},
): Running {
  const child = spawn(process.execPath, [MAIN, ...args], {
    env: { ...process.env, ...BARE, ...env },
    ...(cwd === undefined ? {} : { cwd }),
  });
  let out = "";
  let err = "";
  const waiting = new Set<() => void>();
  const wake = (): void => waiting.forEach((look) => look());
  child.stdout.setEncoding("utf8").on("data", (part: string) => {
    out += part;
    wake();
  });
  child.stderr.setEncoding("utf8").on("data", (part: string) => (err += part));
  const done = new Promise<Ran>((resolve) =>
    child.on("close", (code) => resolve({ code, out, err })),
  );
  return {
    done,
    until: (text) =>
      new Promise((resolve, reject) => {
        const look = (): void => {
          if (!out.includes(text)) return;
          waiting.delete(look);
          resolve();
        };
        waiting.add(look);
        look();
        void done.then(() => reject(new Error(`ended before it said "${text}":\n${out}\n${err}`)));
      }),
    type: (line) => void child.stdin.write(`${line}\n`),
    end: () => void child.stdin.end(),
    interrupt: () => void child.kill("SIGINT"),
    terminate: () => void child.kill("SIGTERM"),
  };
}

type Apart = Parameters<typeof start>[1] & { input?: string };

/** In this process, unless it needs an environment, a folder or an input of its own. */
export const run = (args: readonly string[], options: Apart = {}): Promise<Ran> =>
  Object.keys(options).length === 0
    ? executeHere(args, { env: { ...process.env, ...BARE } })
    : runApart(args, options);

export function runApart(args: readonly string[], options: Apart = {}): Promise<Ran> {
  const running = start(args, options);
  if (options.input !== undefined) for (const line of options.input.split("\n")) running.type(line);
  running.end();
  return running.done;
}
