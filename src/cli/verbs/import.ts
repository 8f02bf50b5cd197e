import { importArchive } from "../../engine/upkeep/import.ts";
import { inWords } from "./export.ts";
import { UsageError } from "../input/failure.ts";
import { type Flags, type Given, keyFrom } from "../input/flags.ts";
import { type Io } from "../render/io.ts";
import { teller } from "../input/open.ts";

export const flags: Flags = { "dry-run": { says: "read the archive and say what it holds" } };
export const examples = [
  "tidemark import friday.jsonl --workspace restored",
  "tidemark import friday.jsonl --dry-run",
];

/** An archive into a workspace that is not there yet. */
export async function run(given: Given, io: Io): Promise<number> {
  const [from, more] = given.words;
  if (from === undefined || more !== undefined)
    throw new UsageError("import needs one archive, such as: tidemark import friday.jsonl");
  const dry = given.on("dry-run");
  const report = await importArchive({
    from,
    workspace: given.workspace,
    now: Date.now,
    emit: teller(io),
    dry,
    ...keyFrom(io),
  });
  io.say(
    `${io.paint.green("✓")} ${dry ? `${from} is whole and could be imported into ${given.workspace}` : `${given.workspace} now holds`}${dry ? ":" : ""} ${inWords(report)}.`,
  );
  if (report.sealed !== undefined)
    io.say(
      io.paint.dim(
        report.sealed === "now"
          ? "The history was in plain text and is encrypted with TIDEMARK_HISTORY_KEY now; the archive and the old folder are not."
          : "The history in it is encrypted, with the key it had.",
      ),
    );
  return 0;
}
