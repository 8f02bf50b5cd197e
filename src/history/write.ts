import { TidemarkError } from "../model/errors.ts";
import { type SessionChange } from "../model/history.ts";
import { type HistoryStore } from "../model/history-store.ts";
import { type Cache, type Conversation } from "./cache.ts";
import { writeInParts } from "./grow.ts";
import { type Judges } from "./judge.ts";

/** The sessions of one store, and what a change of them is made with. */
export interface History {
  readonly store: HistoryStore;
  readonly cache: Cache;
  readonly judges: Judges;
  /** Names of notes that stand beside their lines already: they need not be written with every request. */
  readonly noted: Set<string>;
  readonly now: () => number;
  readonly newId: () => string;
}

/** Another process wrote to the session since it was read. */
class StaleSession extends Error {}

const TRIES = 8;

/** What is cached changes in the same breath as the write is asked for; a write that failed leaves nothing cached. */
export async function writeSession(
  { store, cache }: History,
  next: Conversation,
  change: Omit<SessionChange, "session">,
): Promise<void> {
  cache.keep(next);
  let written = false;
  try {
    written = await writeInParts(store, { ...change, session: next.session });
  } finally {
    if (!written) cache.drop(next.session.id);
  }
  if (!written) throw new StaleSession();
}

/** Runs work that reads a session and writes it; once more where another process wrote in between. */
export async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < TRIES; tries++)
    try {
      return await work();
    } catch (thrown) {
      if (!(thrown instanceof StaleSession)) throw thrown;
    }
  throw new TidemarkError(
    "history",
    `Other processes wrote to this conversation ${TRIES} times in a row; this call was not archived.`,
  );
}
