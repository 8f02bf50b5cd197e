import type { Check } from "../doctor/check.ts";
import { checksOfWorkspace } from "../doctor/workspace.ts";
import type { Verb } from "../input/flags.ts";
import type { Io } from "../render/io.ts";
import { needWorkspace, placeOf, withWorkspace } from "../input/open.ts";
import { count } from "../render/numbers.ts";
import { readable, hung } from "../render/layout.ts";

/** Looks at everything; exit 1 only when something is broken. */
export const doctor: Verb = {
  flags: {
    fix: { says: "mend damaged databases" },
  },
  examples: [
    "tidemark doctor",
    "tidemark doctor --fix",
    "tidemark doctor --workspace ~/agents/support",
  ],
  async run(given, io) {
    needWorkspace(given.workspace);
    const at = placeOf(given, io);
    let checks = await checksOfWorkspace(at);
    for (const check of checks) print(check, io);
    const ill = checks.flatMap(({ mend }) => mend ?? []);
    if (given.on("fix") && ill.length > 0) {
      for (const mend of ill) mend();
      // Opening mends what is marked, and tells of it.
      await withWorkspace(given, io, async () => undefined);
      checks = await checksOfWorkspace(at);
      for (const check of checks) if (check.state === "broken") print(check, io);
    }
    return summary(checks, io);
  },
};

function print({ state, says, advice }: Check, io: Io): void {
  const { paint } = io;
  const signs = { well: paint.green("✓"), look: paint.yellow("!"), broken: paint.red("✗") };
  for (const line of hung(`${signs[state]} `, says, readable(io))) io.say(line);
  if (advice !== undefined)
    for (const line of hung("    ", `→ ${advice}`, readable(io))) io.say(paint.dim(line));
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
