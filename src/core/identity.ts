import { parsed } from "./base.ts";
import { refuse } from "./errors-and-events.ts";
import { byName, check, type Given, line, oneOf, options, where } from "./schema.ts";
import { digest } from "./text/cut.ts";

/** The speaker, as the host names it, never an agent's arguments. */
export interface Identity {
  /** Default "default". */
  agent?: string;
  team?: string;
  project?: string;
  user?: string;
  org?: string;
  /**
   * "human", "lead", "worker" (the default), "user" (who changes nothing that all users of an agent
   * share), or a word of yours that `writers` knows.
   */
  role?: string;
}

export const SCOPE_KINDS = ["agent", "team", "project", "user", "org"] as const;
export type ScopeKind = (typeof SCOPE_KINDS)[number];
/** `agent:probe`, `user:ada`: one owner of memories and files. */
export type Scope = `${ScopeKind}:${string}`;

const SCOPE = new RegExp(`^(?:${SCOPE_KINDS.join("|")}):`);
/** Has the value the form of a scope? */
export const isScope = (value: unknown): value is Scope =>
  typeof value === "string" && SCOPE.test(value);

/** The scope whose files stand at the top of the workspace. */
export const DEFAULT_SCOPE: Scope = "agent:default";

export const agentScope = (identity: Identity): Scope => `agent:${identity.agent ?? "default"}`;

/** Every scope the identity reads, the agent's own first. */
export const scopesOf = ({ agent = "default", ...others }: Identity): Scope[] =>
  SCOPE_KINDS.flatMap((kind) => {
    const id = kind === "agent" ? agent : others[kind];
    return id === undefined ? [] : (`${kind}:${id}` as const);
  });

/** A team's, a project's or an organisation's: what no single agent or user owns. */
export const isOfGroup = (scope: Scope): boolean => /^(?:team|project|org):/.test(scope);

/** Restricted writers, append-only, audited. */
export const isRestricted = (scope: Scope): boolean => scope.startsWith("org:");

/**
 * Where all is kept that names no scope, by whichever door it comes: with the user, where one is
 * named, else with the agent.
 */
export const homeOf = (identity: Identity): Scope =>
  identity.user === undefined ? agentScope(identity) : `user:${identity.user}`;

/**
 * One string per distinct identity: the root of its chains in history. JSON, so that no id can
 * imitate a separator;
 * `role` is left out because a promotion must not hide a conversation from the identity that had
 * it.
 */
export const identityKey = ({ agent = "default", team, project, user, org }: Identity): string =>
  JSON.stringify([agent, team ?? null, project ?? null, user ?? null, org ?? null]);

/** The identity of such a key, without a role; undefined for any other text. */
export function identityOf(key: string): Identity | undefined {
  const parts = parsed(key);
  if (!Array.isArray(parts)) return undefined;
  const [agent, team, project, user, org] = parts.map((part: unknown) =>
    typeof part === "string" ? part : undefined,
  );
  return agent === undefined ? undefined : { agent, team, project, user, org };
}

/** Ids become folder names and index terms, so they are held to one line of ordinary length. */
const ID = line(200);

export const IDENTITY_FIELDS: Given<Identity> = {
  ...{ agent: ID, team: ID, project: ID, user: ID, org: ID, role: ID },
};
export const IDENTITY = options(IDENTITY_FIELDS, "an object such as { agent, user }");

/** Throws "config" where one memory would be everybody's whose id is not known. */
export function checkUser(identity: Identity): void {
  if ("user" in identity && identity.user === undefined)
    refuse(
      "identity.user is there and undefined: give the user's id, or leave `user` out where all " +
        "may share one memory.",
    );
}

/** Throws "config" for what is no identity. */
export function checkIdentity(identity: Identity): Identity {
  check(IDENTITY, identity, "An identity");
  checkUser(identity);
  return identity;
}

/**
 * Were the conversations of a root had by the identity that is named? A user's were, with whichever
 * agent; where no user is named, all must be the same.
 */
export function isOf(named: Identity, root: string): boolean {
  const had = named.user === undefined ? undefined : identityOf(root);
  if (had === undefined) return root === identityKey(named);
  return SCOPE_KINDS.every((kind) => named[kind] === undefined || named[kind] === had[kind]);
}

/**
 * What may be done with memory in a scope. "promote" moves a memory there at once, "propose" asks
 * for that, "inject" tells an agent something as a lead's word, "decide" accepts or declines what
 * was proposed.
 */
export type Act = "add" | "change" | "forget" | "promote" | "propose" | "inject" | "decide";

const OF_AN_AGENT: readonly Act[] = ["add", "change", "forget", "promote"];
const SHARED: readonly Act[] = ["add", "change", "forget", "propose"];
const PERSON: readonly Act[] = ["add", "change", "forget", "promote", "decide"];
const LEAD: readonly Act[] = [...PERSON, "inject"];

/**
 * What a worker may in scopes of its own. An organisation's words are its people's, not its
 * workers'.
 */
const WORKER: Readonly<Record<ScopeKind, readonly Act[]>> = {
  agent: OF_AN_AGENT,
  team: SHARED,
  project: SHARED,
  user: OF_AN_AGENT,
  org: [],
};

/**
 * What a lead may in the scopes of other agents that were seen with its team: what is there already
 * is theirs.
 */
const ELSEWHERE: readonly Act[] = ["add", "promote", "inject"];

