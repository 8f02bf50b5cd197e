import { breathe, lru, present } from "../core/base.ts";
import type { SessionChange } from "../core/history.ts";
import type { Message } from "../core/request.ts";
import type { Storage } from "../storage/port.ts";
import { shownOf } from "./compare-message.ts";
import type { ReadRequest } from "./read-messages.ts";
import type { Conversation, Line, Reading, Shown } from "./spine.ts";

/** Entries kept, of all sessions together: one without its body is about 600 bytes. */
const MOST_ENTRIES = 8_000;
/** However long they are, the latest sessions stay. */
const LEAST_SESSIONS = 4;
/** Lines that end in one message: of more, those used last may be meant. */
const LINES = 24;

/**
 * The latest sessions, least recently used dropped first. Where another process has written, each
 * is looked at once more before it is used.
 */
export function createCache(store: Storage) {
  const kept = lru<string, Conversation>(
    MOST_ENTRIES,
    ({ entries }) => entries.length,
    LEAST_SESSIONS,
  );
  /** Sessions by the message their line ends with, the latest used last. */
  const ends = lru<string, readonly string[]>(MOST_ENTRIES);
  /** Those that are as they are stored. */
  let sure = new WeakSet<Conversation>();
  const toldOfOthers = store.others(() => (sure = new WeakSet()));

  function keep(conversation: Conversation): Conversation {
    const { id } = conversation.session;
    const end = conversation.entries.at(-1)?.content;
    if (end !== undefined)
      ends.set(end, [...(ends.peek(end) ?? []).filter((one) => one !== id), id].slice(-LINES));
    kept.set(id, conversation);
    sure.add(conversation);
    return conversation;
  }

  async function load(id: string): Promise<Conversation | undefined> {
    await toldOfOthers();
    const known = kept.peek(id);
    if (known && sure.has(known)) return known;
    const [found] = await store.sessions({ ids: [id] });
    if (found === undefined) return undefined;
    const { length, folds: _folds, ...session } = found;
    if (known?.session.revision === session.revision && known.entries.length === length)
      return keep(known);
    const entries = await store.entries(id);
    const folds = (await store.folds({ session: id })).map(({ fold }) => fold);
    return keep({ session, entries, folds });
  }

  return {
    keep,
    drop: kept.delete,
    /**
     * Lines at whose end the request goes on, the latest used first. A server has thousands of
     * lines: no request looks at all of them.
     */
    async recent({ root, label, readings }: ReadRequest): Promise<Conversation[]> {
      const goesOn = ({ session, entries }: Conversation): boolean =>
        session.root === root &&
        session.label === label &&
        entries.at(-1)?.content === readings[entries.length - 1]?.content;
      const ids = new Set(readings.flatMap(({ content }) => ends.peek(content) ?? []));
      const lines = present([...ids].map(kept.peek))
        .filter(goesOn)
        .reverse();
      return present(await Promise.all(lines.map(({ session }) => load(session.id))));
    },
    load,
  };
}

/** Messages compared with what was archived of them, remembered by their digests. */
const MOST_JUDGED = 50_000;
/** Messages read at once; others get their turn between. */
const SLICE = 32;

/** Bodies are read only where digests cannot tell: a cleared result from another one. */
export function createJudges(store: Storage) {
  const known = new Map<string, Shown>();

  /** One request's look at lines: what is not known yet is asked for, and known the next time. */
  function judge({ dialect, messages, readings }: ReadRequest) {
    const open = new Map<string, () => Promise<Shown>>();
    const settle = async (): Promise<boolean> => {
      const questions = [...open];
      open.clear();
      for (const [nth, [key, ask]] of questions.entries()) {
        if (nth % SLICE === SLICE - 1) await breathe();
        if (known.size >= MOST_JUDGED) known.clear();
        known.set(key, await ask());
      }
      return questions.length > 0;
    };
    return {
      /**
       * The line as it is known now. `strict`: what is not known is taken for something new, and
       * not asked for.
       */
      lineOf:
        ({ strict }: { strict: boolean }) =>
        (conversation: Conversation): Line => {
          const { entries, folds, session } = conversation;
          return {
            entries,
            confirmed: session.confirmed,
            folded: Math.max(0, ...folds.map(({ upTo }) => upTo)),
            shows(position, reading, to) {
              const key = keyOf(session.id, contentOf(conversation, position, to), reading.content);
              const found = known.get(key);
              if (found !== undefined || strict) return found ?? "foreign";
              open.set(key, async () => {
                const message = messages[readings.indexOf(reading)] as Message;
                return shownOf(
                  dialect,
                  await archived(store, conversation, { ...reading, position, to }),
                  message,
                );
              });
              return undefined;
            },
            changes: session.state.changes,
          };
        },
      /** Does the work, and again each time that bodies were read for what it asked. */
      async settled<T>(work: () => T): Promise<T> {
        let made = await work();
        while (await settle()) made = await work();
        return made;
      },
    };
  }

  return {
    judge,
    /** Which of the request's messages show all of the entries they stand for, and more. */
    fuller(
      { session, entries }: Conversation,
      positions: readonly number[],
      readings: readonly Reading[],
    ): number[] {
      return positions.flatMap((position, index) => {
        const [was, now] = [entries[position]?.content, readings[index]?.content];
        if (was === now || was === undefined || now === undefined) return [];
        return known.get(keyOf(session.id, was, now)) === "whole" ? [index] : [];
      });
    },
  };
}

/** The messages of these entries, of more than one those of one voice. */
async function archived(
  store: Storage,
  { session }: Conversation,
  given: { assistant: boolean; position: number; to?: number | undefined },
): Promise<Message[]> {
  const { assistant, position, to = position + 1 } = given;
  // An entry that cannot be read is as if it were not kept: the caller that needs it meets the
  // trouble.
  const found = await store.bodies(session.id, position, to).catch(() => []);
  return found.flatMap(({ body, role }) =>
    to > position + 1 && (role === "assistant") !== assistant ? [] : [body],
  );
}

const contentOf = ({ entries }: Conversation, position: number, to = position + 1): string =>
  to === position + 1
    ? (entries[position]?.content ?? "")
    : `${entries[position]?.content} ${entries[to - 1]?.chain}`;

const keyOf = (session: string, was: string | undefined, now: string): string =>
  `${session} ${was} ${now}`;

/** A store, and what a change of it is made with. */
export interface Means {
  readonly store: Storage;
  readonly now: () => number;
  readonly newId: () => string;
  /** What is to be stored of a change, where that is less than all of it. */
  readonly clean?: ((change: SessionChange) => Promise<SessionChange>) | undefined;
}

/** The sessions of one store. */
export interface History extends Means {
  readonly cache: ReturnType<typeof createCache>;
  readonly judges: ReturnType<typeof createJudges>;
}
