import { rebuildIndex } from "../../engine/upkeep/rebuild.ts";
import { type Flags, type Given } from "../input/flags.ts";
import { type Io } from "../render/io.ts";
import { needWorkspace } from "../input/open.ts";
import { json } from "../render/text.ts";
import { count } from "../render/numbers.ts";

export const flags: Flags = {
  "dry-run": { says: "only say what would change" },
  json: { says: "the report as one JSON object" },
};
export const examples = ["tidemark rebuild", "tidemark rebuild --dry-run"];

/** Makes the memory index anew from the daily logs; history is a file of its own and is not touched. */
export async function run(given: Given, io: Io): Promise<number> {
  const folder = given.workspace;
  needWorkspace(folder);
  const dry = given.on("dry-run");
  const report = await rebuildIndex({ workspace: folder, now: Date.now, dry });
  if (given.on("json")) {
    io.say(json(report, 2));
    return 0;
  }
  const { memories, past, lines, files, differed, unlogged, odd, unread, aside, digest } = report;
  io.say(
    `${dry ? "Would read" : "Read"} ${count(lines, "line")} of ${count(files, "daily log")}: ${count(memories, "memory", "memories")}, ${count(past, "earlier value")}.`,
  );
  if (aside !== undefined)
    io.say(
      dry
        ? `The index ${aside} cannot be read and would be put aside.`
        : `The index could not be read; it was put aside as ${aside}.`,
    );
  io.say(
    differed === 0
      ? "The index was right."
      : `${count(differed, "memory", "memories")} ${dry ? "would be put" : "put"} right.`,
  );
  if (unlogged > 0)
    io.say(
      `${count(unlogged, "memory has", "memories have")} lost their log file; they are kept${dry ? "" : " and were written down again"}.`,
    );
  if (odd > 0)
    io.say(
      io.paint.yellow(
        `${count(odd, "line stands", "lines stand")} in a folder that is not of their scope; they were passed over.`,
      ),
    );
  for (const place of unread)
    io.say(io.paint.yellow(`${place} cannot be read; what the index held of it is kept.`));
  io.say(io.paint.dim(`digest ${digest}`));
  return 0;
}
