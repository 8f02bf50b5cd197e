import { type Io, sayer } from "../../src/cli/render/layout.ts";
import { execute } from "../../src/cli/run.ts";

/** A command line in this process: its exit code, and both outputs, `all` of them as one text. */
export async function executeHere(
  args: readonly string[],
  { env = {}, now }: Partial<Look> = {},
): Promise<{ code: number; out: string; err: string; all: string }> {
  let [out, err, all] = ["", "", ""];
  const write = (text: string): void => {
    out += text;
    all += text;
  };
  const io: Io = {
    write,
    say: sayer(write),
    warn: sayer((text) => {
      err += text;
      all += text;
    }),
    env,
    ...(now && { now }),
  };
  return { code: await execute(args, io), out, err, all };
}

interface Look {
  readonly env: NodeJS.ProcessEnv;
  readonly now: () => number;
}
