import { defined } from "../core/base.ts";
import type { Fold, NewEntry, Session, SessionState } from "../core/history.ts";
import {
  asidesOf,
  boundTo,
  newEntries,
  partsOf,
  type SessionWrite,
  withoutBody,
  writeSession,
} from "./entries.ts";
import type { Match } from "./find.ts";
import { counted, reshaped } from "./forms.ts";
import type { ReadRequest } from "./read-messages.ts";
import type { History } from "./session-cache.ts";
import { type Change, type Conversation, isUsual } from "./spine.ts";

/**
 * A request's place in its session; `positions[i]` is that of message i, -1 for a caller's own
 * summary.
 */
export interface Laying extends Conversation {
  readonly positions: readonly number[];
  /** The first message not seen before. */
  readonly added: number;
}

/** Writes a session of its own: a new one, or a branch that takes along what it shares. */
export async function beginSession(
  history: History,
  request: ReadRequest,
  { match, siblings }: { match: Match | undefined; siblings?: number | undefined },
): Promise<Laying> {
  const { root, label } = request;
  const now = history.now();
  const source = match?.conversation;
  const { positions: all, keep: most } = match?.laid ?? { positions: [], keep: 0 };
  // The branch leaves the line where it first shows more than is known there.
  const [leaves] = source ? history.judges.fuller(source, all, request.readings) : [undefined];
  const shared = all.slice(0, leaves);
  const keep = leaves === undefined ? most : (all[leaves] ?? 0);
  const fresh = await newEntries(history, request, {
    index: shared.length,
    behind: source?.entries[keep - 1],
  });
  // Replies that stay behind an edited message were archived here all the same.
  const archived = new Set(
    source?.entries.slice(keep).flatMap(({ reply, content }) => (reply ? [content] : [])),
  );
  const added = fresh.map((entry) =>
    archived.has(entry.content) ? { ...entry, reply: true } : entry,
  );
  const session: Session = {
    id: history.newId(),
    root,
    label,
    at: now,
    updatedAt: now,
    imported: false,
    confirmed: 0,
    watermark: source?.session.watermark ?? 0,
    noted: source?.session.noted ?? 0,
    state: source ? inherited(source.session.state) : {},
    revision: 0,
  };
  const { line, positions } = goneOn(
    { entries: [], folds: [], ...source, session },
    {
      shared,
      keep,
      added,
    },
  );
  await writeSession(history, line, {
    from: keep,
    entries: added,
    asides: source && asidesOf(history, { positions: shared, total: keep }, request),
    folds: line.folds,
    copyOf: source?.session.id,
    siblings: source ? undefined : siblings,
  });
  return { ...line, positions, added: shared.length };
}

/**
 * The line up to `keep` with what was added behind it, and where all messages of the request stand
 * on it.
 */
function goneOn(
  { session, entries, folds }: Conversation,
  given: { shared: readonly number[]; keep: number; added: readonly NewEntry[] },
): { line: Conversation; positions: readonly number[] } {
  const { shared, keep, added } = given;
  const positions = [...shared, ...added.map((_, index) => keep + index)];
  const line = {
    session: {
      ...session,
      confirmed: Math.max(0, keep + added.length - 1),
      watermark: Math.min(session.watermark, keep),
      noted: Math.min(session.noted, keep),
      revision: session.revision + partsOf(added.length),
    },
    entries: [...entries.slice(0, keep), ...added.map(withoutBody)],
    folds: folds.filter(({ upTo }) => upTo <= keep),
  };
  return { line, positions };
}

/**
 * What a branch takes along: the frozen text keeps its cache warm; the anchor and shortenings
 * belong to the other line.
 */
const inherited = ({
  frozen,
  recalled,
  calibration,
  last,
  undone,
  changes,
}: SessionState): SessionState => defined({ frozen, recalled, calibration, last, undone, changes });

/** Writes the request's new messages behind the line of its session. */
export async function continueSession(
  history: History,
  request: ReadRequest,
  found: Match,
): Promise<Laying> {
  const { positions: shared, keep } = found.laid;
  const { conversation, written } = await reshape(history, request, found);
  const { entries } = conversation;
  const fresh = await newEntries(history, request, {
    index: shared.length,
    behind: entries[keep - 1],
  });
  // The caller's form of the reply wins, but it is still the reply that was archived here; so does
  // its form of what it answers.
  const added = fresh.map((entry, index) => {
    const old = entries[keep + index];
    const archived =
      entry.role === "assistant" &&
      old?.reply === true &&
      (index === 0 || old.content === entry.content);
    return archived ? { ...boundTo(old), ...entry, reply: true } : entry;
  });
  const { line, positions } = goneOn(conversation, { shared, keep, added });
  const total = keep + added.length;
  const asides = asidesOf(history, { positions, total }, request);
  const placed = { positions, added: shared.length };
  if (
    added.length === 0 &&
    keep === entries.length &&
    asides.length === 0 &&
    conversation === found.conversation
  )
    return { ...conversation, ...placed };
  const next = { ...line, session: { ...line.session, updatedAt: history.now() } };
  // A fold goes with what it stands for: nothing said in its place may leave for its summary.
  const gone = found.conversation.folds.slice(line.folds.length).map(({ id }) => id);
  const undone = { folds: gone, at: next.session.updatedAt };
  await writeSession(history, next, { from: keep, entries: added, asides, ...written, undone });
  return { ...next, ...placed };
}

