import { join } from "node:path";
import { defined } from "../../base/guards.ts";
import { type Scope } from "../../model/identity.ts";
import { tidyExpired } from "../../memory/saving/forgetting.ts";
import { atRest } from "../../store/sqlite/checkpointer.ts";
import { shrink } from "../../store/sqlite/shrink.ts";
import { type Core, type Who } from "../session/context.ts";
import { type TidyReport } from "../options/types.ts";
import { held } from "../runtime/background.ts";
import { workOff } from "../background/catch-up.ts";
import { readNow } from "../background/at-rest.ts";
import { backUp } from "./salvage-backup.ts";
import { checkpointUses, journal } from "../journal/journal.ts";

/** Takes out what has expired, does what was queued, backs history up. */
export async function tidy(core: Core, who: Who): Promise<TidyReport> {
  const expired = await tidyMemory(core, who.scopes);
  const caughtUp =
    (await held(workOff(core, who, { due: false }))) + (await held(readNow(core, who)));
  const backup = core.off ? undefined : backUp({ ...core, root: core.files });
  return { expired, caughtUp, ...defined({ backup }) };
}

/** Takes out what has expired, of every scope, and notes how often the rest was used. Answers how many memories of `scopes` went. */
async function tidyMemory(
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