/** One table says which acts an identity may do where; memory, tools and files ask it. */
export type Rights = ReturnType<typeof rightsOf>;

export interface RightsAsked {
  readonly seen?: readonly string[];
  readonly byTools?: boolean;
  readonly writers?: Writers | undefined;
  /** Memories and pages of groups are only read. */
  readonly isBound?: boolean;
}

/**
 * `seen`: agents that were seen with the identity's team. `byTools`: the agent itself asks. A
 * person's agent is no person, and none writes in one user's name what all its users share.
 */
export function rightsOf(
  identity: Identity,
  { seen = [], byTools = false, writers = {}, isBound = false }: RightsAsked = {},
) {
  const { user, role: named = "worker" } = identity;
  const role = byTools && named === "human" ? "worker" : named;
  const own = scopesOf(identity);
  const others = seen.map((agent) => agentScope({ agent }));
  const actsIn = (scope: Scope): readonly Act[] => {
    const isLead = role === "lead";
    if (!own.includes(scope)) return isLead && others.includes(scope) ? ELSEWHERE : [];
    if (isLead) return LEAD;
    if (role === "human") return PERSON;
    const kind = scope.slice(0, scope.indexOf(":")) as ScopeKind;
    const isForOne = (byTools || role === "user") && user !== undefined;
    return isForOne && kind === "agent" ? [] : WORKER[kind];
  };
  const writersOf = (scope: Scope, category = ""): readonly string[] | undefined =>
    isRestricted(scope)
      ? (writers[category as OrgCategory] ?? WRITERS[category as OrgCategory])
      : undefined;
  /** A category of the organisation is for its writers alone. */
  const may = (act: Act, scope: Scope, category?: string): boolean => {
    if (isBound && isOfGroup(scope)) return false;
    const ruled = own.includes(scope) ? writersOf(scope, category) : undefined;
    return ruled?.includes(role) ?? actsIn(scope).includes(act);
  };
  return {
    may,
    ...{ role, isBound, agent: agentScope(identity) },
    writersOf,
    /** Scopes of its own in which it may. */
    where: (act: Act) => own.filter((scope) => may(act, scope)),
  };
}

/** An organisation writes these down for all its agents. */
export const ORG_CATEGORIES = [
  "core_policy",
  "adr",
  "convention",
  "standard",
  "procedure",
] as const;
export type OrgCategory = (typeof ORG_CATEGORIES)[number];

/** The roles that may write what the organisation keeps, by category. */
export type Writers = Readonly<Partial<Record<OrgCategory, readonly string[]>>>;

const SENIOR = ["human", "lead", "senior"];
const WRITERS: Required<Writers> = {
  core_policy: ["human"],
  adr: SENIOR,
  convention: SENIOR,
  standard: SENIOR,
  procedure: SENIOR,
};

/** Stands first in the system text of every agent, so there are few, and short ones. */
export const CORE_POLICY = "core_policy";
export const POLICIES = { most: 10, characters: 2_000 } as const;

export const isCorePolicy = (of: { readonly scope: string; readonly category: string }): boolean =>
  of.scope.startsWith("org:") && of.category === CORE_POLICY;

/** Tags of a value say who wrote it, as what, and why; and the same of its end. */
const SAID_OF = ["author", "role", "reason", "ended-by", "ended-for"] as const;
type SaidOf = (typeof SAID_OF)[number];

export const tagged = (said: Partial<Record<SaidOf, string | undefined>>): string[] =>
  SAID_OF.flatMap((name) => (said[name] === undefined ? [] : `${name}:${said[name]}`));

export const saidOf = (tags: readonly string[]): Partial<Record<SaidOf, string>> =>
  Object.fromEntries(
    SAID_OF.flatMap((name) => {
      const tag = tags.find((one) => one.startsWith(`${name}:`));
      return tag === undefined ? [] : [[name, tag.slice(name.length + 1)]];
    }),
  );

/** How long what is an identity's lives, the strictest first. */
const LEVELS = ["none", "session", "project", "persistent"] as const;
export type Level = (typeof LEVELS)[number];

/** By scope; "default" for identities of which no scope is named. */
export type Levels = Readonly<Partial<Record<"default" | Scope, Level>>>;

export const LEVELS_GIVEN = where(
  byName('an object of levels by scope, such as { "agent:scout": "session" }', oneOf(...LEVELS)),
  'an object of levels by scope: "default", or a scope such as "agent:scout" or "user:ada"',
  (levels) => Object.keys(levels).every((name) => name === "default" || isScope(name)),
);

/** The strictest level of the scopes that are named counts. */
export function levelOf(
  levels: Readonly<Record<string, Level | undefined>>,
  identity: Identity,
  nameOf: (name: string) => string = String,
): Level {
  const named = scopesOf(identity).map((scope) => levels[nameOf(scope)]);
  return LEVELS.find((level) => named.includes(level)) ?? levels[nameOf("default")] ?? "persistent";
}

/** Levels as a program gave them last; names are digests, for one may be of "none". */
export const LEVELS_NOTE = "levels";
export const notedLevels = (levels: Levels): string =>
  JSON.stringify(
    Object.fromEntries(Object.entries(levels).map(([name, level]) => [digest(name), level])),
  );

/** May it write what outlives it, where a group keeps that? */
export const writesThrough = (level: Level): boolean =>
  level === "project" || level === "persistent";
