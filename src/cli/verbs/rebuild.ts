import { rebuildIndex } from "../../engine/upkeep/rebuild.ts";
import { type Flags, type Given, JSON_FLAG, show } from "../input/flags.ts";
import { type Io } from "../render/io.ts";
import { needWorkspace } from "../input/open.ts";
import { count } from "../render/numbers.ts";

export const flags: Flags = {
  "dry-run": { says: "only say what would change" },
  ...JSON_FLAG,
};
export const examples = ["tidemark rebuild", "tidemark rebuild --dry-run"];

/** Makes the memory index anew from the daily logs; history is a file of its own and is not touched. */
export async function run(given: Given, io: Io): Promise<number> {
  const folder = given.workspace;
  needWorkspace(folder);
  const dry = given.on("dry-run");
  const report = await rebuildIndex({ workspace: folder, now: Date.now, dry });
  const { memories, past, lines, files, differed, unlogged, odd, unread, aside, digest } = report;
  const { yellow, dim } = io.paint;
  return show(given, io, report, () => [
    `${dry ? "Would read" : "Read"} ${count(lines, "line")} of ${count(files, "daily log")}: ${count(memories, "memory", "memories")}, ${count(past, "earlier value")}.`,
    ...(aside === undefined
      ? []
      : [
          dry
            ? `The index ${aside} cannot be read and would be put aside.`
            : `The index could not be read; it was put aside as ${aside}.`,
        ]),
    differed === 0
      ? "The index was right."
      : `${count(differed, "memory", "memories")} ${dry ? "would be put" : "put"} right.`,
    ...(unlogged > 0
      ? [
          `${count(unlogged, "memory has", "memories have")} lost their log file; they are kept${dry ? "" : " and were written down again"}.`,
        ]
      : []),
    ...(odd > 0
      ? [
          yellow(
            `${count(odd, "line stands", "lines stand")} in a folder that is not of their scope; they were passed over.`,
          ),
        ]
      : []),
    ...unread.map((place) => yellow(`${place} cannot be read; what the index held of it is kept.`)),
    dim(`digest ${digest}`),
  ]);
}
