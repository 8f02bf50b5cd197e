import { tidyExpired } from "../memory/memories.ts";
import { type Core } from "./core.ts";
import { checkpointUses } from "./uses.ts";
import { journal } from "./who.ts";

/** Takes out what has expired, of every scope, and notes how often the rest was used. Answers how many memories went. */
export async function tidyMemory({ store, workspace, now }: Pick<Core, "store" | "workspace" | "now">): Promise<number> {
  const gone = await tidyExpired({ store, now: now(), journal: (events) => journal(workspace, events, "tidy") });
  await checkpointUses(store, workspace);
  return gone;
}
