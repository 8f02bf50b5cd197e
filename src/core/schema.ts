import * as z from "zod/mini";
import { isOneOf } from "./base.ts";
import { refuse, shown } from "./errors-and-events.ts";

/** Edits that turn one word into the other; a swap of neighbours counts as one. */
function distance(one: string, other: string): number {
  let before: number[] = [];
  let last = Array.from({ length: other.length + 1 }, (_, index) => index);
  for (let row = 1; row <= one.length; row++) {
    const next = [row];
    for (let column = 1; column <= other.length; column++) {
      const same = one[row - 1] === other[column - 1];
      const swapped = one[row - 1] === other[column - 2] && one[row - 2] === other[column - 1];
      next.push(
        Math.min(
          (last[column] ?? 0) + 1,
          (next[column - 1] ?? 0) + 1,
          (last[column - 1] ?? 0) + (same ? 0 : 1),
          swapped ? (before[column - 2] ?? 0) + 1 : Infinity,
        ),
      );
    }
    [before, last] = [last, next];
  }
  return last[other.length] ?? 0;
}

/** The known word that was probably meant; undefined when none comes near. */
export function nearest(word: string, known: readonly string[]): string | undefined {
  const begun = known.filter((name) => word.length > 1 && name.startsWith(word));
  if (begun.length === 1) return begun[0];
  const [best] = known
    .map((name) => ({ name, steps: distance(word, name) }))
    .sort((a, b) => a.steps - b.steps);
  return best && best.steps <= Math.max(1, Math.floor(best.name.length / 3))
    ? best.name
    : undefined;
}

/** `, did you mean "chat"?` or nothing. */
export function didYouMean(word: string, known: readonly string[], prefix = ""): string {
  const meant = nearest(word, known);
  return meant === undefined ? "" : ` Did you mean "${prefix}${meant}"?`;
}

/** Words that stand in no name of a skill: Anthropic's API refuses them. */
export const RESERVED = /anthropic|claude/;

/**
 * The schemas of all that a host hands over. The error of a schema completes the sentence
 * "X must be …".
 */
export interface Schema<out T = unknown> {
  // Declarations that a host reads name no package that it need not have.
  readonly _zod: { readonly output: T };
}
const zod = <T>(schema: Schema<T>) => schema as z.ZodMiniType<T>;

/** A schema for each member of an object, of those too that may be left out. */
export type Fields<T> = { readonly [Name in keyof T]-?: Schema<T[Name]> };

export const optional = <T>(schema: Schema<T>): Schema<T | undefined> => z.optional(zod(schema));

/** The form of a value as JSON, as far as JSON Schema has words for it. */
export interface JsonForm {
  readonly type?: string | readonly string[];
  readonly enum?: readonly unknown[];
  readonly description?: string;
  readonly items?: JsonForm;
  readonly anyOf?: readonly JsonForm[];
  readonly properties?: Readonly<Record<string, JsonForm>>;
  readonly required?: readonly string[];
}
/** The forms of all schemas that only say by a function what they take. */
export const FORMS = z.registry<JsonForm>();

/** A value that `holds`. */
export const is = <T>(
  want: string,
  holds: (value: unknown) => boolean,
  form: JsonForm = {},
): Schema<T> => z.custom<T>(holds, want).register(FORMS, { description: want, ...form });

/** Whatever it is: it is looked at where it is read. */
export const anything = optional(is("anything", () => true)) as unknown as Schema<never>;

/** Whatever a person wrote, read as what it can only mean; nothing of it is refused. */
export const read = <T>(as: (value: unknown) => T): Schema<T> =>
  z.pipe(z.optional(z.unknown()), z.transform(as));

/** The value as its schema of `read`s reads it. */
export const reading = <T>(schema: Schema<T>, value: unknown): T => z.parse(zod(schema), value);

/** One of the schemas. */
export const either = <Of extends readonly Schema[]>(
  want: string,
  ...schemas: Of
): Schema<Of[number]["_zod"]["output"]> => z.union(schemas.map(zod), want);

type Shape = Record<string, z.ZodMiniType>;

/** An object with these members and no others. */
export const object = <T extends object>(
  fields: Fields<T>,
  want = `an object with ${Object.keys(fields).join(", ")}`,
): Schema<T> =>
  z.strictObject(fields as unknown as Shape, {
    error: ({ code }) => (code === "unrecognized_keys" ? Object.keys(fields).join(", ") : want),
  }) as unknown as Schema<T>;

/** An object with these members, and whatever else stands in it. */
export const holding = <T extends object>(fields: Fields<T>): Schema<T> =>
  z.object(
    fields as unknown as Shape,
    `an object with ${Object.keys(fields).join(", ")}`,
  ) as unknown as Schema<T>;

/** The members of an object of which each may be left out. */
export type Given<T> = { readonly [Name in keyof T]-?: Schema<Exclude<T[Name], undefined>> };

/** The same where each may be left out. */
export const options = <T extends object>(fields: Given<T>, want?: string): Schema<T> =>
  object(
    Object.fromEntries(
      Object.entries<Schema>(fields).map(([name, schema]) => [name, optional(schema)]),
    ) as unknown as Fields<T>,
    want,
  );

