import { present } from "../../core/base.ts";
import type { Verb } from "../input/flags.ts";
import { withWorkspace } from "../input/workspace-of-verb.ts";

/** Prints the wake-up prompt; exit 1 where nothing is due, so that `&&` and cron can go by it. */
export const heartbeat: Verb = {
  says: "what to wake an agent with: what HEARTBEAT.md asks for",
  examples: ["tidemark heartbeat", "tidemark heartbeat --agent scout > prompt.md"],
  async run(given, io) {
    const found = await withWorkspace(given, io, (tidemark) => tidemark.heartbeat());
    if (found.prompt === undefined) io.warn(`Not due: ${found.why}`);
    return { found, lines: present([found.prompt]), code: found.due ? 0 : 1 };
  },
};
