import { defined, type Dict, isDict, slices } from "../core/base.ts";
import type { Fold, Session, StoredMessage } from "../core/history.ts";
import { type Moment, momentOf } from "../core/memory.ts";
import type { Message } from "../core/request.ts";
import type { ListedSession, Storage } from "../storage/port.ts";
import { type ImportedConversation, importInto } from "./import.ts";
import type { Means } from "./session-cache.ts";

interface Parts extends Means {
  /** The identity whose history this is. */
  readonly root: string;
  /** No message was said later, ms since epoch. */
  readonly latest?: () => number;
  /** Lets go of sessions, and of what else was made of them. */
  readonly forget?: (ids: readonly string[]) => Promise<unknown>;
  /** Runs work while no session changes. */
  readonly alone: <T>(work: () => Promise<T>) => Promise<T>;
}

interface Part {
  readonly conversation: string;
  readonly from?: number;
  readonly limit?: number;
}
type Which = { fold: string } | Part;

interface Read {
  messages: Message[];
  earlier?: Earlier[];
  places?: { position: number; role: string; at: number }[];
}

/** Messages to be read. */
export interface Stretch {
  readonly session?: string;
  /** Each entry with what the caller had put before it. */
  rows(): AsyncIterable<readonly Message[]>;
}

interface WhichListed {
  readonly conversation?: string;
  readonly limit?: number;
}
interface TurnsAsked {
  readonly after?: string;
  readonly limit?: number;
}
const TURNS = 100;

/** Entries read at once: their words may be long. */
const ROWS = 32;

/**
 * A message as it was before, and the place in the conversation of the one that stands there now.
 */
interface Earlier {
  readonly at: number;
  readonly message: Message;
}

/**
 * Messages of a session that have another form now than when a fold was made, by position: each
 * form with its giving way.
 */
export async function formsOf(
  store: Storage,
  session: string,
  fold: Fold,
): Promise<Map<number, Message>> {
  const found = new Map<number, Message>();
  for (const { before, body, id = "", at = 0 } of await store.asides(session, "form")) {
    const later = at > fold.at || (at === fold.at && id > fold.id);
    if (later && !found.has(before)) found.set(before, body);
  }
  return found;
}

/** One identity's history; another identity's looks as if it were not there. */
export function createConversations(parts: Parts) {
  const { store, root, alone } = parts;
  const { forget = (ids) => store.commit({ gone: { sessions: ids, turns: ids } }) } = parts;

  /**
   * The messages a fold stands for, as they were shown then, or of a whole conversation; undefined
   * where there is no such thing in sight.
   */
  async function open(which: Which): Promise<Stretch | undefined> {
    const { fold, conversation }: Dict = isDict(which) ? which : {};
    if (typeof fold === "string") {
      const [found] = await store.folds({ id: fold });
      const [session] = found ? await store.sessions({ ids: [found.session] }) : [];
      if (session?.root !== root || found === undefined) return undefined;
      const then = await formsOf(store, session.id, found.fold);
      const to = found.fold.upTo;
      return { rows: () => rows(store, session.id, { to, then }) };
    }
    const [session] = await sessionsNamed(store, root, String(conversation));
    return (
      session && {
        session: session.id,
        rows: () => rows(store, session.id, { to: Infinity }),
      }
    );
  }

  return {
    import: (conversation: ImportedConversation): Promise<number> =>
      alone(() => importInto(parts, conversation)),
    open,
    async read(which: Which): Promise<Read> {
      if ("conversation" in which && (which.from ?? which.limit) !== undefined)
        return pageOf(store, (await sessionsNamed(store, root, which.conversation))[0], which);
      const messages: Message[] = [];
      const places: number[] = [];
      const { session, rows } = (await open(which)) ?? {};
      for await (const row of rows?.() ?? []) places.push(messages.push(...row) - 1);
      const earlier = session === undefined ? [] : await earlierOf(store, session, places);
      return { messages, ...(earlier.length > 0 ? { earlier } : {}) };
    },
    async forget(which: { conversation: string } | { before: Moment }): Promise<string[]> {
      const { conversation, before = NaN }: { conversation?: string; before?: Moment } = which;
      return alone(async () => {
        const until = conversation === undefined ? momentOf(before) : -Infinity;
        const gone =
          conversation === undefined
            ? (await store.sessions({ root })).filter(({ updatedAt }) => updatedAt < until)
            : await sessionsNamed(store, root, conversation);
        const ids = gone.map(({ id }) => id);
        if (ids.length > 0) await forget(ids);
        return ids;
      });
    },
    async turns(conversation: string, { after, limit = TURNS }: TurnsAsked = {}) {
      const [session] = await sessionsNamed(store, root, conversation);
      if (session === undefined) return [];
      const asked = { conversation: session.id, limit, ...defined({ after }) };
      return (await store.ended?.({ ...asked, order: "latest" })) ?? [];
    },
    list: async ({ conversation, limit }: WhichListed = {}) =>
      (conversation === undefined
        ? await store.sessions({ root, ...defined({ limit }) })
        : await sessionsNamed(store, root, conversation)
      ).map(({ id, label, length, at, updatedAt, folds }) => ({
        id,
        ...defined({ label }),
        messages: length,
        at,
        updatedAt,
        folds,
      })),
  };
}