export const list = <T>(want: string, item: Schema<T>, most = Infinity): Schema<readonly T[]> =>
  z.array(zod(item), want).check(z.maxLength(most, want));
/** An object of such values, whatever their names are. */
export const byName = <T>(want: string, value: Schema<T>): Schema<Readonly<Record<string, T>>> =>
  z.record(z.string(), zod(value), want);

export const oneOf = <const T>(...values: readonly T[]): Schema<T> =>
  is(values.map((value) => JSON.stringify(value)).join(" or "), (value) => isOneOf(values, value), {
    enum: values,
  });
export const flag: Schema<boolean> = oneOf(true, false);
export const callable = <T>(): Schema<T> =>
  is("a function", (value) => typeof value === "function");

const isText = (value: unknown): value is string => typeof value === "string";
const TEXT: JsonForm = { type: "string" };
const NUMBER: JsonForm = { type: "number" };
export const words: Schema<string> = is("a text", isText, TEXT);
export const text: Schema<string> = is(
  "a text that is not empty",
  (value) => isText(value) && value !== "",
  TEXT,
);
export const textOf = (most: number, least = 1): Schema<string> =>
  is(
    `a text of ${least} to ${most} characters`,
    (value) => isText(value) && value.trim().length >= least && value.length <= most,
    TEXT,
  );
/**
 * The text of an identifier, on one line. Half a surrogate pair is no character: a database writes
 * every such half alike, and two users, keys or conversations would be one.
 */
export const line = (most: number): Schema<string> =>
  is(
    `1 to ${most} whole characters on one line`,
    (value) =>
      isText(value) &&
      value.trim() !== "" &&
      value.length <= most &&
      !/\p{Cc}/u.test(value) &&
      value.isWellFormed(),
    TEXT,
  );
/** The same, on however many. */
export const name = (most: number): Schema<string> =>
  is(
    most === Infinity ? "a text of whole characters" : `a text of 1 to ${most} whole characters`,
    (value) => isText(value) && value !== "" && value.length <= most && value.isWellFormed(),
    TEXT,
  );
export const path: Schema<string> = is(
  "a folder's path",
  (value) => isText(value) && /^[^\0]+$/.test(value),
);

export const from = (least: number, want = `a number from ${least}`): Schema<number> =>
  is(want, (value) => typeof value === "number" && value >= least);
export const above = (want: string): Schema<number> =>
  is(want, (value) => typeof value === "number" && value > 0);
export const share: Schema<number> = is(
  "a number from 0 to 1",
  (value) => typeof value === "number" && value >= 0 && value <= 1,
  NUMBER,
);
export const whole = (most: number, least = 1): Schema<number> =>
  is(
    `a whole number from ${least}${most === Infinity ? "" : ` to ${most}`}`,
    (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
    { type: "integer" },
  );

/** Another condition on what a schema takes. */
export const where = <T>(
  schema: Schema<T>,
  want: string,
  holds: (value: T) => boolean,
): Schema<T> => zod(schema).check(z.refine(holds, want));

/**
 * Throws "config", in one sentence, for what the schema does not take. `noun` names its members.
 */
export function check<T>(
  schema: Schema<T>,
  given: unknown,
  owner: string,
  noun = "",
): asserts given is T {
  // Nothing is compiled for a schema: it is asked too seldom, and a host may forbid it.
  const issue = firstOf(z.safeParse(zod(schema), given, { jitless: true }).error?.issues ?? []);
  if (issue !== undefined) refuse(sentenceOf(innermost(issue), given, owner, noun));
}

type Issue = z.core.$ZodIssue;

/** A name that nothing reads tells why another is missing. */
const firstOf = (issues: readonly Issue[]): Issue | undefined =>
  issues.find(({ code }) => code === "unrecognized_keys") ?? issues[0];

/** A trouble inside says more than that none of several shapes was met. */
function innermost(issue: Issue): Issue {
  const inside =
    issue.code === "invalid_union"
      ? firstOf(
          issue.errors
            .flat()
            .filter(({ path: at, code }) => at.length > 0 || code === "unrecognized_keys"),
        )
      : undefined;
  return inside ? innermost({ ...inside, path: [...issue.path, ...inside.path] }) : issue;
}

function sentenceOf(issue: Issue, given: unknown, owner: string, noun: string): string {
  const { message } = issue;
  const place = issue.path.map(String);
  const called = (...more: string[]): string => [...place, ...more].join(".");
  if (issue.code === "unrecognized_keys") {
    const [key = ""] = issue.keys;
    const meant = nearest(key, message.split(", "));
    const known = meant === undefined ? `it knows ${message}.` : `did you mean "${called(meant)}"?`;
    return `${owner} knows no ${noun}"${called(key)}"; ${known}`;
  }
  const value = place.reduce<unknown>((at, step) => Reflect.get(Object(at), step), given);
  const got = `${message}, got ${shown(value)}.`;
  return place.length === 0
    ? `${owner} takes ${got}`
    : `${owner}: ${noun}"${called()}" must be ${got}`;
}
