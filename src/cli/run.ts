import { exitCodeOf, lineOf, UsageError } from "./input/failure.ts";
import { readFlags } from "./input/flags.ts";
import { overview, verbHelp } from "./help.ts";
import { terminal, type Io, packageVersion } from "./render/io.ts";
import { didYouMean } from "../model/spelling.ts";
import { plain } from "./render/text.ts";
import { VERBS } from "./verbs.ts";

export async function main(): Promise<void> {
  process.exitCode = await execute(process.argv.slice(2), terminal(process));
}

/** The exit code: 0 done, 1 could not be done, 2 not understood. What went wrong is one line. */
export async function execute(args: readonly string[], io: Io): Promise<number> {
  try {
    return await run(args, io);
  } catch (thrown) {
    const debug =
      io.env.TIDEMARK_DEBUG === "1" && thrown instanceof Error ? thrown.stack : undefined;
    io.warn(debug ?? `tidemark: ${plain(lineOf(thrown))}`);
    return exitCodeOf(thrown);
  }
}

async function run([name, ...rest]: readonly string[], io: Io): Promise<number> {
  if (name === undefined || name === "--help" || name === "-h" || name === "help")
    return help(rest[0], io);
  if (name === "--version" || name === "-v") {
    io.say(packageVersion());
    return 0;
  }
  const entry = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (entry === undefined) throw unknown(name);
  const verb = await entry.load();
  const given = readFlags(rest, verb.flags, name);
  if (given.on("help")) {
    io.say(verbHelp(name, verb, io.columns));
    return 0;
  }
  return verb.run(given, io);
}

async function help(name: string | undefined, io: Io): Promise<number> {
  const entry = name !== undefined && Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (name !== undefined && entry === undefined && !name.startsWith("-")) throw unknown(name);
  io.say(
    entry && name !== undefined
      ? verbHelp(name, await entry.load(), io.columns)
      : overview(io.columns),
  );
  return 0;
}

function unknown(name: string): UsageError {
  if (name.startsWith("-"))
    return new UsageError(
      `the verb comes first: tidemark ${Object.keys(VERBS).join(" | ")}. "tidemark --help" says what they do.`,
    );
  return new UsageError(
    `there is no verb "${name}".${didYouMean(name, Object.keys(VERBS))} "tidemark --help" lists them.`,
  );
}
