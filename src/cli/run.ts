import { present } from "../core/base.ts";
import { didYouMean } from "../core/schema.ts";
import {
  COMMON,
  type Given,
  lineOf,
  readFlags,
  UsageError,
  type Verb,
  type VerbEntry,
} from "./input/flags.ts";
import {
  columns,
  hung,
  type Io,
  json,
  packageVersion,
  plain,
  roomOf,
  terminal,
  width,
  wrap,
} from "./render/layout.ts";
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
    return thrown instanceof UsageError ? 2 : 1;
  }
}

async function run([name = "help", ...rest]: readonly string[], io: Io): Promise<number> {
  if (name === "help" || name === "--help" || name === "-h") {
    const [about = "-"] = rest;
    if (!about.startsWith("-")) return run([about, "--help"], io);
    io.say(overview(io.columns));
    return 0;
  }
  if (name === "--version" || name === "-v") {
    io.say(packageVersion());
    return 0;
  }
  const verb = await entryOf(name).load();
  const given = readFlags(rest, verb.flags, name, io.env);
  if (given.on("help")) {
    io.say(verbHelp(name, verb, io.columns));
    return 0;
  }
  checkWords(given, name, verb);
  const { found, lines = [], code = 0 } = await verb.run(given, io);
  if (given.on("json") && found !== undefined) io.say(json(found, 2));
  else for (const line of present(lines)) for (const part of fitted(line, io)) io.say(part);
  return code;
}

/**
 * A line that is wider than the terminal goes on below, as far in as it begins; to a program each
 * is one line.
 */
function fitted(line: string, io: Io): string[] {
  if (line.includes("\n") || width(line) <= roomOf(io)) return [line];
  const text = line.trimStart();
  return hung(line.slice(0, -text.length), text, io.columns);
}

function checkWords({ words, line }: Given, name: string, { needs, one, examples }: Verb): void {
  const [example = ""] = examples;
  if (one !== undefined && words.length !== 1)
    throw new UsageError(
      `${name} takes one ${one}, got ` +
        `${words.length === 0 ? "none" : `${words.length} words (quotes make them one)`}: ` +
        `${example}.`,
    );
  if (needs !== undefined && line === "")
    throw new UsageError(`${name} needs ${needs}: ${example}`);
  if (VERBS[name]?.takes === undefined && words.length > 0)
    throw new UsageError(
      `${name} takes no words, got "${words[0] ?? ""}"; "tidemark ${name} --help" says ` +
        "what it takes.",
    );
}

function entryOf(name: string): VerbEntry {
  const entry = Object.hasOwn(VERBS, name) ? VERBS[name] : undefined;
  if (entry !== undefined) return entry;
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

export function overview(room: number): string {
  return [
    ...wrap(
      "Tidemark keeps a chat loop under its context window and remembers what leaves it.",
      room,
    ),
    "",
    ...listing("tidemark ", VERBS, room),
    "",
    "For every verb:",
    ...listing("--", COMMON, room),
    "",
    "Examples:",
    ...STARTS.map(indented),
    "",
    ...wrap(
      "tidemark VERB --help says more about one. tidemark --version says which this is.",
      room,
    ),
  ].join("\n");
}

export function verbHelp(name: string, { flags, examples }: Verb, room: number): string {
  const { takes, says = "" } = VERBS[name] ?? {};
  return [
    ...wrap(`${named("tidemark ", name, takes)}: ${says}`, room),
    "",
    ...(Object.keys(flags).length > 0 ? ["Flags:", ...listing("--", flags, room), ""] : []),
    "As for every verb:",
    ...listing("--", COMMON, room),
    "",
    "Examples:",
    ...examples.map(indented),
  ].join("\n");
}

const named = (before: string, name: string, takes = ""): string =>
  `${before}${name} ${takes}`.trimEnd();

/** Verbs or flags, and beside them what they mean. */
const listing = (
  before: string,
  all: Readonly<Record<string, Pick<VerbEntry, "takes" | "says">>>,
  room: number,
): string[] =>
  columns(
    Object.entries(all).map(([name, { takes, says }]) => [named(before, name, takes), says]),
    room,
  );

const indented = (example: string): string => `  ${example}`;
