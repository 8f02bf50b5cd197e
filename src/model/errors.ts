/** What went wrong, as a closed list a program can switch on. */
export type ErrorCode =
  | "window" // system and tools alone do not fit
  | "config" // an option or argument that cannot be meant
  | "closed" // used after close()
  | "store" // a database said no
  | "workspace" // a file of the workspace cannot be read or written
  | "history" // the verbatim archive cannot be read or written
  | "distil" // the distiller failed and nothing could take its place
  | "embed" // an embedder failed
  | "scope-denied" // the identity may not write there
  | "not-found"; // an update of something that is not there

const MARK = Symbol.for("tidemark.error");

/** The only error Tidemark throws. `message` is one sentence: what, where, what to do. */
export class TidemarkError extends Error {
  override readonly name = "TidemarkError";
  readonly code: ErrorCode;
  readonly [MARK] = true;
  constructor(code: ErrorCode, message: string, options?: { cause?: unknown }) {
    super(message, options);
    this.code = code;
  }
}

/** True for a TidemarkError of any copy of this package in the process. */
export const isTidemarkError = (value: unknown): value is TidemarkError =>
  typeof value === "object" && value !== null && MARK in value;

/** Any value as a few words of a sentence: never throws, never long. */
export function shown(value: unknown): string {
  try {
    const text = JSON.stringify(value) ?? typeof value;
    return text.length > 100 ? `${text.slice(0, 100)}…` : text;
  } catch {
    return `a value of type ${typeof value}`;
  }
}

/** The words of anything that was thrown. */
export const reasonOf = (thrown: unknown): string => (thrown instanceof Error ? thrown.message : String(thrown));
