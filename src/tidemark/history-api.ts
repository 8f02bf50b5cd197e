import { createArchive } from "../history/archive.ts";
import { atBorder } from "./border.ts";
import { type Core, type Who } from "./core.ts";
import { type HistoryApi } from "./types.ts";

export function historyApi(core: Core, open: () => Promise<Who>): HistoryApi {
  const archive = async () => createArchive({ store: core.history, root: (await open()).root, now: core.now, newId: core.newId, alone: core.sessions.alone });
  return atBorder(core, "history.", {
    import: async (conversation) => (await archive()).import(conversation),
    read: async (which) => (await archive()).read(which),
    list: async () => (await archive()).list(),
    forget: async (which) => {
      const ids = await (await archive()).forget(which);
      for (const id of ids) {
        core.sessions.drop(id);
        await core.store.turns.remove({ session: id });
      }
      return ids.length;
    },
  });
}
