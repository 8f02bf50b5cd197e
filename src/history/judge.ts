import { breathe } from "../base/async.ts";
import { isGone } from "../model/history.ts";
import { type HistoryStore } from "../model/history-store.ts";
import { type Message } from "../model/request.ts";
import { type Dialect } from "../dialect/common/dialect.ts";
import { type Cache, type Conversation } from "./cache.ts";
import { type Line, type Reading } from "./line.ts";
import { type Shown, shownOf } from "./shown.ts";

/** Messages compared with what was archived of them, remembered by their digests. */
const MOST = 50_000;
/** Messages read at once; others get their turn between. */
const SLICE = 32;

interface Question {
  readonly conversation: Conversation;
  readonly position: number;
  readonly index: number;
}

/** One request's look at lines: what is not known yet is asked for, and known the next time. */
export interface Judge {
  /** The line as it is known now. `strict`: what is not known is taken for something new, and not asked for. */
  lineOf(how: { strict: boolean }): (conversation: Conversation) => Line;
  /** Reads what was asked for. False where nothing was. */
  settle(): Promise<boolean>;
}

/** Bodies are read only where digests cannot tell: a cleared result from another one. */
export function createJudges(store: HistoryStore) {
  const known = new Map<string, Shown>();
  return {
    judge: (request: RequestMessages, readings: readonly Reading[]): Judge =>
      createJudge({ store, known }, request, readings),
    /** Which of the request's messages show the entries they stand for so, where they do not show all of them and no more. */
    shown(
      { session, entries }: Conversation,
      positions: readonly number[],
      { readings, as }: { readings: readonly Reading[]; as: Shown },
    ): number[] {
      return positions.flatMap((position, index) => {
        const [was, now] = [entries[position]?.content, readings[index]?.content];
        if (was === now || was === undefined || now === undefined) return [];
        return known.get(keyOf(session.id, was, now)) === as ? [index] : [];
      });
    },
  };
}

export type Judges = ReturnType<typeof createJudges>;

interface RequestMessages {
  readonly dialect: Dialect;
  readonly messages: readonly Message[];
}

function createJudge(
  { store, known }: { store: HistoryStore; known: Map<string, Shown> },
  { dialect, messages }: RequestMessages,
  readings: readonly Reading[],
): Judge {
  const open = new Map<string, Question>();
  let indexes: Map<Reading, number> | undefined;
  const indexOf = (reading: Reading): number =>
    (indexes ??= new Map(readings.map((one, index) => [one, index]))).get(reading) ?? 0;

  return {
    lineOf:
      ({ strict }) =>
      (conversation) => {
        const { entries, session, read } = conversation;
        const shows: Line["shows"] = (position, reading) => {
          const key = keyOf(session.id, entries[position]?.content, reading.content);
          const found = known.get(key);
          if (found !== undefined || strict) return found ?? "foreign";
          open.set(key, { conversation, position, index: indexOf(reading) });
          return undefined;
        };
        return {
          entries,
          confirmed: session.confirmed,
          shows,
          met: read?.some((one, index) => one.assistant && one === readings[index]) === true,
          changes: session.state.changes,
        };
      },
    async settle() {
      const questions = [...open];
      open.clear();
      for (const [nth, [key, { conversation, position, index }]] of questions.entries()) {
        const now = messages[index];
        if (nth % SLICE === SLICE - 1) await breathe();
        if (known.size >= MOST) known.clear();
        if (now !== undefined)
          known.set(key, shownOf(dialect, await archived(store, conversation, position), now));
      }
      return questions.length > 0;
    },
  };
}

async function archived(
  store: HistoryStore,
  { session }: Conversation,
  position: number,
): Promise<Message | undefined> {
  // What cannot be read is as if it were not kept: the caller that needs it meets the trouble.
  const [found] = await store.bodies(session.id, position, position + 1).catch(() => []);
  return found === undefined || isGone(found.body) ? undefined : found.body;
}

const keyOf = (session: string, was: string | undefined, now: string): string =>
  `${session} ${was} ${now}`;

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
