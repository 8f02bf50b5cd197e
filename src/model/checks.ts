import { shown, TidemarkError } from "./errors.ts";

/**
 * The text of an identifier. Half a surrogate pair is no character: a database writes every such half alike, and two users,
 * keys or conversations would be one. Throws TidemarkError "config".
 */
export function wholeCharacters(text: string, name: string): string {
  if (text.isWellFormed()) return text;
  const why = "such halves are all stored alike, so two names would be one";
  throw new TidemarkError(
    "config",
    `${name} must not hold half a character (a lone surrogate), got ${shown(text)}: ${why}; give whole characters.`,
  );
}

/** Throws "config" for what is no whole number from 1 to `most`. */
export function checkWhole(value: unknown, name: string, most: number): number {
  if (typeof value !== "number" || !Number.isInteger(value) || value < 1 || value > most)
    throw new TidemarkError(
      "config",
      `${name} must be a whole number from 1 to ${most}, got ${shown(value)}.`,
    );
  return value;
}
