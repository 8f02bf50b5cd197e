import { type Io, createPaint } from "../../src/cli/render/layout.ts";
import { execute } from "../../src/cli/run.ts";

/** A command line in this process: its exit code, and both outputs, `all` of them as one text. */
export async function executeHere(
  args: readonly string[],
  { columns = 100, seen = false, env = {}, now }: Partial<Look> = {},
): Promise<{ code: number; out: string; err: string; all: string }> {
  let [out, err, all] = ["", "", ""];
  const write = (text: string): void => {
    out += text;
    all += text;
  };
  const io: Io = {
    write,
    say: (line = "") => write(`${line}\n`),
    warn: (line) => {
      err += `${line}\n`;
      all += `${line}\n`;
    },
    paint: createPaint(false),
    columns,
    seen,
    env,
    ...(now && { now }),
  };
  return { code: await execute(args, io), out, err, all };
}

interface Look {
  readonly columns: number;
  /** A person looks at the output. */
  readonly seen: boolean;
  readonly env: NodeJS.ProcessEnv;
  readonly now: () => number;
}
