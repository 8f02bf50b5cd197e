import { exportArchive } from "../../engine/upkeep/export.ts";
import { Failure, UsageError } from "../input/failure.ts";
import { type Flags, type Given } from "../input/flags.ts";
import { type Io, packageVersion } from "../render/io.ts";
import { isWorkspace, teller } from "../input/open.ts";
import { json } from "../render/text.ts";
import { count } from "../render/numbers.ts";

export const flags: Flags = { json: { says: "the report as one JSON object" } };
export const examples = [
  "tidemark export friday.jsonl",
  "tidemark export ~/backups/support.jsonl --workspace ~/agents/support",
];

/** All of a workspace, every scope and conversation, as one file of JSON lines. */
export async function run(given: Given, io: Io): Promise<number> {
  const [to, more] = given.words;
  if (to === undefined || more !== undefined)
    throw new UsageError("export needs one file to write, such as: tidemark export friday.jsonl");
  if (!isWorkspace(given.workspace))
    throw new Failure(`There is no workspace in ${given.workspace}; name one with --workspace.`);
  const report = await exportArchive({
    workspace: given.workspace,
    to,
    now: Date.now,
    by: packageVersion(),
    emit: teller(io),
  });
  if (given.on("json")) io.say(json(report, 2));
  else {
    io.say(`${io.paint.green("✓")} ${to}: ${inWords(report)}.`);
    for (const path of report.leftOut)
      io.say(io.paint.yellow(`! ${path} was left out: a link, or larger than 20 MB.`));
    io.say(
      io.paint.dim(
        report.sealed
          ? "Conversations in it are encrypted as in the history; memories and pages are not."
          : "It holds every conversation word for word: keep it as you would keep them.",
      ),
    );
  }
  return 0;
}

export const inWords = ({
  files,
  memories,
  past,
  conversations,
  messages,
}: {
  files: number;
  memories: number;
  past: number;
  conversations: number;
  messages: number;
}): string =>
  `${count(files, "file")}, ${count(memories, "memory", "memories")} (${count(past, "earlier value")}), ${count(conversations, "conversation")} with ${count(messages, "message")}`;
