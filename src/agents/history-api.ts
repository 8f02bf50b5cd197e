import { setImmediate } from "node:timers/promises";
import type { Folding } from "../compaction/commit.ts";
import { learnFrom, type Unfolded } from "../compaction/distilling/short-session-queue.ts";
import { foldDiff, listFolds, undoFold } from "../compaction/fold-now-and-undo.ts";
import {
  type ConversationPages,
  readStored,
} from "../compaction/journal/log-and-conversation-pages.ts";
import { createConversations } from "../conversations/conversations.ts";
import { EARLIEST } from "../conversations/import.ts";
import { breathe, defined, isDict, sharing } from "../core/base.ts";
import type { Hit } from "../core/memory.ts";
import type { Message } from "../core/request.ts";
import { head } from "../core/text/cut.ts";
import { searchTurns } from "../memory/turns/search-turns.ts";
import type { Embedded, Kept, Ports, Who } from "../session/ports.ts";
import { within } from "../session/options/background.ts";
import type { HistoryApi } from "../session/options/tidemark-api.ts";
import type { TurnRow } from "../storage/rows.ts";
import { atBorder } from "./public-calls.ts";

/** Messages indexed before others get their turn: some 10 ms, however long they are. */
const BATCH = 16;
/** A turn's searchable text: a tool's page beyond this is found by its beginning. */
const LONGEST_TURN = 8_000;

/** ms a turn waits for what was said last to be found. */
const WAITED = 50;

/** The search among past turns, and the index it needs. */
export function createTurnSearch(core: Ports & Embedded) {
  const { store, embedding } = core;
  let hear = (_messages: number): void => {};
  /**
   * Brings the index up to what history holds. Done before a search, so that no turn of the chat
   * pays for it.
   */
  const bringUp = sharing(async () => {
    if (core.off) return;
    let indexed = 0;
    for (let read = 1; read > 0 && !core.closed; await setImmediate()) {
      read = await indexSome(core);
      hear((indexed += read));
    }
    if (indexed > 0) embedding?.start();
  });
  return {
    bringUp,
    /**
     * For a turn, which waits for nothing that its own request shows, and finds what is indexed by
     * then where a great import left much to do.
     */
    async ready(isShown: (said: SaidAt) => boolean): Promise<void> {
      const left = await store.unindexed(BATCH);
      if (left.length < BATCH && left.every(isShown)) return;
      const work = bringUp();
      core.background.run(work.catch(() => undefined));
      await within(work, WAITED);
    },
    /** Behind a reply, so that the next turn need not wait. */
    behind: (): void =>
      core.background.run(
        breathe()
          .then(bringUp)
          .catch(() => undefined),
      ),
    /** Tells how many messages were indexed, while a search waits for that. */
    watch: (listen: typeof hear): void => void (hear = listen),
    /**
     * Turns of the asker's own conversations, best first, no words twice.
     */
    async search(who: Who, { query, limit }: { query: string; limit: number }): Promise<Hit[]> {
      const question = embedding?.meaning.ask(query, who.scopes);
      await bringUp();
      const among = { root: who.root, limit };
      return searchTurns({ store, listen: core.emit, question }, query, among);
    },
  };
}

type SaidAt = Pick<TurnRow, "session" | "position">;
export type TurnSearch = ReturnType<typeof createTurnSearch>;

/** Indexes some messages; answers how many: none where all are. */
async function indexSome({ store }: Kept): Promise<number> {
  const rows = await store.unindexed(BATCH);
  const last = rows.at(-1);
  if (last === undefined) return 0;
  const turns = rows.flatMap(
    ({ row, session, root, position, role, body, name, ref, at, aside }): TurnRow[] => {
      const { speaker = role, text } = readTurn(body);
      if (text === "") return [];
      const id = `${session}#${position}${aside ? `.${row}` : ""}`;
      const said = { id, session, root, position, role: speaker, text, at };
      return [{ ...said, ...defined({ name, ref }) }];
    },
  );
  await store.commit({ turns: { rows: turns, read: last.row } });
  // Another process may have forgotten a session between our reading and our writing.
  const ids = [...new Set(turns.map(({ session }) => session))];
  const held = new Set((await store.sessions({ ids })).map(({ id }) => id));
  const gone = ids.filter((id) => !held.has(id));
  if (gone.length > 0) await store.commit({ gone: { turns: gone } });
  return rows.length;
}

/**
 * What was said and answered, and by whom ("tool": answers are part of it); not what was injected,
 * thought or asked of a tool.
 */
export function readTurn(body: Message): { speaker?: string; text: string } {
  // An object that says it is nothing (toJSON) was kept as nothing; one such row must not end the
  // search for good.
  if (!isDict(body)) return { text: "" };
  const { speaker, words, results } = readStored(body);
  const text = [words, ...results.map(({ text }) => text)].filter((part) => part !== "").join("\n");
  return { speaker: results.length > 0 ? "tool" : speaker, text: head(text, LONGEST_TURN) };
}

export type Archiving = Unfolded & { readonly pages: ConversationPages };

/** The history of one identity. */
export const conversationsOf = (
  core: Archiving,
  who: Who,
): ReturnType<typeof createConversations> => {
  const { store, workspace } = core;
  const { root, home } = who;
  const conversations = createConversations({
    ...core,
    // A program that plays what was said earlier may have set its clock back too far.
    latest: () => (core.now() < EARLIEST ? core.now() : Math.max(core.now(), Date.now())),
    root,
    alone: core.sessions.alone,
    forget: async (ids) => {
      const gone = { sessions: ids, turns: ids };
      const forget = (): Promise<unknown> => store.commit({ gone });
      await (core.off ? forget() : workspace.conversations.remove(ids, home, forget));
    },
  });
  return {
    ...conversations,
    import: async (conversation) => {
      const count = await conversations.import(conversation);
      const [session] = count > 0 ? await store.sessions({ root, label: conversation.id }) : [];
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
    import: async (conversation) => {
      const count = await (await archive()).import(conversation);
      if (count > 0 && core.options.recall) core.background.run(core.turns.bringUp());
      return count;
    },
    read: async (which) => (await archive()).read(which),
    turns: async (conversation, options) => (await archive()).turns(conversation, options),
    list: async (which) => (await archive()).list(which),
    forget: async (which) => {
      const ids = await (await archive()).forget(which);
      for (const id of ids) core.sessions.drop(id);
      if (ids.length > 0) core.forgetCopies();
      return ids.length;
    },
    folds: async (which) => listFolds(core, await open(), which),
    diff: async (fold) => foldDiff(core, await open(), fold),
    undo: async (fold) => undoFold(core, await open(), fold),
  });
}
