import { defined } from "../base/guards.ts";
import { isGone } from "../model/history.ts";
import { type HistoryStore } from "../model/history-store.ts";
import { type Message } from "../model/request.ts";
import { type Dialect } from "../dialect/common/dialect.ts";
import { type Conversation } from "./cache.ts";
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
  const keyOf = (session: string, was: string | undefined, now: string): string =>
    `${session} ${was} ${now}`;

  const judge = (
    { dialect, messages }: { dialect: Dialect; messages: readonly Message[] },
    readings: readonly Reading[],
  ): Judge => {
    const open = new Map<string, Question>();
    let places: Map<Reading, number> | undefined;
    const placeOf = (reading: Reading): number =>
      (places ??= new Map(readings.map((one, index) => [one, index]))).get(reading) ?? 0;

    function look(
      conversation: Conversation,
      { position, reading, strict }: { position: number; reading: Reading; strict: boolean },
    ): Shown | undefined {
      const key = keyOf(
        conversation.session.id,
        conversation.entries[position]?.content,
        reading.content,
      );
      const found = known.get(key);
      if (found !== undefined || strict) return found ?? "foreign";
      open.set(key, { conversation, position, index: placeOf(reading) });
      return undefined;
    }

    return {
      lineOf:
        ({ strict }) =>
        (conversation) => {
          const { entries, session } = conversation;
          const shows: Line["shows"] = (position, reading) =>
            look(conversation, { position, reading, strict });
          const met =
            conversation.read?.some((one, index) => one.assistant && one === readings[index]) ===
            true;
          return {
            entries,
            confirmed: session.confirmed,
            shows,
            met,
            ...defined({ changes: session.state.changes }),
          };
        },
      async settle() {
        const asked = [...open];
        open.clear();
        for (const [nth, [key, { conversation, position, index }]] of asked.entries()) {
          const now = messages[index];
          if (nth % SLICE === SLICE - 1) await new Promise((resolve) => setImmediate(resolve));
          if (known.size >= MOST) known.clear();
          if (now !== undefined)
            known.set(key, shownOf(dialect, await archived(conversation, position), now));
        }
        return asked.length > 0;
      },
    };

    async function archived(
      { session }: Conversation,
      position: number,
    ): Promise<Message | undefined> {
      // What cannot be read is as if it were not kept: the caller that needs it meets the trouble.
      const [found] = await store.bodies(session.id, position, position + 1).catch(() => []);
      return found === undefined || isGone(found.body) ? undefined : found.body;
    }
  };

  return {
    judge,
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
