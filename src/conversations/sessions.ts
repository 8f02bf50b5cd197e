import { createSerial, lru } from "../core/base.ts";
import type { Aside, Entry, NewEntry, Session, SessionState } from "../core/history.ts";
import type { Message, SpentLine } from "../core/request.ts";
import type { EndedTurn } from "../core/turns.ts";
import { digest } from "../core/text/cut.ts";
import type { Dialect } from "../providers/common/dialect.ts";
import { boundTo, isStored, retried, withoutBody, writeSession } from "./entries.ts";
import { EITHER, findSession, type Match, rootChain } from "./find.ts";
import {
  createReadings,
  type PlaceInput,
  type ReadRequest,
  saidIn,
  thoughtOf,
  type Weigh,
} from "./read-messages.ts";
import { createCache, createJudges, type History, type Means } from "./session-cache.ts";
import { type Conversation, isCleared } from "./spine.ts";
import {
  beginSession,
  continueSession,
  type Laying,
  type Update,
  updateSession,
} from "./write-session.ts";

export type { Conversation } from "./spine.ts";

/** So many in a row are no coincidence. */
const TELLING_ROW = 4;
const CONVERSATIONS_KEPT = 200;

/**
 * Notices a host whose replies are not recognised: new conversations in a row, each begun in the
 * same words by a longer request, with replies that were archived nowhere. Answers true once a row.
 */
function createRows() {
  const rows = lru<string, { count: number; length: number }>(CONVERSATIONS_KEPT, () => 1);
  return ({ root, label, readings }: ReadRequest, matched: number): boolean => {
    const [first] = readings;
    // An edited question is a branch, and shows no reply of its own.
    if (!first || !readings.slice(matched).some(({ assistant }) => assistant)) return false;
    const key = `${root} ${label ?? ""} ${first.said()}`;
    const { count, length } = rows.peek(key) ?? { count: 0, length: 0 };
    const next = { count: readings.length > length ? count + 1 : 1, length: readings.length };
    rows.set(key, next);
    return next.count === TELLING_ROW;
  };
}

/**
 * A request laid on its session, and what its messages hold where they stand. There may be
 * thousands, and few turns ask.
 */
export interface Placed extends Laying {
  /** Two conversations fit alike: this one was begun anew, so that neither is told of the other. */
  readonly either?: true;
  /** The last one of many new conversations in a row that begin alike. */
  readonly inRow?: true;
  /** Digest of the thinking a message holds, as the caller sent it. */
  readonly thought?: (index: number) => string | undefined;
  /**
   * Does the caller show less than was seen before of the entries in [from, to): cleared results?
   */
  readonly cleared?: (from: number, to: number) => boolean;
  /** Weight of the caller's messages by our own count, a fold or not. */
  readonly tokens: () => number;
  /** Weight of one of them when it was placed. */
  readonly weight?: (index: number) => number;
  /**
   * Are the caller's messages still what was placed? They are its own, and it may clear or edit
   * them where they stand.
   */
  readonly unchanged?: () => boolean;
}

