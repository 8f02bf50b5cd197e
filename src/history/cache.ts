import type { Entry, Fold, Session } from "../model/history.ts";
import type { HistoryStore } from "../model/history-store.ts";
import type { Reading } from "./line.ts";

/** A session as it stands: its line without bodies, and its folds. */
export interface Conversation {
  readonly session: Session;
  readonly entries: readonly Entry[];
  readonly folds: readonly Fold[];
  /** How the messages of the latest request read that stood one by one on the first entries: those that are the same still do. */
  readonly read?: readonly Reading[];
}

/** Entries kept, of all sessions together: one without its body is about 600 bytes. */
const MOST = 8_000;
/** However long they are, the latest sessions stay. */
const LEAST = 4;

/** The latest sessions, least recently used dropped first; all dropped when another process has written. */
export function createCache(store: HistoryStore) {
  const kept = new Map<string, Conversation>();
  let version = store.version();
  let entries = 0;

  function drop(id: string): void {
    entries -= kept.get(id)?.entries.length ?? 0;
    kept.delete(id);
  }

  function fresh(): Map<string, Conversation> {
    const current = store.version();
    if (current !== version) {
      kept.clear();
      entries = 0;
    }
    version = current;
    return kept;
  }

  function keep(conversation: Conversation): Conversation {
    drop(conversation.session.id);
    kept.set(conversation.session.id, conversation);
    entries += conversation.entries.length;
    for (const id of kept.keys()) {
      if (entries <= MOST || kept.size <= LEAST) break;
      drop(id);
    }
    return conversation;
  }

  return {
    keep,
    drop,
    /** As it was last seen here; a write finds out whether another process has written since. */
    last: (id: string): Conversation | undefined => kept.get(id),
    /** Latest used first. */
    recent: (root: string, label: string | undefined): Conversation[] =>
      [...fresh().values()]
        .filter(({ session }) => session.root === root && session.label === label)
        .reverse(),
    load: async (id: string): Promise<Conversation | undefined> => {
      const known = fresh().get(id);
      if (known) return known;
      const session = await store.session(id);
      return (
        session && keep({ session, entries: await store.entries(id), folds: await store.folds(id) })
      );
    },
  };
}

export type Cache = ReturnType<typeof createCache>;
