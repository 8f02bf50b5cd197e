import { rebuildIndex } from "../../engine/upkeep/rebuild.ts";
import { JSON_FLAG, show, type Verb } from "../input/flags.ts";
import { needWorkspace } from "../input/open.ts";
import { count } from "../render/numbers.ts";

/** Makes the memory index anew from the daily logs; history is a file of its own and is not touched. */
export const rebuild: Verb = {
  flags: {
    "dry-run": { says: "only say what would change" },
    ...JSON_FLAG,
  },
  examples: ["tidemark rebuild", "tidemark rebuild --dry-run"],
  async run(given, io) {
    const folder = given.workspace;
    needWorkspace(folder);
    const dry = given.on("dry-run");
    const report = await rebuildIndex({ workspace: folder, now: Date.now, dry });
    const { memories, past, lines, files, differed, unlogged, odd, unread, aside, digest } = report;
    const { yellow, dim } = io.paint;
    return show(given, io, report, () => [
      `${dry ? "Would read" : "Read"} ${count(lines, "line")} of ${count(files, "daily log")}: ${count(memories, "memory", "memories")}, ${count(past, "earlier value")}.`,
      aside !== undefined &&
        (dry
          ? `The index ${aside} cannot be read and would be put aside.`
          : `The index could not be read; it was put aside as ${aside}.`),
      differed === 0
        ? "The index was right."
        : `${count(differed, "memory", "memories")} ${dry ? "would be put" : "put"} right.`,
      unlogged > 0 &&
        `${count(unlogged, "memory has", "memories have")} lost their log file; they are kept${dry ? "" : " and were written down again"}.`,
      odd > 0 &&
        yellow(
          `${count(odd, "line stands", "lines stand")} in a folder that is not of their scope; they were passed over.`,
        ),
      unread.map((place) => yellow(`${place} cannot be read; what the index held of it is kept.`)),
      dim(`digest ${digest}`),
    ]);
  },
};
