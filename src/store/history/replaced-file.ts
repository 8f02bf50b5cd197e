import { lru } from "../../base/cache.ts";
import { breathe } from "../../base/async.ts";
import type { SessionChange } from "../../model/history.ts";
import type { HistoryStore } from "../../model/history-store.ts";
import { patiently } from "../sqlite/busy.ts";
import type { Log } from "../sqlite/log.ts";
import { type Connection, openDatabase, valueOf, valuesOf } from "../sqlite/database.ts";
import { keptAs, noteKept } from "./kept.ts";
import { HISTORY_STEPS, onHistory } from "./schema.ts";
import { mergeSessions } from "./merged-rows.ts";

/** A history and the connection under it. */
export interface Opened {
  readonly database: Connection;
  readonly log: Log;
  readonly store: HistoryStore;
}

interface Place {
  readonly path: string;
  readonly open: () => Opened;
  /** Hears that the file was not the one that had been opened any more, and what was done. */
  readonly moved: (told: string) => void;
}

/**
 * Conversations of this process that are carried over; an older one is archived anew with its next
 * request.
 */
const LIVE = 500;
/** What asks for the file itself; everything else reads what these have made sure of. */
const SURE = new Set<keyof HistoryStore>([
  "write",
  "pin",
  "unpin",
  "account",
  "forget",
  "sessions",
  "bodies",
  "allFolds",
]);

/**
 * A history that goes on in the file that stands at its path. One that was removed, replaced or
 * lost its log would take every word and keep none: then the conversations of this process are read
 * out of the open connection and put into what stands there. What was not found in the new file is
 * refused by `write`, so nothing is folded that was not archived there.
 */
export function inItsPlace(first: Opened, { path, open, moved }: Place): HistoryStore {
  let now = first;
  let times = 0;
  let going: Promise<void> | undefined;
  /** What was read out of the last connection and is in no file yet. */
  let held: Connection | undefined;
  const live = lru<string, string>(LIVE);

  const goOn = async (): Promise<void> => {
    if (held === undefined) {
      held = await liveOf(now.database, live.values());
      now.log.leave();
      now.database.close();
    }
    const kept = held;
    const carried = await patiently(() => putInto(path, kept));
    now = await patiently(open);
    held = undefined;
    kept.close();
    times += 1;
    const many = carried === 1 ? "1 conversation" : `${carried} conversations`;
    moved(
      `The history ${path} was removed, replaced or cut short while it was open. ${many} of this process ${carried === 1 ? "was" : "were"} written into the file that stands there now; others are archived anew with their next request. End what uses a workspace before you move or restore its files.`,
    );
  };
  const sure = async (): Promise<void> => {
    if (going === undefined && held === undefined && now.log.stands()) return;
    await (going ??= goOn().finally(() => (going = undefined)));
  };
  const note = (name: keyof HistoryStore, given: unknown): void => {
    if (name === "forget") for (const id of given as readonly string[]) live.delete(id);
    if (name !== "write") return;
    const { id } = (given as SessionChange).session;
    live.set(id, id);
  };

  const asked =
    (name: keyof HistoryStore) =>
    async (...given: unknown[]): Promise<unknown> => {
      if (SURE.has(name) || going !== undefined || held !== undefined) await sure();
      const answer: unknown = await Reflect.apply(
        now.store[name] as () => unknown,
        now.store,
        given,
      );
      note(name, given[0]);
      return answer;
    };
  const methods = Object.keys(first.store).map((name) => [name, asked(name as keyof HistoryStore)]);
  return {
    ...(Object.fromEntries(methods) as HistoryStore),
    keeps: first.store.keeps,
    // Anything but what it was, while there is none to ask.
    version: () =>
      going === undefined && held === undefined ? now.store.version() + times * 2 ** 32 : -1,
    close: async () => {
      await sure().catch(() => undefined);
      held?.close();
      if (now.database.open) await now.store.close();
    },
  };
}

/** The conversations as far as they can be read, out of every file. */
async function liveOf(source: Connection, live: readonly string[]): Promise<Connection> {
  const held = openDatabase(":memory:", HISTORY_STEPS, "history");
  let begun = false;
  for (const id of live) {
    try {
      if (!begun) noteKept(held, keptAs(source));
      begun = true;
      held.transaction(() => mergeSessions(source, held, [id]))();
    } catch {
      // Its log is gone, and it with it: the next request brings it back.
    }
    await breathe();
  }
  return held;
}

/** Answers how many went in; those that are longer there stay. */
const putInto = (path: string, held: Connection): number =>
  onHistory(path, (target) =>
    target
      .transaction(() => {
        if (valueOf(target, "select id from session") === undefined) noteKept(target, keptAs(held));
        const ids = valuesOf<string>(held, "select id from session order by at, id");
        return mergeSessions(held, target, ids).size;
      })
      .immediate(),
  );
