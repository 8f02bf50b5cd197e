import { agentsOf } from "../../compaction/journal/identity-directory.ts";
import { present } from "../../core/base.ts";
import { usersIn } from "../../tidemark/upkeep/forget-user.ts";
import type { Verb } from "../input/flags.ts";
import { needWorkspace } from "../input/workspace-of-verb.ts";
import { columns, fit, plain, roomOf, table } from "../render/layout.ts";
import { ago, count } from "../render/numbers.ts";

/** Characters of a name as it is shown. */
const NAME = 24;
const NONE = "No agent of a team or project was seen yet.";

/** The agents, one line each; which users they talked to is not noted. */
export const agents: Verb = {
  flags: {},
  examples: ["tidemark agents", "tidemark agents --json"],
  async run({ place }, io) {
    needWorkspace(place.workspace);
    const found = await agentsOf(place.workspace);
    const rows = found.map(({ agent, team, project }): [string, string] => {
      const belongs = present([
        team !== undefined && `team ${fit(plain(team), NAME)}`,
        project !== undefined && `project ${fit(plain(project), NAME)}`,
      ]).join(", ");
      return [io.paint.cyan(fit(plain(agent), NAME)), belongs];
    });
    return { found, lines: found.length === 0 ? [NONE] : columns(rows, roomOf(io)) };
  },
};

/** The users with whom something was remembered or talked about, the latest first. */
export const users: Verb = {
  flags: {},
  examples: ["tidemark users", "tidemark users --json"],
  async run({ place }, io) {
    needWorkspace(place.workspace);
    const found = usersIn(place, Date.now());
    const rows = found.map(({ user, memories, conversations, updatedAt }) => [
      io.paint.cyan(plain(user)),
      count(memories, "memory", "memories"),
      count(conversations, "conversation"),
      ago(updatedAt),
    ]);
    const lines =
      found.length === 0
        ? ["No user was named yet: all there is belongs to the agent."]
        : [table(rows), io.paint.dim('"tidemark list --user ID" shows what is remembered of one.')];
    return { found, lines };
  },
};
