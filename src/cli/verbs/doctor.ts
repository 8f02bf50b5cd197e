import { reasonOf } from "../../model/errors.ts";
import { checksOfFiles } from "../doctor/files.ts";
import { checksOfMachine, type Check } from "../doctor/machine.ts";
import { checksOfWorkspace } from "../doctor/workspace.ts";
import { type Given, keyFrom, type Verb } from "../input/flags.ts";
import type { Io } from "../render/io.ts";
import { isWorkspace } from "../input/open.ts";
import { count } from "../render/numbers.ts";
import { readable } from "../render/table.ts";
import { wrap } from "../render/text.ts";

/** Looks at everything; exit 1 only when something is broken. */
export const doctor: Verb = {
  flags: {
    fix: { says: "mend what can be mended" },
    "dry-run": { says: "only say what --fix would do" },
  },
  examples: [
    "tidemark doctor",
    "tidemark doctor --fix --dry-run",
    "tidemark doctor --fix --workspace ~/agents/support",
  ],
  async run(given, io) {
    const checks = await checksOf(given.workspace, io);
    for (const check of checks) print(check, io, given);
    if (given.on("fix") && !given.on("dry-run")) return mended(checks, given, io);
    const fixes = checks.filter(({ fix }) => fix !== undefined).length;
    const code = summary(checks, io);
    if (fixes > 0 && !given.on("fix"))
      io.say(`"tidemark doctor --fix --dry-run" says what could be mended, "--fix" does it.`);
    return code;
  },
};

const checksOf = async (folder: string, io: Io): Promise<Check[]> => [
  ...checksOfMachine(io.env),
  ...(await checksOfWorkspace(folder, keyFrom(io))),
  ...(isWorkspace(folder) ? await checksOfFiles(folder) : []),
];

function print({ state, says, advice, fix }: Check, io: Io, given: Given): void {
  const { paint } = io;
  const signs = { well: paint.green("✓"), look: paint.yellow("!"), broken: paint.red("✗") };
  const [first = "", ...more] = wrap(says, readable(io) - 2);
  io.say(`${signs[state]} ${first}`);
  for (const line of more) io.say(`  ${line}`);
  const planned = given.on("dry-run") && fix ? `--fix would ${fix.does}` : undefined;
  const next = fix !== undefined && given.on("fix") ? planned : advice;
  if (next !== undefined)
    for (const line of wrap(`→ ${next}`, readable(io) - 4)) io.say(`    ${paint.dim(line)}`);
}

function summary(checks: readonly Check[], io: Io): number {
  const { paint } = io;
  const broken = checks.filter(({ state }) => state === "broken").length;
  const look = checks.filter(({ state }) => state === "look").length;
  io.say();
  if (broken > 0) io.say(paint.red(`${count(broken, "thing is", "things are")} broken.`));
  else if (look > 0)
    io.say(`Nothing is broken; ${count(look, "line deserves", "lines deserve")} a look.`);
  else io.say(paint.green("All is well."));
  return broken > 0 ? 1 : 0;
}

/** One after another, each said; then all is looked at again. */
async function mended(checks: readonly Check[], given: Given, io: Io): Promise<number> {
  const fixes = checks.flatMap(({ fix }) => fix ?? []);
  io.say();
  if (fixes.length === 0) io.say("There is nothing --fix could mend.");
  for (const { does, run: fix } of fixes) {
    try {
      for (const [at, line] of wrap(await fix(), readable(io) - 2).entries())
        io.say(at === 0 ? `${io.paint.green("✓")} ${line}` : `  ${line}`);
    } catch (thrown) {
      io.say(`${io.paint.red("✗")} could not ${does}: ${reasonOf(thrown)}`);
    }
  }
  const after = await checksOf(given.workspace, io);
  for (const check of after) if (check.state === "broken") print(check, io, given);
  return summary(after, io);
}
