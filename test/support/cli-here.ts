import type { Io } from "../../src/cli/render/io.ts";
import { createPaint } from "../../src/cli/render/layout.ts";
import { execute } from "../../src/cli/run.ts";

/** A command line in this process: its exit code, and both outputs as one text. */
export async function executeHere(args: readonly string[]): Promise<{ code: number; out: string }> {
  let out = "";
  const io: Io = {
    say: (line = "") => (out += `${line}\n`),
    write: (text) => (out += text),
    warn: (line) => (out += `${line}\n`),
    paint: createPaint(false),
    columns: 100,
    seen: { output: false, errors: false },
    env: {},
  };
  return { code: await execute(args, io), out };
}
