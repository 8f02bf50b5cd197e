import { type Flags, type Given } from "../input/flags.ts";
import { type Io } from "../render/io.ts";
import { withWorkspace } from "../input/open.ts";
import { json } from "../render/text.ts";
import { count } from "../render/numbers.ts";

export const flags: Flags = { json: { says: "the report as one JSON object" } };
export const examples = ["tidemark tidy", "tidemark tidy --json"];

/** Housekeeping: what has expired goes, what was queued is done where it can be, history is copied. */
export async function run(given: Given, io: Io): Promise<number> {
  const report = await withWorkspace(given, io, (tidemark) => tidemark.tidy());
  if (given.on("json")) {
    io.say(json(report, 2));
    return 0;
  }
  const { expired, caughtUp, backup } = report;
  io.say(
    expired === 0
      ? "Nothing had expired."
      : `${count(expired, "memory", "memories")} had expired and ${expired === 1 ? "was" : "were"} taken out.`,
  );
  if (caughtUp > 0)
    io.say(
      `${count(caughtUp, "distilling")} that had failed ${caughtUp === 1 ? "was" : "were"} done now.`,
    );
  if (backup !== undefined) io.say(`History was copied to ${backup}.`);
  return 0;
}
