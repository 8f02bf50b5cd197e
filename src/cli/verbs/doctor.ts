import { reasonOf } from "../../model/errors.ts";
import { checksOfFiles } from "../doctor/files.ts";
import { checksOfMachine, type Check } from "../doctor/machine.ts";
import { checksOfWorkspace } from "../doctor/workspace.ts";
import type { VerbAnswer, Given, Verb } from "../input/flags.ts";
import type { Io } from "../render/io.ts";
import { isWorkspace } from "../input/find.ts";
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
    const lines = checks.flatMap((check) => checkLines(check, io, given));
    if (given.on("fix") && !given.on("dry-run")) return mended(checks, lines, { given, io });
    const hint = `"tidemark doctor --fix --dry-run" says what could be mended, "--fix" does it.`;
    const hinted = !given.on("fix") && checks.some(({ fix }) => fix !== undefined);
    return answerOf(checks, lines, { paint: io.paint, hint: hinted ? hint : undefined });
  },
};

const checksOf = async (folder: string, io: Io): Promise<Check[]> => [
  ...checksOfMachine(io.env),
  ...(await checksOfWorkspace(folder)),
  ...(isWorkspace(folder) ? await checksOfFiles(folder) : []),
];

function checkLines({ state, says, advice, fix }: Check, io: Io, given: Given): string[] {
  const { paint } = io;
  const signs = { well: paint.green("✓"), look: paint.yellow("!"), broken: paint.red("✗") };
  const planned = given.on("dry-run") && fix ? `--fix would ${fix.does}` : undefined;
  const next = fix !== undefined && given.on("fix") ? planned : advice;
  return [
    ...hung(`${signs[state]} `, says, readable(io)),
    ...(next === undefined ? [] : hung("    ", `→ ${next}`, readable(io)).map(paint.dim)),
  ];
}

function answerOf(
  checks: readonly Check[],
  lines: VerbAnswer["lines"],
  { paint, hint, done = [] }: Pick<Io, "paint"> & { hint?: string; done?: readonly string[] },
): VerbAnswer {
  const many = (state: Check["state"]) => checks.filter((one) => one.state === state).length;
  const [broken, look] = [many("broken"), many("look")];
  const calm =
    look > 0
      ? `Nothing is broken; ${count(look, "line deserves", "lines deserve")} a look.`
      : paint.green("All is well.");
  const said = broken > 0 ? paint.red(`${count(broken, "thing is", "things are")} broken.`) : calm;
  const found = checks.map(({ fix, ...check }) => ({ ...check, fix: fix?.does }));
  return {
    found: { checks: found, done },
    lines: [...(lines ?? []), "", said, hint],
    code: broken > 0 ? 1 : 0,
  };
}

/** One after another; then all is looked at again. */
async function mended(
  checks: readonly Check[],
  before: readonly string[],
  { given, io }: { given: Given; io: Io },
): Promise<VerbAnswer> {
  const fixes = checks.flatMap(({ fix }) => fix ?? []);
  const done: string[] = [];
  const lines = [...before, ""];
  if (fixes.length === 0) lines.push("There is nothing --fix could mend.");
  for (const { does, run: fix } of fixes) {
    try {
      const said = await fix();
      done.push(said);
      lines.push(...hung(`${io.paint.green("✓")} `, said, readable(io)));
    } catch (thrown) {
      lines.push(`${io.paint.red("✗")} could not ${does}: ${reasonOf(thrown)}`);
    }
  }
  const after = await checksOf(given.workspace, io);
  const broken = after.filter(({ state }) => state === "broken");
  lines.push(...broken.flatMap((check) => checkLines(check, io, given)));
  return answerOf(after, lines, { paint: io.paint, done });
}
