import type { Verb } from "../input/flags.ts";
import { opened } from "../input/workspace-of-verb.ts";
import { paint, plain, table } from "../render/layout.ts";
import { ago, count } from "../render/numbers.ts";

/** The users with whom something was remembered or talked about, the latest first. */
export const users: Verb = {
  says: "with whom there are memories and conversations",
  examples: ["tidemark users", "tidemark users --json"],
  run: opened(async (tidemark) => {
    const found = await tidemark.users.list();
    const rows = found.map(({ user, memories, conversations, updatedAt }) => [
      paint.cyan(plain(user)),
      count(memories, "memory", "memories"),
      count(conversations, "conversation"),
      ago(updatedAt),
    ]);
    const lines =
      found.length === 0
        ? ["No user was named yet: all there is belongs to the agent."]
        : [table(rows), paint.dim('"tidemark list --user ID" shows what is remembered of one.')];
    return { found, lines };
  }),
};
