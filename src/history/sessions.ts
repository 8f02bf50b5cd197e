import { defined } from "../base/guards.ts";
import {
  type Fold,
  type SessionState,
  type Job,
  type Learnt,
  type Session,
  type SessionChange,
  type Aside,
  type Entry,
  type NewEntry,
} from "../model/history.ts";
import { type LedgerLine } from "../model/ledger.ts";
import { type Conversation, createCache } from "./cache.ts";
import { type History, createJudges } from "./judge.ts";
import { createSerial } from "../base/async.ts";
import { type HistoryStore } from "../model/history-store.ts";
import { beginSession, continueSession } from "./place.ts";
import { findSession, type Found, type PlaceInput, type ReadRequest, rootChain } from "./find.ts";
import { lookups, type Placed, createReadings, type Weigh, headOf, thoughtOf } from "./readings.ts";
import { type Dialect } from "../dialect/common/dialect.ts";
import { type Message } from "../model/request.ts";
import { digest } from "../text/hash.ts";
import { boundTo, withoutBody, writeSession, retried } from "./entries.ts";

/**
 * What stands without a fold: those before it. A later one replaced its summary among other messages, so it goes too. All
 * messages are whole again, and which fold stands since is noted, so that nothing folds at once what was just brought back.
 */
function withoutFold(
  folds: readonly Fold[],
  id: string | undefined,
): {
  standing: readonly Fold[];
  undone: readonly Fold[];
  back: Pick<SessionState, "shortened" | "undone">;
} {
  const at = id === undefined ? -1 : folds.findIndex((fold) => fold.id === id);
  if (at < 0) return { standing: folds, undone: [], back: {} };
  const standing = folds.slice(0, at);
  return {
    standing,
    undone: folds.slice(at),
    back: { shortened: {}, undone: { on: standing.at(-1)?.id ?? "" } },
  };
}

interface Update {
  /** As a function: made from what the session knows when it is written. */
  readonly state?: Partial<SessionState> | ((state: SessionState) => Partial<SessionState>);
  readonly watermark?: number;
  readonly noted?: number;
  readonly fold?: Fold;
  /** What the fold was made on: the fold before it, and the chain at its end. Where either is another by now, nothing is written. */
  readonly on?: { readonly fold: string | undefined; readonly chain: string | undefined };
  /** Takes back this fold, and with it those that were made on top of it. */
  readonly undo?: string;
  readonly jobs?: readonly Job[];
  readonly doneJobs?: readonly string[];
  readonly learnt?: readonly Learnt[];
  readonly ledger?: readonly LedgerLine[];
}

/** A session after its update, without its line; `undone` are folds that stand no more. */
type Updated = Omit<Conversation, "entries"> & { readonly undone?: readonly Fold[] };

/**
 * Changes what a session has learnt. What a fold takes away is on the disk before it comes, with the watermark: so the turn
 * that folds need not wait for the disk, and a power cut at that moment leaves a conversation to fold again. Answers without the line: a call
 * under way keeps to the one it was placed on.
 */
async function updateSession(
  history: History,
  id: string,
  change: Update,
): Promise<Updated | undefined> {
  const conversation = await history.cache.load(id);
  if (!conversation) return undefined;
  const { session, entries, folds } = conversation;
  if (isOvertaken(conversation, change)) return { session, folds };
  const { fold, jobs, doneJobs, learnt, ledger } = change;
  const { standing, undone, back } = withoutFold(folds, change.undo);
  const state = typeof change.state === "function" ? change.state(session.state) : change.state;
  const next: Session = {
    ...session,
    watermark: Math.max(change.watermark ?? 0, session.watermark),
    noted: Math.max(change.noted ?? 0, session.noted),
    state: { ...session.state, ...state, ...back },
    revision: session.revision + 1,
  };
  const result = { ...conversation, session: next, folds: fold ? [...standing, fold] : standing };
  const gone = undone.length > 0;
  await writeSession(history, result, {
    from: entries.length,
    entries: [],
    folds: fold && [fold],
    durable: durabilityOf(change, gone),
    undone: gone ? { folds: undone.map((one) => one.id), at: history.now() } : undefined,
    jobs,
    doneJobs,
    learnt,
    ledger,
  });
  return { session: next, folds: result.folds, undone: gone ? undone : undefined };
}

function durabilityOf({ fold, watermark }: Update, undoes: boolean): SessionChange["durable"] {
  if (watermark !== undefined || undoes) return true;
  return fold === undefined ? undefined : "behind";
}

