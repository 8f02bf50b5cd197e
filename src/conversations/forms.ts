import type { Job, NewEntry, NewForm } from "../core/history.ts";
import { digest } from "../core/text/cut.ts";
import { boundTo, withoutBody } from "./entries.ts";
import { rootChain } from "./find.ts";
import type { Means } from "./session-cache.ts";
import type { Change, Conversation } from "./spine.ts";

/**
 * The line goes on with the forms that are shown now (`made`, by position), and with the folds
 * before the first of them: no summary speaks for what it was not made of. The chain behind is
 * another, so that what was made ready of the old form holds no more, and what had been distilled
 * of it is owed once more. A message that changes again and again, as with a clock, is no such
 * news.
 */
export function reshaped(
  { now, newId }: Means,
  given: Conversation,
  changed: readonly Change[],
  made: ReadonlyMap<number, NewEntry>,
) {
  const moved = changed.flatMap(({ position, usual }) => (usual ? [] : [position]));
  const first = Math.min(given.entries.length, ...moved);
  const entries = [...given.entries];
  for (const [position, entry] of made) {
    const old = given.entries[position];
    if (old === undefined) continue;
    const { chain, reply, at } = old;
    entries[position] = { ...boundTo(old), ...withoutBody(entry), chain, reply, at };
  }
  for (const [at, entry] of entries.entries().drop(first)) {
    const before = entries[at - 1]?.chain ?? rootChain(given.session);
    entries[at] = { ...entry, chain: digest(before, entry.content) };
  }
  const forms = [...made].flatMap(([position, { body }]): NewForm[] => {
    const entry = entries[position];
    return entry ? [{ position, entry: { ...entry, body }, id: newId(), at: now() }] : [];
  });
  const folds = given.folds.filter(({ upTo }) => upTo <= first);
  const late = moved.filter((position) => position < given.session.watermark);
  const positions = changed.map(({ position }) => position);
  return {
    conversation: counted({ ...given, entries, folds }, positions),
    written: {
      forms,
      chains: { from: first, chains: entries.slice(first).map(({ chain }) => chain) },
      jobs: owed(given.session.id, late, { now, newId }),
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
