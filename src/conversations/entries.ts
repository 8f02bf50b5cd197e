import { breathe, breaths, defined, slices } from "../core/base.ts";
import { TidemarkError } from "../core/errors-and-events.ts";
import type { Aside, Entry, NewEntry, SessionChange } from "../core/history.ts";
import type { Message, SpentLine } from "../core/request.ts";
import { digest } from "../core/text/cut.ts";
import type { Storage, Unit } from "../storage/port.ts";
import { rootChain } from "./find.ts";
import type { ReadRequest } from "./read-messages.ts";
import type { History, Means } from "./session-cache.ts";
import type { Conversation, Reading } from "./spine.ts";

/** Entries written in one transaction. */
const MANY = 500;

/** A change of a session, and what is stored with it. */
export interface SessionWrite extends SessionChange, Pick<Unit, "memories" | "debts" | "ended"> {
  readonly spent?: readonly SpentLine[] | undefined;
  /** It survives a power cut before the answer. */
  readonly durable?: boolean;
}

/**
 * How many writes a change with so many entries takes, and by how much its session's revision
 * rises.
 */
export const partsOf = (entries: number): number => Math.max(1, Math.ceil(entries / MANY));

/**
 * Writes a change of which the session has the last revision. So many entries that they would hold
 * up everything else go part by part, and others have their turn in between; each part leaves a
 * whole line, so a killed process leaves a shorter one.
 */
export async function writeInParts(
  { store, clean }: Means,
  { memories, debts, ended, spent: lines, durable, ...given }: SessionWrite,
): Promise<boolean> {
  const change = clean === undefined ? given : await clean(given);
  const { asides, session, from, entries, ...first } = change;
  const parts = partsOf(entries.length);
  const beside: Unit = {
    memories,
    debts,
    ended,
    ...(lines && { spent: { root: session.root, lines } }),
  };
  if (parts === 1) return store.commit({ ...beside, session: change }, { durable });
  try {
    for (let part = 0; part < parts; part += 1) {
      const start = part * MANY;
      const some = entries.slice(start, start + MANY);
      const length = from + start + some.length;
      // Changes of the line go with the first part, all else with the last.
      const last = part === parts - 1 ? { asides } : {};
      const written: SessionChange = {
        ...(part === 0 ? first : last),
        session: {
          ...session,
          confirmed: Math.min(session.confirmed, length),
          noted: Math.min(session.noted, length),
          revision: session.revision - parts + 1 + part,
        },
        from: from + start,
        entries: some,
      };
      const stands = await store.commit({ ...(part === 0 && beside), session: written });
      if (!stands) return false;
      await breathe();
    }
    return true;
  } catch (thrown) {
    // A refused write must not be there later: a session that these parts began goes as a whole.
    if (session.revision === parts)
      await store.commit({ gone: { sessions: [session.id] } }).catch(() => undefined);
    throw thrown;
  }
}

/** The messages [index, to) of a request, behind this entry. */
interface Run {
  readonly index: number;
  readonly to?: number;
  readonly behind?: Entry;
}

export async function newEntries(
  { store, now }: History,
  request: ReadRequest,
  { index, to, behind }: Run,
): Promise<NewEntry[]> {
  const { dialect, messages, prefixBefore } = request;
  const fresh = request.readings.slice(index, to);
  const thoughts = fresh.flatMap(({ thought }) => thought ?? []);
  // Thinking that comes back in another line is still bound to what it was made behind.
  const bindings = thoughts.length === 0 ? undefined : await store.bindings(request.root, thoughts);
  let chain = behind?.chain ?? rootChain(request);
  const entryOf = ({ content, said, thought }: Reading, offset: number): NewEntry => {
    const body = messages[index + offset] as Message;
    const prefix =
      thought === undefined
        ? undefined
        : (bindings?.get(thought) ?? prefixBefore?.(index + offset));
    chain = digest(chain, content);
    return {
      chain,
      content,
      said: said(),
      role: dialect.speaker(body),
      reply: false,
      ...(prefix === undefined ? {} : { prefix, thought }),
      at: now(),
      body,
    };
  };
  const entries: NewEntry[] = [];
  const due = breaths();
  for (const reading of fresh) {
    entries.push(entryOf(reading, entries.length));
    await due();
  }
  return entries;
}

export const withoutBody = ({ body: _body, name: _name, ref: _ref, ...entry }: NewEntry): Entry =>
  entry;

/**
 * A reply keeps what its thinking is bound to; whether a message still holds that very thinking is
 * asked when it is sent.
 */
export const boundTo = ({
  prefix,
  thought,
}: Pick<Entry, "prefix" | "thought">): Pick<Entry, "prefix" | "thought"> =>
  defined({ prefix, thought });

/** What the caller put between; what was kept before stays as it is. */
export function asidesOf(
  { newId }: Means,
  { positions, total }: { positions: readonly number[]; total: number },
  { messages, readings }: ReadRequest,
): Aside[] {
  return positions.flatMap((position, index): Aside[] => {
    if (position >= 0) return [];
    const before = positions.slice(index).find((later) => later >= 0) ?? total;
    const content = readings[index]?.content ?? "";
    return [{ before, kind: "condensed", content, body: messages[index] as Message, id: newId() }];
  });
}

/** Each is a question of its own. */
const SLICES = { size: 512, often: 1 };

/** The messages of [from, to) of a session, read in slices. */
export async function bodiesOf(
  store: Pick<Storage, "bodies">,
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

/**
 * What is cached changes in the same breath as the write is asked for; a write that failed leaves
 * nothing cached.
 */
export async function writeSession(
  { cache, ...means }: History,
  next: Conversation,
  change: Omit<SessionWrite, "session">,
): Promise<void> {
  cache.keep(next);
  let written = false;
  try {
    written = await writeInParts(means, { ...change, session: next.session });
  } finally {
    if (!written) cache.drop(next.session.id);
  }
  if (!written) throw new StaleSession();
}

/** False where the write was made on what is no longer so. */
export async function isStored(write: () => Promise<unknown>): Promise<boolean> {
  try {
    await write();
    return true;
  } catch (thrown) {
    if (thrown instanceof StaleSession) return false;
    throw thrown;
  }
}

/**
 * Runs work that reads a session and writes it; once more where another process wrote in between.
 */
export async function retried<T>(work: () => Promise<T>): Promise<T> {
  for (let tries = 0; tries < TRIES; tries++)
    try {
      return await work();
    } catch (thrown) {
      if (!(thrown instanceof StaleSession)) throw thrown;
    }
  throw new TidemarkError(
    "history",
    `Other processes wrote to this conversation ${TRIES} times in a row; this call was ` +
      "not archived.",
  );
}
