import { createConversations } from "../../history/conversations.ts";
import { EARLIEST } from "../../history/import.ts";
import { atBorder } from "./border.ts";
import { sees } from "../../model/identity.ts";
import type { ConversationPages } from "../background/conversation-pages.ts";
import { learnFrom, type Unfolded } from "../background/read-unfolded.ts";
import type { Who } from "../session/core.ts";
import { foldDiff, listFolds } from "../fold/report.ts";
import type { Folding } from "../fold/commit.ts";
import { undoFold } from "../fold/on-demand.ts";
import type { TurnSearch } from "../turn/turn-index.ts";
import type { HistoryApi } from "../options/types.ts";

export type Archiving = Unfolded & { readonly pages: ConversationPages };

/** The history of one identity. */
export const conversationsOf = (
  core: Archiving,
  who: Who,
): ReturnType<typeof createConversations> => {
  const { history, options, workspace } = core;
  const { root, identity, learns } = who;
  const conversations = createConversations({
    ...core,
    // A program that plays what was said earlier may have set its clock back too far.
    latest: () => (core.now() < EARLIEST ? core.now() : Math.max(core.now(), Date.now())),
    store: history,
    root,
    alone: core.sessions.alone,
    sees: (other) => sees(identity, other, options.history?.share),
    forget: async (ids) => {
      const forget = (): Promise<unknown> => history.commit({ gone: { sessions: ids } });
      await (core.off ? forget() : workspace.conversations.remove(ids, learns, forget));
    },
  });
  return {
    ...conversations,
    import: async (conversation) => {
      const count = await conversations.import(conversation);
      const [session] = count > 0 ? await history.sessions({ root, label: conversation.id }) : [];
      if (session === undefined) return count;
      core.sessions.drop(session.id);
      core.pages.spoken(session.id);
      if (conversation.learn !== false) await learnFrom(core, who, session.id);
      return count;
    },
  };
};

export function historyApi(
  core: Archiving & Folding & { readonly turns: TurnSearch },
  open: () => Promise<Who>,
): HistoryApi {
  const archive = async () => conversationsOf(core, await open());
  return atBorder(core, "history.", {
    import: async (conversation) => (await archive()).import(conversation),
    read: async (which) => (await archive()).read(which),
    list: async () => (await archive()).list(),
    forget: async (which) => {
      const ids = await (await archive()).forget(which);
      for (const id of ids) core.sessions.drop(id);
      await core.turns.forget(ids);
      if (ids.length > 0) core.forgetCopies();
      return ids.length;
    },
    folds: async (which) => listFolds(core, await open(), which),
    diff: async (fold) => foldDiff(core, await open(), fold),
    undo: async (fold) => undoFold(core, await open(), fold),
  });
}