/** Has another process folded since, or changed what is to be folded? */
const isOvertaken = ({ folds, entries }: Conversation, { fold, on }: Update): boolean =>
  fold !== undefined &&
  on !== undefined &&
  (folds.at(-1)?.id !== on.fold || entries[fold.upTo - 1]?.chain !== on.chain);

export type { Conversation } from "./cache.ts";
export type { Placed } from "./readings.ts";

/** Sessions by content (design §4): each request finds the one it continues, or starts its own. */
export function createSessions({
  store,
  now,
  newId,
  weigh,
}: {
  store: HistoryStore;
  now: () => number;
  newId: () => string;
  weigh: Weigh;
}) {
  const cache = createCache(store);
  const judges = createJudges(store);
  const history: History = { store, cache, judges, noted: new Set(), now, newId };
  const readings = createReadings(weigh);
  const read = (input: PlaceInput): ReadRequest => ({
    input,
    readings: readings.all(input.dialect, input.messages),
  });
  // One at a time: what a change is made from must still be so when it is written. Other processes are met by trying again.
  const alone = createSerial();
  const settled = <T>(work: () => Promise<T>): Promise<T> => alone(() => retried(work));

  return {
    place: (input: PlaceInput): Promise<Placed> =>
      readings.ahead(input, () => settled(() => place(history, input, read))),
    archive: (id: string, reply: Reply) => settled(() => archiveReply(history, id, reply)),
    update: (id: string, change: Update) => settled(() => updateSession(history, id, change)),
    /** Does the request go on with a conversation that is kept? Writes nothing. */
    knows: async (input: PlaceInput): Promise<boolean> =>
      (await matched(history, read(input))).match?.laid.kind === "same",
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
): Promise<Placed> {
  const request = read(input);
  const { readings } = request;
  const { match, siblings } = await matched(history, request);
  const placed =
    match?.laid.kind === "same"
      ? await continueSession(history, request, match)
      : await beginSession(history, request, { match, siblings });
  const unchanged = (): boolean =>
    read(input).readings.every((reading, index) => reading === readings[index]);
  return { ...placed, ...lookups(placed, readings), unchanged };
}

/** Two processes may begin one labelled conversation at once: counted first and looked for once more, no other goes unseen. */
async function matched(
  history: History,
  request: ReadRequest,
): Promise<{ match: Found | undefined; siblings?: number }> {
  const { root, label } = request.input;
  const match = await findSession(history, request);
  if (match !== undefined || label === undefined) return { match };
  const siblings = (await history.store.sessions(root, label)).length;
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
  /** What the reply teaches, given what is known by now, and what it adds to the books. */
  readonly learn?: (state: SessionState) => {
    readonly state: Partial<SessionState>;
    readonly ledger: readonly LedgerLine[];
  };
}

/** Writes the reply behind the request it answers. A line that has gone on without it, or another way, keeps it aside. */
async function archiveReply(history: History, id: string, reply: Reply): Promise<void> {
  const { cache, now } = history;
  const conversation = cache.last(id) ?? (await cache.load(id));
  if (!conversation) return;
  const { dialect, message, before, line, learn } = reply;
  const { session, entries, read } = conversation;
  const at = line.length;
  const { content, skeleton } = dialect.canon([...before, message], before.length);
  const bound = boundTo({ prefix: reply.prefix, thought: thoughtOf(dialect, message) });
  const learnt = learn?.(session.state);
  const ledger = learnt?.ledger ?? [];
  const next: Session = { ...session, updatedAt: now(), revision: session.revision + 1 };
  if (!isNext(line, entries)) {
    const aside: Aside = { before: at, content, kind: "replaced", body: message, ...bound };
    const change = { from: entries.length, entries: [], asides: [aside], ledger };
    await writeSession(history, { ...conversation, session: next }, change);
    return;
  }
  const entry: NewEntry = {
    chain: digest(entries[at - 1]?.chain ?? rootChain(session), content),
    content,
    skeleton,
    role: "assistant",
    reply: true,
    head: headOf(dialect, message),
    ...bound,
    at: now(),
    body: message,
  };
  const result = {
    ...conversation,
    session: { ...next, state: { ...session.state, ...learnt?.state } },
    entries: [...entries.slice(0, at), withoutBody(entry)],
    ...defined({ read: read && read.length > at ? read.slice(0, at) : undefined }),
  };
  await writeSession(history, result, { from: at, entries: [entry], ledger });
}

/** Does the session still end with the line that was sent, or with that and another reply? */
function isNext(line: readonly Entry[], entries: readonly Entry[]): boolean {
  const at = line.length;
  const free = entries.length === at || (entries.length === at + 1 && entries[at]?.reply === true);
  return free && entries[at - 1]?.chain === line[at - 1]?.chain;
}
