import { checksOfFiles } from "./doctor/files.ts";
import { checksOfMachine } from "./doctor/machine.ts";
import { checksOfWorkspace } from "./doctor/workspace.ts";
import { type Check } from "./doctor/check.ts";
import { UsageError } from "./failure.ts";
import { type Flags, type Given } from "./flags.ts";
import { type Io } from "./io.ts";
import { isWorkspace } from "./open.ts";
import { count } from "./render/numbers.ts";
import { wrap } from "./render/text.ts";

export const flags: Flags = {};
export const examples = ["tidemark doctor", "tidemark doctor --workspace ~/agents/support"];

/** Looks at everything; exit 1 only when something is broken. */
export async function run(given: Given, io: Io): Promise<number> {
  if (given.words.length > 0) throw new UsageError(`doctor takes no words; name the folder with --workspace ${given.words[0] ?? ""}`);
  const { paint } = io;
  const folder = given.workspace;
  const checks: Check[] = [...(await checksOfMachine(io.env)), ...(await checksOfWorkspace(folder)), ...(isWorkspace(folder) ? checksOfFiles(folder) : [])];
  const signs = { well: paint.green("✓"), look: paint.yellow("!"), broken: paint.red("✗") };
  for (const { state, says, advice } of checks) {
    const [first = "", ...more] = wrap(says, Math.min(100, io.columns) - 2);
    io.say(`${signs[state]} ${first}`);
    for (const line of more) io.say(`  ${line}`);
    if (advice !== undefined) for (const line of wrap(`→ ${advice}`, Math.min(100, io.columns) - 4)) io.say(`    ${paint.dim(line)}`);
  }
  const broken = checks.filter(({ state }) => state === "broken").length;
  const look = checks.filter(({ state }) => state === "look").length;
  io.say();
  io.say(broken > 0 ? paint.red(`${count(broken, "thing is", "things are")} broken.`) : look > 0 ? `Nothing is broken; ${count(look, "line deserves", "lines deserve")} a look.` : paint.green("All is well."));
  return broken > 0 ? 1 : 0;
}
