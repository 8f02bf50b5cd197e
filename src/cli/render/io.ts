import { readFileSync } from "node:fs";
import { createPaint, type Paint } from "./layout.ts";
import { packageFile } from "../../model/installed.ts";

export interface Io {
  /** A line, or several, on standard output. */
  readonly say: (line?: string) => void;
  /** Part of a line on standard output. */
  readonly write: (text: string) => void;
  /** A line on standard error. */
  readonly warn: (line: string) => void;
  readonly paint: Paint;
  /** Characters of a line: the terminal's, 80 where there is none. */
  readonly columns: number;
  /** A person looks at standard output, and at standard error. */
  readonly seen: { readonly output: boolean; readonly errors: boolean };
  readonly env: NodeJS.ProcessEnv;
  /** ms since epoch; the machine's where it is left out. */
  readonly now?: () => number;
}

/** No line is made for a narrower terminal. */
const NARROWEST = 80;

/**
 * Columns a line may take where a person looks; to a program each thing is one line, however long.
 */
export const roomOf = ({ seen, columns }: Pick<Io, "seen" | "columns">): number =>
  seen.output ? columns : Infinity;

export function terminal({
  stdout,
  stderr,
  env,
}: Pick<NodeJS.Process, "stdout" | "stderr" | "env">): Io {
  for (const stream of [stdout, stderr])
    stream.on("error", (error: NodeJS.ErrnoException) => {
      // The reader has seen enough: `tidemark replay … | head`.
      if (error.code === "EPIPE") process.exit(0);
      process.stderr.write(`tidemark: the output cannot be written (${error.message}).\n`);
      process.exit(1);
    });
  return {
    write: (text) => void stdout.write(text),
    say: (line = "") => void stdout.write(`${line}\n`),
    warn: (line) => void stderr.write(`${line}\n`),
    paint: createPaint(!env.NO_COLOR && stdout.isTTY && stdout.hasColors()),
    columns: stdout.isTTY ? Math.max(NARROWEST, stdout.columns) : 80,
    seen: { output: stdout.isTTY, errors: stderr.isTTY },
    env,
  };
}

export const packageVersion = (): string =>
  (JSON.parse(readFileSync(packageFile("package.json"), "utf8")) as { version: string }).version;
