import type { Check } from "../doctor/check.ts";
import { checksOfWorkspace } from "../doctor/workspace.ts";
import type { Verb, VerbAnswer } from "../input/flags.ts";
import type { Io } from "../render/io.ts";
import { needWorkspace, withWorkspace } from "../input/open.ts";
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
    const before = await checksOfWorkspace(given.place);
    const lines = before.flatMap((check) => checkLines(check, io));
    const ill = before.flatMap(({ mend }) => mend ?? []);
    if (!given.on("fix") || ill.length === 0) return answerOf(before, [lines, summary(before, io)]);
    for (const mend of ill) mend();
    // Opening mends what is marked, and tells of it.
    await withWorkspace(given, io, async () => undefined);
    const after = await checksOfWorkspace(given.place);
    const still = after.filter(({ state }) => state === "broken");
    const left = still.flatMap((check) => checkLines(check, io));
    return answerOf(after, [lines, left, summary(after, io)]);
  },
};

function checkLines({ state, says, advice }: Check, io: Io): string[] {
  const { paint } = io;
  const signs = { well: paint.green("✓"), look: paint.yellow("!"), broken: paint.red("✗") };
  return [
    ...hung(`${signs[state]} `, says, readable(io)),
    ...(advice === undefined ? [] : hung("    ", `→ ${advice}`, readable(io)).map(paint.dim)),
  ];
}

const many = (checks: readonly Check[], state: Check["state"]): number =>
  checks.filter((one) => one.state === state).length;

function summary(checks: readonly Check[], { paint }: Io): string[] {
  const [broken, look] = [many(checks, "broken"), many(checks, "look")];
  const calm =
    look > 0
      ? `Nothing is broken; ${count(look, "line deserves", "lines deserve")} a look.`
      : paint.green("All is well.");
  return ["", broken > 0 ? paint.red(`${count(broken, "thing is", "things are")} broken.`) : calm];
}

const answerOf = (checks: readonly Check[], lines: VerbAnswer["lines"]): VerbAnswer => ({
  found: { checks: checks.map(({ state, says, advice }) => ({ state, says, advice })) },
  lines,
  code: many(checks, "broken") > 0 ? 1 : 0,
});
