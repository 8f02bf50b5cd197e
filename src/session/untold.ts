import { telling } from "../core/errors-and-events.ts";
import type { Memory } from "../core/memory.ts";
import { NON_INFERABLE } from "../core/memory-kinds.ts";
import { toldAs } from "../memory/recalling/salience.ts";
import { createInferable, isSaidIn } from "../workspace/search/inferable.ts";
import type { Ground, Kept, Settings } from "./ports.ts";

/** Pages that people keep; logs and conversations say all that memory says. */
const KEPT = /(?:^|\/)(?:records|notes)\/|(?:AGENTS|SOUL|USER)\.md$/;
/** Passages that are looked at of each. */
const PASSAGES = 5;

type UntoldCore = Pick<Settings, "options"> &
  Pick<Kept, "workspace"> &
  Pick<Ground, "now" | "emit">;

/** What an agent cannot read elsewhere: memories without those that documents and pages say. */
export function createUntold({ options, workspace, now, emit }: UntoldCore): Kept["untold"] {
  const { inferable } = options;
  if (inferable === undefined) return async (_, all) => all;
  const documents = createInferable(inferable, now);
  return async ({ who: { scopes }, patience }, all) => {
    const looking = documents.look().catch(telling(emit, "inferable"));
    await patience.wait(looking, patience.left());
    const isSaid = async (memory: Memory): Promise<boolean> => {
      const { content, tags } = memory;
      if (toldAs(memory) !== "facts" || tags.includes(NON_INFERABLE)) return false;
      if (documents.says(content)) return true;
      const pages = await workspace.search(content, { scopes, limit: PASSAGES });
      return pages.some(({ path, text }) => KEPT.test(path) && isSaidIn(text, content));
    };
    const said = await Promise.all(all.map(isSaid));
    return all.filter((_, at) => said[at] !== true);
  };
}
