import { type Entry, type Fold, type HistoryStore, type Session } from "../model/history.ts";

/** A session as it stands: its line without bodies, and its folds. */
export interface Conversation {
  readonly session: Session;
  readonly entries: readonly Entry[];
  readonly folds: readonly Fold[];
}

/** Sessions a process is likely to meet again; an entry without its body is about 300 bytes. */
const MOST = 64;

/** The latest sessions, least recently used dropped first; all dropped when another process has written. */
export function createCache(store: HistoryStore) {
  const kept = new Map<string, Conversation>();
  let version = store.version();

  function fresh(): Map<string, Conversation> {
    const current = store.version();
    if (current !== version) kept.clear();
    version = current;
    return kept;
  }

  function keep(conversation: Conversation): Conversation {
    kept.delete(conversation.session.id);
    kept.set(conversation.session.id, conversation);
    const oldest = kept.size > MOST ? kept.keys().next().value : undefined;
    if (oldest !== undefined) kept.delete(oldest);
    return conversation;
  }

  return {
    keep,
    drop: (id: string): void => void kept.delete(id),
    /** Latest used first. */
    recent: (root: string, label: string | undefined): Conversation[] =>
      [...fresh().values()].filter(({ session }) => session.root === root && session.label === label).reverse(),
    load: async (id: string): Promise<Conversation | undefined> => {
      const known = fresh().get(id);
      if (known) return known;
      const session = await store.session(id);
      return session && keep({ session, entries: await store.entries(id), folds: await store.folds(id) });
    },
  };
}