/**
 * The conversations of a root that a session's id, a host's label or an import's id names: the
 * session first, then the latest.
 */
export async function sessionsNamed(
  store: Storage,
  root: string,
  name: unknown,
): Promise<ListedSession[]> {
  if (typeof name !== "string") return [];
  const [session] = await store.sessions({ ids: [name] });
  const labelled = (await store.sessions({ root, label: name })).filter(({ id }) => id !== name);
  return session?.root === root ? [session, ...labelled] : labelled;
}

/**
 * The entries before `to`, as far as there are any, some at a time, each behind what the caller put
 * before it.
 */
async function* rows(
  store: Storage,
  id: string,
  { to, then }: { to: number; then?: ReadonlyMap<number, Message> },
): AsyncGenerator<Message[]> {
  const between = Map.groupBy(await store.asides(id, "condensed"), ({ before }) => before);
  for await (const slice of slices(0, to, { size: ROWS })) {
    const bodies = await store.bodies(id, slice.from, slice.to);
    for (const [offset, { body }] of bodies.entries()) {
      const position = slice.from + offset;
      const put = between.get(position) ?? [];
      const row = [...put.map((aside) => aside.body), then?.get(position) ?? body];
      yield row;
    }
    if (bodies.length < ROWS) return;
  }
}

/** Messages in line alone, of a conversation that may be too long to be read whole. */
async function pageOf(
  store: Storage,
  session: Session | undefined,
  { from = 0, limit = Infinity }: Part,
): Promise<Read> {
  const found: StoredMessage[] = [];
  if (session !== undefined)
    for await (const slice of slices(from, from + limit, { size: ROWS })) {
      const bodies = await store.bodies(session.id, slice.from, slice.to);
      found.push(...bodies);
      if (bodies.length < ROWS) break;
    }
  return {
    messages: found.map(({ body }) => body),
    places: found.map(({ role, at }, offset) => ({ position: from + offset, role, at })),
  };
}

/**
 * What stood where other messages stand now, or before them: forms that changed, replies that gave
 * way.
 */
async function earlierOf(
  store: Storage,
  id: string,
  places: readonly number[],
): Promise<Earlier[]> {
  const asides = (await store.asides(id)).filter(({ kind }) => kind !== "condensed");
  const now = asides.length > 0 ? await store.entries(id) : [];
  const other = asides.filter(({ before, content }) => now[before]?.content !== content);
  return other.map(({ before, body }) => ({ at: places[before] ?? places.length, message: body }));
}
