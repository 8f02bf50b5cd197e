import { join } from "node:path";
import { type Scope } from "../../model/identity.ts";
import { tidyExpired } from "../../memory/saving/forgetting.ts";
import { atRest } from "../../store/sqlite/checkpointer.ts";
import { shrink } from "../../store/sqlite/shrink.ts";
import { type Core } from "../session/context.ts";
import { checkpointUses } from "../journal/uses.ts";
import { journal } from "../journal/journal.ts";

/** Takes out what has expired, of every scope, and notes how often the rest was used. Answers how many memories of `scopes` went. */
export async function tidyMemory(
  { store, workspace, now, files }: Pick<Core, "store" | "workspace" | "now" | "files">,
  scopes: readonly Scope[],
): Promise<number> {
  const gone = await tidyExpired({
    store,
    scopes,
    now: now(),
    alone: (work) => workspace.alone(work),
    journal: (events) => journal(workspace, events, { author: "tidy" }),
  });
  await checkpointUses(store, workspace);
  for (const name of files === undefined ? [] : ["index.db", "history.db"]) {
    const path = join(files ?? "", ".tidemark", name);
    await atRest(path);
    shrink(path);
  }
  return gone;
}
