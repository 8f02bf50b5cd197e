import { slices } from "../base/async.ts";
import { type HistoryStore } from "../model/history-store.ts";
import { type Message } from "../model/request.ts";
import { TidemarkError } from "../model/errors.ts";
import { type SessionChange } from "../model/history.ts";
import { type Conversation } from "./cache.ts";
import { type History } from "./judge.ts";
import { writeInParts } from "./entries.ts";

/** Each is a question of its own. */
const SLICES = { size: 512, often: 1 };

/** The messages of [from, to) of a session, read in slices. */
export async function bodiesOf(
  store: Pick<HistoryStore, "bodies">,
  id: string,
  from: number,
  to: number,
): Promise<Message[]> {
  const found: Message[] = [];
  for await (const slice of slices(from, to, SLICES))
    for (const { body } of await store.bodies(id, slice.from, slice.to)) found.push(body);
  return found;
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
