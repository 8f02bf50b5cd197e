import { existsSync, statSync } from "node:fs";
import { dirname, join, relative } from "node:path";
import { parseArgs } from "node:util";
import { defined, type ListItems } from "../../core/base.ts";
import { reasonOf, TidemarkError } from "../../core/errors-and-events.ts";
import { type Identity, SCOPE_KINDS } from "../../core/identity.ts";
import { didYouMean } from "../../core/schema.ts";
import type { WorkspaceAt } from "../../storage/sqlite/database-file.ts";
import { isAddress } from "../../session/options/read-options.ts";
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
  const line = firstLine(thrown);
  return [UsageError, Failure, TidemarkError].some((ours) => thrown instanceof ours)
    ? line
    : `${line} (TIDEMARK_DEBUG=1 shows where)`;
}

/** Less than this is a slip, not an abbreviation. */
const LEAST_CHARACTERS = 4;
/** Ids begin with the time, so those of one hour look alike; their ends are chance. */
const SHORT = 7;

/** As much of an id as is shown, and understood. */
export const shortId = (id: string): string => id.slice(-SHORT);

/** The one that is meant by all of a name of its, the name's beginning or its end. */
export function named<T extends { readonly id: string }>(
  given: string,
  all: readonly T[],
  { one, lists, names = ({ id }) => [id] }: NamedAs<T>,
): T {
  const isMeant = (name: string): boolean => name.startsWith(given) || name.endsWith(given);
  const exact = all.filter((each) => names(each).includes(given));
  const fitting =
    exact.length > 0 || given.length < LEAST_CHARACTERS
      ? exact
      : all.filter((each) => names(each).some(isMeant));
  const [only, another] = fitting;
  if (only === undefined)
    throw new Failure(`there is no ${one} "${given}"; "tidemark ${lists}" lists those there are.`);
  if (another === undefined) return only;
  const ids = fitting.map(({ id }) => shortId(id));
  throw new Failure(
    `"${given}" fits ${ids.length} ${one}s (${some(ids, 3)}): type more of the one you mean.`,
  );
}

interface NamedAs<T> {
  readonly one: string;
  /** The verb that lists them. */
  readonly lists: string;
  readonly names?: (one: T) => readonly string[];
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
  /** It may be given several times. */
  readonly many?: true;
  readonly says: string;
}
export type Flags = Readonly<Record<string, Flag>>;

export const COMMON: Flags = {
  workspace: {
    takes: "DIR",
    says: 'a folder (default "workspace", here or further up), or postgres://…',
  },
  agent: { takes: "ID", says: "which agent is speaking" },
  user: { takes: "ID", says: "with whom (default TIDEMARK_USER)" },
  team: { takes: "ID", says: "in which team" },
  project: { takes: "ID", says: "in which project" },
  org: { takes: "ID", says: "in which organisation" },
  json: { says: "as JSON, for programs" },
  help: { says: "this text" },
};

export interface VerbAnswer {
  /** As a person reads it. */
  readonly lines?: readonly ListItems<string>[];
  /** The same for a program, said in their place with --json; undefined: it is said already. */
  readonly found: unknown;
  /** The exit code, 0 where it is not told. */
  readonly code?: number;
}

export interface Verb {
  readonly says: string;
  /** Its words in the help; absent for a verb without. */
  readonly takes?: string;
  /** How many of them: one where nothing is said; "any": it looks for itself. */
  readonly words?: "some" | "any";
  readonly flags?: Flags;
  readonly examples: readonly [string, ...string[]];
  run(given: Given, io: Io): Promise<VerbAnswer>;
}

export type Given = ReturnType<typeof givenOf>;

/** Reads what was typed behind a verb. */
function givenOf(
  words: readonly string[],
  values: Readonly<Record<string, unknown>>,
  env: NodeJS.ProcessEnv,
) {
  const text = (name: string): string | undefined => {
    const value = values[name];
    if (value === "") throw new UsageError(`--${name} needs a value behind it.`);
    return typeof value === "string" ? value : undefined;
  };
  /**
   * What a flag's text stands for; one that stands for nothing is refused with what the flag takes.
   */
  const read = <T>(
    name: string,
    takes: string,
    meant: (text: string) => T | undefined,
    known: readonly string[] = [],
  ): T | undefined => {
    const given = text(name);
    const value = given === undefined ? undefined : meant(given);
    if (given === undefined || value !== undefined) return value;
    const wrong = given.split(/\s*,\s*/).find((part) => !known.includes(part)) ?? given;
    throw new UsageError(`--${name} takes ${takes}, got "${given}".${didYouMean(wrong, known)}`);
  };
  const place = (): string | undefined => text("workspace") ?? (env.TIDEMARK_STORE || undefined);
  const workspace = (): string => {
    const named = place();
    if (named !== undefined && isAddress(named))
      throw new UsageError("this works on a folder and on no server: name one with --workspace.");
    return named ?? workspaceHere();
  };
  return {
    words,
    text,
    read,
    all: (name: string): string[] => [values[name] ?? []].flat().map(String),
    on: (name: string): boolean => values[name] !== undefined,
    whole: (name: string, most: number): number | undefined =>
      read(name, `a whole number from 1 to ${most}`, (digits) => {
        const value = Number(digits);
        return /^\d+$/.test(digits) && value >= 1 && value <= most ? value : undefined;
      }),
    tokens: (name: string): number | undefined =>
      read(name, "a number of tokens from 1k up, such as 16k, 200k or 1m", (size) => {
        const value = parseTokens(size) ?? 0;
        return value >= 1_000 ? value : undefined;
      }),
    /** All that stands behind the verb: words without quotes are one text too. */
    line: words.join(" ").trim(),
    /** The server's address, where no folder is meant. It may hold a password. */
    get store(): string | undefined {
      return [place() ?? ""].find(isAddress);
    },
    get workspace(): string {
      return workspace();
    },
    /** With the key from the environment. */
    get place(): WorkspaceAt {
      return { workspace: workspace(), key: env.TIDEMARK_KEY || undefined };
    },
    /** A folder, or a server. */
    get where(): WorkspaceAt {
      return { workspace: place() ?? workspaceHere(), key: env.TIDEMARK_KEY || undefined };
    },
    get identity(): Identity {
      const given = Object.fromEntries(SCOPE_KINDS.map((kind) => [kind, text(kind)]));
      return defined({ ...given, user: given.user ?? (env.TIDEMARK_USER || undefined) });
    },
  };
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
    Object.entries(flags).map(([name, { takes, many = false }]) => [
      name,
      { type: takes === undefined ? ("boolean" as const) : ("string" as const), multiple: many },
    ]),
  );
  try {
    const { positionals, values } = parseArgs({
      args: [...args],
      options: { ...options, help: { type: "boolean", short: "h" } },
      allowPositionals: true,
    });
    return givenOf(positionals, values, env);
  } catch (thrown) {
    const said = firstLine(thrown);
    const [, unknown = ""] = /^Unknown option '--?([^']*)/.exec(said) ?? [];
    throw new UsageError(
      `${said.replace(/\.?$/, ".")}${didYouMean(unknown, Object.keys(flags), "--")} "tidemark ` +
        `${verb} --help" lists its flags.`,
    );
  }
}
