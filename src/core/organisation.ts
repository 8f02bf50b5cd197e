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
export const WRITERS: Required<Writers> = {
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
