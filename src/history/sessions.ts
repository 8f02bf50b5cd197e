import { createSerial } from "../base/async.ts";
import { type HistoryStore } from "../model/history-store.ts";
import { beginSession } from "./begin.ts";
import { createCache } from "./cache.ts";
import { continueSession } from "./continue.ts";
import { findSession, type Found, type PlaceInput, type ReadRequest } from "./find.ts";
import { createJudges } from "./judge.ts";
import { lookups, type Placed } from "./placed.ts";
import { createReadings, type Weigh } from "./readings.ts";
import { archiveReply, type Reply } from "./reply.ts";
import { type Update, updateSession } from "./update.ts";
import { type History, retried } from "./write.ts";

export type { Conversation } from "./cache.ts";
export type { Placed } from "./placed.ts";

/** Sessions by content (design §4): each request finds the one it continues, or starts its own. */
export function createSessions({
  store,
  now,
  newId,
  weigh,
}: {
  store: HistoryStore;
  now: () => number;
  newId: () => string;
  weigh: Weigh;
}) {
  const cache = createCache(store);
  const judges = createJudges(store);
  const history: History = { store, cache, judges, noted: new Set(), now, newId };
  const readings = createReadings(weigh);
  const read = (input: PlaceInput): ReadRequest => ({
    input,
    readings: readings.all(input.dialect, input.messages),
  });
  // One at a time: what a change is made from must still be so when it is written. Other processes are met by trying again.
  const alone = createSerial();
  const settled = <T>(work: () => Promise<T>): Promise<T> => alone(() => retried(work));

  return {
    place: (input: PlaceInput): Promise<Placed> =>
      readings.ahead(input, () => settled(() => place(history, input, read))),
    archive: (id: string, reply: Reply) => settled(() => archiveReply(history, id, reply)),
    update: (id: string, change: Update) => settled(() => updateSession(history, id, change)),
    /** Does the request go on with a conversation that is kept? Writes nothing. */
    knows: async (input: PlaceInput): Promise<boolean> =>
      (await matched(history, read(input))).match?.laid.kind === "same",
    /** Runs work on the history while no session changes. */
    alone,
    load: cache.load,
    drop: cache.drop,
  };
}

export type Sessions = ReturnType<typeof createSessions>;

async function place(
  history: History,
  input: PlaceInput,
  read: (input: PlaceInput) => ReadRequest,
): Promise<Placed> {
  const request = read(input);
  const { readings } = request;
  const { match, siblings } = await matched(history, request);
  const placed =
    match?.laid.kind === "same"
      ? await continueSession(history, request, match)
      : await beginSession(history, request, { match, siblings });
  const unchanged = (): boolean =>
    read(input).readings.every((reading, index) => reading === readings[index]);
  return { ...placed, ...lookups(placed, readings, match?.conversation.read), unchanged };
}

/** Two processes may begin one labelled conversation at once: counted first and looked for once more, no other goes unseen. */
async function matched(
  history: History,
  request: ReadRequest,
): Promise<{ match: Found | undefined; siblings?: number }> {
  const { root, label } = request.input;
  const match = await findSession(history, request);
  if (match !== undefined || label === undefined) return { match };
  const siblings = (await history.store.sessions(root, label)).length;
  return { match: siblings === 0 ? undefined : await findSession(history, request), siblings };
}
