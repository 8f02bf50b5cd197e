import { JSON_FLAG, show, type Verb } from "../input/flags.ts";
import { withWorkspace } from "../input/open.ts";
import { count } from "../render/numbers.ts";

/** Housekeeping: what has expired goes, what was queued is done where it can be, history is copied. */
export const tidy: Verb = {
  flags: JSON_FLAG,
  examples: ["tidemark tidy", "tidemark tidy --json"],
  async run(given, io) {
    const report = await withWorkspace(given, io, (tidemark) => tidemark.tidy());
    const { expired, caughtUp, backup } = report;
    return show(given, io, report, () => [
      expired === 0
        ? "Nothing had expired."
        : `${count(expired, "memory", "memories")} had expired and ${expired === 1 ? "was" : "were"} taken out.`,
      caughtUp > 0 &&
        `${count(caughtUp, "distilling")} that had failed ${caughtUp === 1 ? "was" : "were"} done now.`,
      backup !== undefined && `History was copied to ${backup}.`,
    ]);
  },
};
