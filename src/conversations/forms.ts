import type {
  Entry,
  Job,
  NewEntry,
  NewForm,
  SessionChange,
  SessionState,
} from "../core/history.ts";
import { digest } from "../core/text/cut.ts";
import { boundTo, withoutBody } from "./entries.ts";
import { rootChain } from "./find.ts";
import type { Means } from "./session-cache.ts";
import type { Change, Conversation } from "./spine.ts";

/**
 * A conversation some messages of which are shown otherwise now, and what is to be written of that.
 */
export interface Reshaped {
  readonly conversation: Conversation;
  readonly written: Pick<SessionChange, "forms" | "chains" | "jobs">;
}

/**
 * The line goes on with the forms that are shown now, and with the folds before the first of them:
 * no summary speaks for what it was not made of. The chain behind is another, so that what was made
 * ready of the old form holds no more, and what had been distilled of it is owed once more. A fold
 * stands over a change of what is surely this conversation where all it stands for has no room any
 * more, until the next one tells of it; and over a message that changes again and again, as a clock
 * does. `made`: the messages as they are shown now, by position. `fits`: has a request room for the
 * messages from a position on, each as it is?
 */
export function reshaped(
  { now, newId }: Means,
  given: Conversation,
  changed: readonly Change[],
  { made, fits }: { made: ReadonlyMap<number, NewEntry>; fits: (from: number) => boolean },
): Reshaped {
  const { session, folds } = given;
  const moved = changed.flatMap(({ position, usual }) => (usual ? [] : [position]));
  const least = Math.min(given.entries.length, ...moved);
  const whole = fits(folds.findLast(({ upTo }) => upTo <= least)?.upTo ?? 0);
  const sure = changed.every(({ usual, proven }) => usual || proven);
  const standing = whole || !sure ? 0 : (folds.at(-1)?.upTo ?? 0);
  const first = Math.min(given.entries.length, ...moved.filter((position) => position >= standing));
  const entries = [...given.entries];
  for (const [position, entry] of made) {
    const old = given.entries[position];
    if (old === undefined) continue;
    const { chain, reply, at } = old;
    entries[position] = { ...boundTo(old), ...withoutBody(entry), chain, reply, at };
  }
  for (const [at, entry] of entries.entries().drop(first)) {
    const before = entries[at - 1]?.chain ?? rootChain(session);
    entries[at] = { ...entry, chain: digest(before, entry.content) };
  }
  const forms = [...made].flatMap(([position, { body }]): NewForm[] => {
    const entry = entries[position];
    return entry ? [{ position, entry: { ...entry, body }, id: newId(), at: now() }] : [];
  });
  const late = moved.filter((position) => position < session.watermark);
  const state = { ...session.state, ...recalledBehind(given, entries, moved) };
  const conversation: Conversation = {
    ...given,
    entries,
    folds: folds.filter(({ upTo }) => upTo <= first),
    session: { ...session, state },
  };
  const positions = changed.map(({ position }) => position);
  return {
    conversation: counted(conversation, positions),
    written: {
      forms,
      chains: { from: first, chains: entries.slice(first).map(({ chain }) => chain) },
      jobs: owed(session.id, late, { now, newId }),
    },
  };
}

/** Work of a model: of messages that it has distilled these are told otherwise, or only now. */
export function owed(
  session: string,
  late: readonly number[],
  { newId, now }: Pick<Means, "newId" | "now">,
): Job[] {
  const error = "it was told otherwise since it was distilled";
  const jobs: Job[] = [];
  for (const position of late) {
    const { from } = (jobs.at(-1)?.to === position && jobs.pop()) || { from: position };
    const range = { from, to: position + 1 };
    jobs.push({ id: newId(), session, ...range, attempts: 0, error, notBefore: now() });
  }
  return jobs;
}

/** The conversation, with one more change noted of messages at these places. */
export function counted(given: Conversation, positions: readonly number[]): Conversation {
  const { session } = given;
  const changes = { ...session.state.changes };
  for (const position of positions)
    changes[String(position)] = (changes[String(position)] ?? 0) + 1;
  return { ...given, session: { ...session, state: { ...session.state, changes } } };
}

/** Messages that stand as they did keep their recalls. */
function recalledBehind(
  { session: { state }, entries: before }: Conversation,
  entries: readonly Entry[],
  moved: readonly number[],
): Pick<SessionState, "recalled"> {
  if (state.recalled === undefined) return {};
  const recalled = Object.entries(state.recalled).map(([key, one]) => {
    const at = Number(key);
    const stands = before[at]?.chain === one.chain && !moved.includes(at);
    return [key, stands ? { ...one, chain: entries[at]?.chain ?? one.chain } : one] as const;
  });
  return { recalled: Object.fromEntries(recalled) };
}
