import { TidemarkError, reasonOf } from "../model/errors.ts";

/** The command was not understood: exit 2. `message` is one line that says what to do. */
export class UsageError extends Error {
  override readonly name = "UsageError";
}

/** The command was understood and could not be done: exit 1. */
export class Failure extends Error {
  override readonly name = "Failure";
}

/** Anything that was thrown as one line. */
export function lineOf(thrown: unknown): string {
  const known =
    thrown instanceof UsageError || thrown instanceof Failure || thrown instanceof TidemarkError;
  const [first = ""] = reasonOf(thrown).trim().split("\n");
  const line = first.trim() === "" ? "something went wrong without a word" : first.trim();
  return known ? line : `${line} (TIDEMARK_DEBUG=1 shows where)`;
}

export const exitCodeOf = (thrown: unknown): number => (thrown instanceof UsageError ? 2 : 1);
