import { type Flags, type Given, JSON_FLAG, show } from "../input/flags.ts";
import { type Io } from "../render/io.ts";
import { withWorkspace } from "../input/open.ts";
import { count } from "../render/numbers.ts";

export const flags: Flags = JSON_FLAG;
export const examples = ["tidemark tidy", "tidemark tidy --json"];

/** Housekeeping: what has expired goes, what was queued is done where it can be, history is copied. */
export async function run(given: Given, io: Io): Promise<number> {
  const report = await withWorkspace(given, io, (tidemark) => tidemark.tidy());
  const { expired, caughtUp, backup } = report;
  return show(given, io, report, () => [
    expired === 0
      ? "Nothing had expired."
      : `${count(expired, "memory", "memories")} had expired and ${expired === 1 ? "was" : "were"} taken out.`,
    ...(caughtUp > 0
      ? [
          `${count(caughtUp, "distilling")} that had failed ${caughtUp === 1 ? "was" : "were"} done now.`,
        ]
      : []),
    ...(backup === undefined ? [] : [`History was copied to ${backup}.`]),
  ]);
}
