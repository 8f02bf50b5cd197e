import { existsSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { defined, type ListItems } from "../../core/base.ts";
import { reasonOf, TidemarkError } from "../../core/errors-and-events.ts";
import { type Identity, SCOPE_KINDS } from "../../core/identity.ts";
import { didYouMean } from "../../core/schema.ts";
import type { HistoryOptions } from "../../session/options/tidemark-api.ts";
import type { WorkspaceAt } from "../../storage/sqlite/connect.ts";
import { type Io, some } from "../render/layout.ts";
import { parseTokens } from "../render/numbers.ts";

/** The command was not understood: exit 2. `message` is one line that says what to do. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The command was understood and could not be done: exit 1. */
export class Failure extends Error {
  override readonly name = "Failure";
}

export const firstLine = (thrown: unknown): string =>
  reasonOf(thrown).trim().split("\n")[0]?.trim() || "something went wrong without a word";

/** Anything that was thrown as one line. */
export function lineOf(thrown: unknown): string {
  const known =
    thrown instanceof UsageError || thrown instanceof Failure || thrown instanceof TidemarkError;
  const line = firstLine(thrown);
  return known ? line : `${line} (TIDEMARK_DEBUG=1 shows where)`;
}

/** Less than this is a slip, not an abbreviation. */
const LEAST_CHARACTERS = 4;
/** Ids begin with the time, so those of one hour look alike; their ends are chance. */
const SHORT = 7;

/** As much of an id as is shown, and understood. */
export const shortId = (id: string): string => id.slice(-SHORT);

/** The one that is meant by all of its id, the id's beginning or its end. */
export function named<T extends { readonly id: string }>(
  given: string,
  all: readonly T[],
  what: { one: string; lists: string },
): T {
  const fitting = all.filter(
    ({ id }) => given.length >= LEAST_CHARACTERS && (id.startsWith(given) || id.endsWith(given)),
  );
  const [only, another] = fitting;
  const one = all.find(({ id }) => id === given) ?? (another === undefined ? only : undefined);
  if (one !== undefined) return one;
  if (another === undefined)
    throw new Failure(
      `there is no ${what.one} "${given}"; "tidemark ${what.lists}" lists those there are.`,
    );
  const ids = fitting.map(({ id }) => shortId(id));
  throw new Failure(
    `"${given}" fits ${ids.length} ${what.one}s (${some(ids, 3)}): type more of the one you mean.`,
  );
}

/** The folder of a workspace where no other is named. */
export const USUAL = "workspace";

/** A folder Tidemark has been in. */
export const isWorkspace = (folder: string): boolean => existsSync(join(folder, ".tidemark"));

/**
 * The workspace that is meant where none is named: the nearest from the working folder upward, as
 * git looks for its own, else one to be made here. That of another user of the machine is not
 * taken.
 */
function workspaceHere(at = process.cwd()): string {
  const found = [join(at, USUAL), at].find((one) => isWorkspace(one) && isOurs(one));
  if (found !== undefined) return relative(process.cwd(), found) || ".";
  const above = dirname(at);
  return above === at ? USUAL : workspaceHere(above);
}

const isOurs = (folder: string): boolean =>
  process.getuid === undefined || statSync(folder).uid === process.getuid();

interface Flag {
  /** The name of its value in the help; absent for a flag that is on or off. */
  readonly takes?: string;
  readonly says: string;
}
export type Flags = Readonly<Record<string, Flag>>;

export const COMMON: Flags = {
  workspace: { takes: "DIR", says: 'the folder (default "workspace", here or further up)' },
  agent: { takes: "ID", says: "which agent is speaking" },
  user: { takes: "ID", says: "with whom (default TIDEMARK_USER)" },
  team: { takes: "ID", says: "in which team" },
  project: { takes: "ID", says: "in which project" },
  org: { takes: "ID", says: "in which organisation" },
  json: { says: "as JSON, for programs" },
  help: { says: "this text" },
};

export interface VerbAnswer {
  /** As a person reads it; what has no room in a terminal goes on below. */
  readonly lines?: readonly ListItems<string>[];
  /** The same for a program, said in their place with --json; undefined: it is said already. */
  readonly found: unknown;
  /** The exit code, 0 where it is not told. */
  readonly code?: number;
}

export interface Verb {
  readonly flags: Flags;
  readonly examples: readonly string[];
  /** A text it cannot do without. */
  readonly needs?: string;
  /** The name of its one word in the help. */
  readonly one?: string;
  run(given: Given, io: Io): Promise<VerbAnswer>;
}

/** A verb in the list of all; it is read only when it is asked for. */
export interface VerbEntry {
  readonly says: string;
  readonly takes?: string;
  readonly load: () => Promise<Verb>;
}

export class Given {
  readonly words: string[] = [];
  readonly values = new Map<string, string | true>();
  /** The user where no other is named, and the key of the workspace. */
  usual: string | undefined;
  key: string | undefined;

  on(name: string): boolean {
    return this.values.has(name);
  }

  text(name: string): string | undefined {
    const value = this.values.get(name);
    return typeof value === "string" ? value : undefined;
  }

  /**
   * What a flag's text stands for; one that stands for nothing is refused with what the flag takes.
   */
  read<T>(
    name: string,
    takes: string,
    meant: (text: string) => T | undefined,
    known: readonly string[] = [],
  ): T | undefined {
    const text = this.text(name);
    const value = text === undefined ? undefined : meant(text);
    if (text === undefined || value !== undefined) return value;
    const wrong = text.split(/\s*,\s*/).find((part) => !known.includes(part)) ?? text;
    throw new UsageError(`--${name} takes ${takes}, got "${text}".${didYouMean(wrong, known)}`);
  }

  whole(name: string, most: number, least = 1): number | undefined {
    return this.read(name, `a whole number from ${least} to ${most}`, (text) => {
      const value = Number(text);
      return /^\d+$/.test(text) && value >= least && value <= most ? value : undefined;
    });
  }

  tokens(name: string): number | undefined {
    return this.read(name, "a number of tokens from 1k up, such as 16k, 200k or 1m", (text) => {
      const value = parseTokens(text) ?? 0;
      return value >= 1_000 ? value : undefined;
    });
  }

  /** All that stands behind the verb: words without quotes are one text too. */
  get line(): string {
    return this.words.join(" ").trim();
  }

  get workspace(): string {
    return this.text("workspace") ?? workspaceHere();
  }

  /** With the key from the environment. */
  get place(): WorkspaceAt {
    return { workspace: this.workspace, key: this.key };
  }

  get identity(): Identity {
    const given = Object.fromEntries(SCOPE_KINDS.map((kind) => [kind, this.text(kind)]));
    return defined({ ...given, user: given.user ?? this.usual });
  }
}

/** Reads the arguments behind a verb; throws UsageError with what to do instead. */
export function readFlags(
  args: readonly string[],
  own: Flags,
  verb: string,
  env: NodeJS.ProcessEnv = {},
): Given {
  const flags: Flags = { ...own, ...COMMON };
  const options = Object.fromEntries(
    Object.entries(flags).map(([name, { takes }]) => [
      name,
      { type: takes === undefined ? ("boolean" as const) : ("string" as const) },
    ]),
  );
  const { tokens } = parseArgs({
    args: [...args],
    options: { ...options, help: { type: "boolean", short: "h" } },
    strict: false,
    allowPositionals: true,
    tokens: true,
  });
  const given = new Given();
  given.usual = env.TIDEMARK_USER || undefined;
  given.key = env.TIDEMARK_KEY || undefined;
  for (const token of tokens) {
    if (token.kind === "positional") given.words.push(token.value);
    if (token.kind !== "option") continue;
    const { name } = token;
    const flag = Object.hasOwn(flags, name) ? flags[name] : undefined;
    if (flag === undefined)
      throw new UsageError(
        `${verb} knows no flag ` +
          `${token.rawName}.${didYouMean(name, Object.keys(flags), "--")} "tidemark ` +
          `${verb} --help" lists its flags; a text that begins with a dash stands behind "--".`,
      );
    if (flag.takes === undefined && token.value !== undefined)
      throw new UsageError(`--${name} takes no value.`);
    if (
      flag.takes !== undefined &&
      (token.value === undefined ||
        token.value === "" ||
        (token.inlineValue === false && /^--?[a-z]/i.test(token.value)))
    )
      throw new UsageError(`--${name} needs ${flag.takes} behind it: ${flag.says}.`);
    given.values.set(name, token.value ?? true);
  }
  return given;
}

export const historyFlag: Flags = {
  history: {
    takes: "HOW",
    says: "keep messages verbatim or masked (no secrets); remembered",
  },
};

const KEPT = ["verbatim", "masked"] as const;

/** As the command line says; what it leaves open is as the history was kept before. */
export const historyFrom = (given: Given): HistoryOptions => ({
  keep: given.read(
    "history",
    "verbatim or masked",
    (text) => KEPT.find((how) => how === text),
    KEPT,
  ),
});
