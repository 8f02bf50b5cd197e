import { reasonOf } from "../../model/errors.ts";
import { checksOfFiles } from "../doctor/files.ts";
import { checksOfMachine, type Check } from "../doctor/machine.ts";
import { checksOfWorkspace } from "../doctor/workspace.ts";
import type { VerbAnswer, Given, Verb } from "../input/flags.ts";
import type { Io } from "../render/io.ts";
import { isWorkspace } from "../input/open.ts";
import { count } from "../render/numbers.ts";
import { readable, hung } from "../render/layout.ts";

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
    const hint = `"tidemark doctor --fix --dry-run" says what could be mended, "--fix" does it.`;
    const hinted = !given.on("fix") && checks.some(({ fix }) => fix !== undefined);
    const { lines, code } = summary(checks, io);
    return { lines: [lines, hinted && hint], code };
  },
};

const checksOf = async (folder: string, io: Io): Promise<Check[]> => [
  ...checksOfMachine(io.env),
  ...(await checksOfWorkspace(folder)),
  ...(isWorkspace(folder) ? await checksOfFiles(folder) : []),
];

function print({ state, says, advice, fix }: Check, io: Io, given: Given): void {
  const { paint } = io;
  const signs = { well: paint.green("✓"), look: paint.yellow("!"), broken: paint.red("✗") };
  for (const line of hung(`${signs[state]} `, says, readable(io))) io.say(line);
  const planned = given.on("dry-run") && fix ? `--fix would ${fix.does}` : undefined;
  const next = fix !== undefined && given.on("fix") ? planned : advice;
  if (next !== undefined)
    for (const line of hung("    ", `→ ${next}`, readable(io))) io.say(paint.dim(line));
}

function summary(checks: readonly Check[], { paint }: Io) {
  const many = (state: Check["state"]) => checks.filter((one) => one.state === state).length;
  const [broken, look] = [many("broken"), many("look")];
  const calm =
    look > 0
      ? `Nothing is broken; ${count(look, "line deserves", "lines deserve")} a look.`
      : paint.green("All is well.");
  const said = broken > 0 ? paint.red(`${count(broken, "thing is", "things are")} broken.`) : calm;
  return { lines: ["", said], code: broken > 0 ? 1 : 0 };
}

/** One after another, each said; then all is looked at again. */
async function mended(checks: readonly Check[], given: Given, io: Io): Promise<VerbAnswer> {
  const fixes = checks.flatMap(({ fix }) => fix ?? []);
  io.say();
  if (fixes.length === 0) io.say("There is nothing --fix could mend.");
  for (const { does, run: fix } of fixes) {
    try {
      for (const line of hung(`${io.paint.green("✓")} `, await fix(), readable(io))) io.say(line);
    } catch (thrown) {
      io.say(`${io.paint.red("✗")} could not ${does}: ${reasonOf(thrown)}`);
    }
  }
  const after = await checksOf(given.workspace, io);
  for (const check of after) if (check.state === "broken") print(check, io, given);
  return summary(after, io);
}