/** The line with the messages that are shown otherwise now. */
async function reshape(history: History, request: ReadRequest, { conversation, laid }: Match) {
  const { readings } = request;
  const { session } = conversation;
  const { revised, keep, positions, changed = [] } = laid;
  const whole = history.judges.fuller(conversation, positions, readings);
  const changes: Change[] = [
    ...changed,
    ...whole.map((index) => {
      const position = positions[index] ?? 0;
      return { position, usual: isUsual(session.state.changes, position, false), proven: false };
    }),
  ];
  if (changes.length === 0)
    return {
      conversation: revised === "kin" ? counted(conversation, [keep]) : conversation,
      written: {},
    };
  const made = new Map<number, NewEntry>();
  for (const { position } of changes) {
    const index = positions.indexOf(position);
    const [entry] = await newEntries(history, request, { index, to: index + 1 });
    if (entry) made.set(position, entry);
  }
  return reshaped(history, conversation, changes, made);
}

export interface Update
  extends
    Pick<SessionWrite, "jobs" | "doneJobs" | "learnt" | "spent" | "memories" | "debts" | "unread">,
    Partial<Pick<Session, "watermark" | "noted">> {
  /** As a function: made from what the session knows when it is written. */
  readonly state?:
    Partial<SessionState> | ((state: SessionState) => Partial<SessionState>) | undefined;
  readonly fold?: Fold;
  /**
   * What the fold was made on: the fold before it, and the chain at its end. Where either is
   * another by now, nothing is written.
   */
  readonly on?: { readonly fold: string | undefined; readonly chain: string | undefined };
  /** Takes back this fold, and with it those that were made on top of it. */
  readonly undo?: string;
}

/**
 * Changes what a session has learnt. What a fold takes away is on the disk before it comes, with
 * the watermark: so the turn that folds need not wait for the disk, and a power cut at that moment
 * leaves a conversation to fold again. Answers without the line: a call under way keeps to the one
 * it was placed on. `undone` are folds that stand no more;
 * `isOver`: what the fold was to be made on is another by now, and nothing was written.
 */
export async function updateSession(
  history: History,
  id: string,
  change: Update,
): Promise<
  | (Pick<Conversation, "session" | "folds"> & { undone: readonly Fold[]; isOver: boolean })
  | undefined
> {
  const conversation = await history.cache.load(id);
  if (!conversation) return undefined;
  const { session, entries, folds } = conversation;
  if (isOvertaken(conversation, change)) return { session, folds, undone: [], isOver: true };
  const { fold, watermark = 0, noted = 0, state: learns, undo, on: _, ...beside } = change;
  const at = folds.findIndex(({ id }) => id === undo);
  // A later one replaced the summary among other messages, so it goes too.
  const standing = at < 0 ? folds : folds.slice(0, at);
  const undone = folds.slice(standing.length);
  const gone = undone.length > 0;
  const { ready: _ready, ...standingState } = session.state;
  const next: Session = {
    ...session,
    watermark: Math.max(watermark, session.watermark),
    noted: Math.max(noted, session.noted),
    state: {
      // A summary that waited was taken by this fold, or was made on one that is gone.
      ...(fold || gone ? standingState : session.state),
      ...(typeof learns === "function" ? learns(session.state) : learns),
      // All messages are whole again, and what stands since is noted: nothing folds at once what
      // was just brought back.
      ...(gone ? { shortened: {}, undone: { on: standing.at(-1)?.id ?? "" } } : {}),
    },
    revision: session.revision + 1,
  };
  const result = { ...conversation, session: next, folds: fold ? [...standing, fold] : standing };
  await writeSession(history, result, {
    ...beside,
    from: entries.length,
    entries: [],
    folds: fold && [fold],
    durable: gone || change.watermark !== undefined || (change.memories ?? []).length > 0,
    undone: { folds: undone.map(({ id }) => id), at: history.now() },
  });
  return { session: next, folds: result.folds, undone, isOver: false };
}

/** Has another process folded since, or changed what is to be folded? */
const isOvertaken = ({ folds, entries }: Conversation, { fold, on }: Update): boolean =>
  fold !== undefined &&
  on !== undefined &&
  (folds.at(-1)?.id !== on.fold || entries[fold.upTo - 1]?.chain !== on.chain);
