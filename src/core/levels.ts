import { type Identity, isScope, type Scope, scopesOf } from "./identity.ts";
import { digest } from "./text/cut.ts";
import { byName, oneOf, where } from "./schema.ts";

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
