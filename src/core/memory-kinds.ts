export const KINDS = ["fact", "learning", "record", "procedure", "episode", "policy"] as const;
export type MemoryKind = (typeof KINDS)[number];

/** A tag: no code or document says it. */
export const NON_INFERABLE = "non-inferable";

/** A type is a view on a memory's kind, and on whom it is about. */
export const MEMORY_TYPES = ["working", "episodic", "semantic", "procedural", "social"] as const;
export type MemoryType = (typeof MEMORY_TYPES)[number];

const ONE_NAME: ReadonlySet<string> = new Set(
  (
    "decision procedure principle incident preference rule correction constraint policy outcome " +
    "open-request failed-approach mistake-pattern best-practice identifier learning"
  ).split(" "),
);

/** A category that is built in has one name, whether one or many are meant. */
export function categoryName(given: string): string {
  const one = given
    .trim()
    .toLowerCase()
    .replace(/ies$/, "y")
    .replace(/(?<=ch)es$|s$/, "");
  return ONE_NAME.has(one) ? one : given;
}

/** Where a search looks. */
export const PLACES = ["memory", "files", "history"] as const;
export type SearchPlace = (typeof PLACES)[number];
