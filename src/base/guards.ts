/** A plain JSON object, the only shape we look into. */
export type Dict = Readonly<Record<string, unknown>>;

export const isDict = (value: unknown): value is Dict =>
  typeof value === "object" && value !== null && !Array.isArray(value);
export const asDict = (value: unknown): Dict => (isDict(value) ? value : {});
export const asText = (value: unknown): string => (typeof value === "string" ? value : "");

export const isOneOf = <T>(list: readonly T[], value: unknown): value is T =>
  list.some((one) => one === value);

/** The value of a text of JSON; undefined where it is none. */
export function parsed(text: string): unknown {
  // Asked of every line of a log: to throw and catch takes as long as all the rest of the line.
  if (text === "") return undefined;
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
/** A text that is a JSON object. */
export function dictIn(text: string): Dict | undefined {
  const held = parsed(text);
  return isDict(held) ? held : undefined;
}
/** The members of a text that is a JSON object; none of any other. */
export const membersIn = (text = ""): [string, unknown][] => Object.entries(dictIn(text) ?? {});
export const dicts = (value: unknown): Dict[] => (Array.isArray(value) ? value.filter(isDict) : []);

/**
 * The members that have a value: what is not given leaves no trace, neither in JSON nor in a
 * comparison.
 */
export function defined<T extends object>(members: T): Partial<T> {
  const found: Partial<T> = {};
  for (const name of Object.keys(members) as (keyof T)[])
    if (members[name] !== undefined) found[name] = members[name];
  return found;
}

export type ListItems<T> = T | readonly T[] | false | undefined;

export const present = <T>(parts: readonly ListItems<T>[]): T[] =>
  parts.flatMap((part) => (part === false || part === undefined ? [] : part));
