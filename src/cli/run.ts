import { present } from "../core/base.ts";
import { packageVersion } from "../core/installed.ts";
import { didYouMean } from "../core/schema.ts";
import { COMMON, type Given, lineOf, readFlags, UsageError, type Verb } from "./input/flags.ts";
import { columns, type Io, json, plain, terminal } from "./render/layout.ts";
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
    // Claude Code takes 2 for a refusal of its user's prompt.
    if (args[0] === "hook") return 0;
    return thrown instanceof UsageError ? 2 : 1;
  }
}

async function run([name = "help", ...rest]: readonly string[], io: Io): Promise<number> {
  if (name === "help" || name === "--help" || name === "-h") {
    const [about = "-"] = rest;
    if (!about.startsWith("-")) return run([about, "--help"], io);
    overview().forEach(io.say);
    return 0;
  }
  if (name === "--version" || name === "-v") {
    io.say(packageVersion());
    return 0;
  }
  const verb = verbOf(name);
  const given = readFlags(rest, verb.flags ?? {}, name, io.env);
  if (given.on("help")) {
    verbHelp(name, verb).forEach(io.say);
    return 0;
  }
  checkWords(given, name, verb);
  const { found, lines = [], code = 0 } = await verb.run(given, io);
  if (given.on("json") && found !== undefined) io.write(`${json(found, 2)}\n`);
  else present(lines).forEach(io.say);
  return code;
}

function checkWords({ words, line }: Given, name: string, verb: Verb): void {
  const { takes, words: many, examples } = verb;
  if (takes === undefined && words.length > 0)
    throw new UsageError(
      `${name} takes no words, got "${words[0] ?? ""}"; "tidemark ${name} --help" says ` +
        "what it takes.",
    );
  if (takes === undefined || many === "any") return;
  if (line === "" || (words.length > 1 && many === undefined))
    throw new UsageError(
      `${name} takes ${takes}, got ` +
        `${line === "" ? "none" : `${words.length} words (quotes make them one)`}: ${examples[0]}`,
    );
}

function verbOf(name: string): Verb {
  const verb = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (verb !== undefined) return verb;
  throw new UsageError(
    `there is no verb "${name}".${didYouMean(name, Object.keys(VERBS))} "tidemark ` +
      '--help" lists them.',
  );
}

const STARTS = [
  "tidemark init",
  "tidemark replay session.jsonl --window 16k",
  "tidemark chat",
  'tidemark search "when did we change the port?"',
];

const overview = (): string[] => [
  "Tidemark keeps a chat loop under its context window and remembers what leaves it.",
  "",
  ...listing("tidemark ", VERBS),
  "",
  "For every verb:",
  ...listing("--", COMMON),
  "",
  "Examples:",
  ...STARTS.map(indented),
  "",
  "tidemark VERB --help says more about one. tidemark --version says which this is.",
];

const verbHelp = (name: string, { takes, says, flags = {}, examples }: Verb): string[] => [
  `${named("tidemark ", name, takes)}: ${says}`,
  "",
  ...(Object.keys(flags).length > 0 ? ["Flags:", ...listing("--", flags), ""] : []),
  "As for every verb:",
  ...listing("--", COMMON),
  "",
  "Examples:",
  ...examples.map(indented),
];

const named = (before: string, name: string, takes = ""): string =>
  `${before}${name} ${takes}`.trimEnd();

/** Verbs or flags, and beside them what they mean. */
const listing = (
  before: string,
  all: Readonly<Record<string, Pick<Verb, "takes" | "says">>>,
): string[] =>
  columns(Object.entries(all).map(([name, { takes, says }]) => [named(before, name, takes), says]));

const indented = (example: string): string => `  ${example}`;
