import { TidemarkError, reasonOf } from "../../model/errors.ts";
import { some } from "../render/layout.ts";

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
