import { defined } from "../base/guards.ts";
import type { Job, NewEntry, Session, SessionState } from "../model/history.ts";
import {
  asidesOf,
  newEntries,
  withoutBody,
  partsOf,
  noteWritten,
  boundTo,
  writeSession,
} from "./entries.ts";
import type { Match } from "./choose.ts";
import type { ReadRequest } from "./read-messages.ts";
import type { History } from "./session-cache.ts";
import { counted, type Reshaped, reshaped } from "./forms.ts";
import { type Conversation, type Change, isUsual, type Reading } from "./line.ts";

/**
 * A request's place in its session; `positions[i]` is that of message i, -1 for a caller's own
 * summary.
 */
export interface Laying extends Conversation {
  readonly positions: readonly number[];
  /** The first message not seen before. */
  readonly added: number;
  /**
   * Work that is owed by now, because the caller shows messages otherwise that had been distilled.
   */
  readonly owed?: readonly Job[];
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
  const [leaves] = source
    ? history.judges.shown(source, all, request.readings, "whole")
    : [undefined];
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
  const { line, positions } = goneOn({ entries: [], folds: [], ...source, session }, request, {
    shared,
    keep,
    added,
  });
  await writeSession(history, line, {
    from: keep,
    entries: added,
    asides: source && asidesOf(history, source, { positions: shared, total: keep }, request),
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
  { readings }: ReadRequest,
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
    read: { readings, positions },
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
  const { line, positions } = goneOn(conversation, request, { shared, keep, added });
  const total = keep + added.length;
  const asides = asidesOf(history, conversation, { positions, total }, request);
  const placed = { positions, added: shared.length, owed: written.jobs };
  if (
    added.length === 0 &&
    keep === entries.length &&
    asides.length === 0 &&
    conversation === found.conversation
  )
    return { ...history.cache.keep({ ...conversation, read: line.read }), ...placed };
  const next = { ...line, session: { ...line.session, updatedAt: history.now() } };
  await writeSession(history, next, { from: keep, entries: added, asides, ...written });
  noteWritten(history, next.session, asides);
  return { ...next, ...placed };
}

/**
 * Of the limit, for messages that a fold stood for: at the brim it would be folded at once, without
 * a model.
 */
const ROOM_SHARE = 0.8;

const hasRoom = ({ state: { last } }: Session, readings: readonly Reading[]): boolean =>
  last === undefined ||
  readings.reduce((sum, { tokens }) => sum + tokens, last.overhead) <= ROOM_SHARE * last.limit;

/** The line with the messages that are shown otherwise now. */
async function reshape(
  history: History,
  request: ReadRequest,
  { conversation, laid }: Match,
): Promise<Reshaped> {
  const { readings } = request;
  const { session } = conversation;
  const { revised, keep, positions, changed = [] } = laid;
  const whole = history.judges.shown(conversation, positions, readings, "whole");
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
  const fits = (from: number): boolean =>
    hasRoom(
      session,
      readings.filter((_, index) => (positions[index] ?? from) >= from),
    );
  return reshaped(history, conversation, changes, { made, fits });
}
