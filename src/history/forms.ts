import {
  type Entry,
  type Fold,
  type Job,
  type NewEntry,
  type NewForm,
  type SessionChange,
  type SessionState,
} from "../model/history.ts";
import { digest } from "../text/hash.ts";
import { type Conversation } from "./cache.ts";
import { boundTo } from "./entries.ts";
import { type Change } from "./line.ts";

interface Making {
  readonly root: string;
  readonly now: () => number;
  readonly newId: () => string;
  /** The messages as they are shown now, by position. */
  readonly made: ReadonlyMap<number, NewEntry>;
  /** Has a request room for the messages from a position on, each as it is? */
  readonly fits: (from: number) => boolean;
}

/** A conversation some messages of which are shown otherwise now, and what is to be written of that. */
export interface Reshaped {
  readonly conversation: Conversation;
  readonly written: Pick<SessionChange, "forms" | "chains" | "undone" | "jobs">;
}

/**
 * The line goes on with the forms that are shown now, and with the folds before the first of them: no summary speaks for what it
 * was not made of. The chain behind is another, so that what was made ready of the old form holds no more, and what had been
 * distilled of it is owed once more. A fold stands over a change of what is surely this conversation where all it stands for has no
 * room any more, until the next one tells of it; and over a message that changes again and again, as a clock does.
 */
export function reshaped(
  given: Conversation,
  changed: readonly Change[],
  { root, now, newId, made, fits }: Making,
): Reshaped {
  const { session, folds } = given;
  const moved = changed.flatMap(({ position, usual }) => (usual ? [] : [position]));
  const least = Math.min(given.entries.length, ...moved);
  const whole = fits(folds.findLast(({ upTo }) => upTo <= least)?.upTo ?? 0);
  const sure = changed.every(({ usual, proven }) => usual || proven);
  const standing = whole || !sure ? 0 : (folds.at(-1)?.upTo ?? 0);
  const first = Math.min(given.entries.length, ...moved.filter((position) => position >= standing));
  const entries = [...given.entries];
  const forms = changed.flatMap(({ position }): NewForm[] => {
    const [old, entry] = [given.entries[position], made.get(position)];
    if (old === undefined || entry === undefined) return [];
    const { body, ...form } = {
      ...boundTo(old),
      ...entry,
      chain: old.chain,
      reply: old.reply,
      at: old.at,
    };
    entries[position] = form;
    return [{ position, entry: { ...form, body }, id: newId(), at: now() }];
  });
  for (let at = first; at < entries.length; at++) {
    const entry = entries[at];
    if (entry)
      entries[at] = { ...entry, chain: digest(entries[at - 1]?.chain ?? root, entry.content) };
  }
  const owed = changed.filter(({ position, usual }) => !usual && position < session.watermark);
  const gone = folds.filter(({ upTo }) => upTo > first).map(({ id }) => id);
  const conversation: Conversation = {
    ...given,
    entries,
    folds: folds.filter(({ upTo }) => upTo <= first),
    session: {
      ...session,
      state: { ...session.state, ...recalledBehind(given, entries, changed) },
    },
  };
  return {
    conversation: counted(
      conversation,
      changed.map(({ position }) => position),
    ),
    written: {
      forms: forms.map((form) => ({
        ...form,
        entry: { ...form.entry, chain: entries[form.position]?.chain ?? form.entry.chain },
      })),
      chains:
        first < entries.length
          ? { from: first, chains: entries.slice(first).map(({ chain }) => chain) }
          : undefined,
      undone: gone.length > 0 ? { folds: gone, at: now() } : undefined,
      jobs: owed.map(({ position }) => owing(session.id, position, { id: newId(), at: now() })),
    },
  };
}

const owing = (session: string, position: number, { id, at }: { id: string; at: number }): Job => ({
  ...{ id, session, from: position, to: position + 1, attempts: 0 },
  ...{ error: "its caller shows the message otherwise since it was distilled", notBefore: at },
});

/** The conversation, with one more change noted of messages at these places. */
export function counted(given: Conversation, positions: readonly number[]): Conversation {
  const { session } = given;
  const changes = { ...session.state.changes };
  for (const position of positions)
    changes[String(position)] = (changes[String(position)] ?? 0) + 1;
  return { ...given, session: { ...session, state: { ...session.state, changes } } };
}

/** What was recalled for messages that stand as they did still stands with them. */
function recalledBehind(
  { session: { state }, entries: before }: Conversation,
  entries: readonly Entry[],
  changed: readonly Change[],
): Pick<SessionState, "recalled"> {
  if (state.recalled === undefined) return {};
  const moved = new Set(changed.flatMap(({ position, usual }) => (usual ? [] : [position])));
  const recalled = Object.entries(state.recalled).map(([key, one]) => {
    const at = Number(key);
    const stands = before[at]?.chain === one.chain && !moved.has(at);
    return [key, stands ? { ...one, chain: entries[at]?.chain ?? one.chain } : one] as const;
  });
  return { recalled: Object.fromEntries(recalled) };
}

/** The messages of a fold as they were shown when it was made: each form with the moment and the id of its giving way. */
export function formsAt(
  fold: Pick<Fold, "id" | "at">,
  forms: readonly { before: number; id?: string; at?: number }[],
): Map<number, number> {
  const found = new Map<number, number>();
  forms.forEach(({ before, id = "", at = 0 }, index) => {
    const later = at > fold.at || (at === fold.at && id > fold.id);
    if (later && !found.has(before)) found.set(before, index);
  });
  return found;
}