/** Sessions by content: each request finds the one it continues, or starts its own. */
export function createSessions({ weigh, ...given }: Means & { weigh: Weigh }) {
  const cache = createCache(given.store);
  const judges = createJudges(given.store);
  const history: History = { ...given, cache, judges };
  const { read, ahead } = createReadings(weigh);
  const isInRow = createRows();
  // One at a time: what a change is made from must still be so when it is written. Other processes
  // are met by trying again.
  const alone = createSerial();
  const settled = <T>(work: () => Promise<T>): Promise<T> => alone(() => retried(work));

  return {
    place: async (input: PlaceInput): Promise<Placed> => {
      await ahead(input);
      const { placed, request, matched } = await settled(() => place(history, input, read));
      return matched !== undefined && isInRow(request, matched)
        ? { ...placed, inRow: true }
        : placed;
    },
    archive: (id: string, reply: Reply) => settled(() => archiveReply(history, id, reply)),
    update: (id: string, change: Update) => settled(() => updateSession(history, id, change)),
    /**
     * Changes memories and what a session says of them in one transaction. "over": there is nothing
     * to change, as `make` says; "again": either is no longer what this was made on.
     */
    store: (
      id: string,
      make: (now: Conversation) => Promise<Update | undefined>,
    ): Promise<"done" | "over" | "again"> =>
      alone(async () => {
        const now = await cache.load(id);
        const change = now && (await make(now));
        if (change === undefined) return "over";
        return (await isStored(() => updateSession(history, id, change))) ? "done" : "again";
      }),
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
): Promise<{ placed: Placed; request: ReadRequest; matched?: number }> {
  const request = read(input);
  const { readings } = request;
  const { match, siblings } = await matched(history, request);
  const laying = isSame(match)
    ? await continueSession(history, request, match)
    : await beginSession(history, request, {
        match: match === EITHER ? undefined : match,
        siblings,
      });
  const { entries, positions } = laying;
  const placed: Placed = {
    ...laying,
    ...(match === EITHER ? { either: true } : {}),
    thought: (index) => readings[index]?.thought,
    cleared: (from, to) =>
      positions.some(
        (position, index) =>
          position >= from && position < to && isCleared(entries[position], readings[index]),
      ),
    tokens: () => readings.reduce((sum, { tokens }) => sum + tokens, 0),
    weight: (index) => readings[index]?.tokens ?? 0,
    unchanged: () => read(input).readings.every((reading, index) => reading === readings[index]),
  };
  const isKnown = match === EITHER || isSame(match);
  return { placed, request, ...(isKnown ? {} : { matched: positionsOf(match).length }) };
}

const positionsOf = (match: Match | undefined): readonly number[] => match?.laid.positions ?? [];

const isSame = (match: Match | typeof EITHER | undefined): match is Match =>
  match !== undefined && match !== EITHER && match.laid.kind === "same";

/**
 * Two processes may begin one labelled conversation at once: counted first and looked for once
 * more, no other goes unseen.
 */
async function matched(
  history: History,
  request: ReadRequest,
): Promise<{ match: Match | typeof EITHER | undefined; siblings?: number }> {
  const { root, label } = request;
  const match = await findSession(history, request);
  if (match !== undefined || label === undefined) return { match };
  const siblings = (await history.store.sessions({ root, label })).length;
  return { match: siblings === 0 ? undefined : await findSession(history, request), siblings };
}

interface Reply {
  readonly dialect: Dialect;
  readonly message: Message;
  /** The conversation it answers, and the session's line as it was when that was sent. */
  readonly before: readonly Message[];
  readonly line: readonly Entry[];
  /** Digest of everything that was sent, for a reply with thinking. */
  readonly prefix?: string;
  /** The reply teaches this, given the state by now. */
  readonly learn?: (state: SessionState) => Partial<SessionState>;
  readonly spent?: readonly SpentLine[];
  readonly ended?: EndedTurn;
}

/**
 * Writes the reply behind the request it answers. A line that has gone on without it, or another
 * way, keeps it aside.
 */
async function archiveReply(history: History, id: string, reply: Reply): Promise<void> {
  const { cache, now } = history;
  const conversation = await cache.load(id);
  if (!conversation) return;
  const { dialect, message, before, line, learn, spent, ended } = reply;
  const { session, entries } = conversation;
  const at = line.length;
  const content = dialect.canon([...before, message], before.length);
  const bound = boundTo({ prefix: reply.prefix, thought: thoughtOf(dialect, message) });
  const learnt = learn?.(session.state);
  const next: Session = { ...session, updatedAt: now(), revision: session.revision + 1 };
  if (!isNext(line, entries)) {
    const aside: Aside = { before: at, content, kind: "replaced", body: message, ...bound };
    const change = { from: entries.length, entries: [], asides: [aside], spent, ended };
    return writeSession(history, { ...conversation, session: next }, change);
  }
  const entry: NewEntry = {
    chain: digest(entries[at - 1]?.chain ?? rootChain(session), content),
    content,
    said: saidIn(dialect, message, content),
    role: "assistant",
    reply: true,
    ...bound,
    at: now(),
    body: message,
  };
  const result = {
    ...conversation,
    session: { ...next, state: { ...session.state, ...learnt } },
    entries: [...entries.slice(0, at), withoutBody(entry)],
  };
  await writeSession(history, result, { from: at, entries: [entry], spent, ended });
}

/** Does the session still end with the line that was sent, or with that and another reply? */
function isNext(line: readonly Entry[], entries: readonly Entry[]): boolean {
  const at = line.length;
  const free = entries.length === at || (entries.length === at + 1 && entries[at]?.reply === true);
  return free && entries[at - 1]?.chain === line[at - 1]?.chain;
}
