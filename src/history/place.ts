import { defined } from "../base/guards.ts";
import { type NewEntry, type Session, type SessionState } from "../model/history.ts";
import {
  asidesOf,
  newEntries,
  withoutBody,
  partsOf,
  noteWritten,
  boundTo,
  writeSession,
} from "./entries.ts";
import { type Conversation } from "./cache.ts";
import { type Found, type PlaceInput, type ReadRequest, rootChain } from "./find.ts";
import { type Laying, readOf, hasRoom } from "./readings.ts";
import { type History } from "./judge.ts";
import { counted, type Reshaped, reshaped } from "./forms.ts";
import { type Change, isUsual } from "./line.ts";

/** What a session takes along from its source: entries, and the positions of the request's messages among them. */
interface Shared {
  readonly source?: Conversation;
  readonly positions: readonly number[];
  readonly keep: number;
  readonly pieces?: Found["pieces"];
}

/** Writes a session of its own: a new one, or a branch that takes along what it shares. */
export async function beginSession(
  history: History,
  request: ReadRequest,
  { match, siblings }: { match: Found | undefined; siblings?: number | undefined },
): Promise<Laying> {
  const shared: Shared = match ? sharedWith(history, request, match) : { positions: [], keep: 0 };
  const { source, keep } = shared;
  const added = await addedTo(history, request, shared);
  const folds = source?.folds.filter(({ upTo }) => upTo <= keep) ?? [];
  const positions = [...shared.positions, ...added.map((_, index) => keep + index)];
  const result = {
    session: newSession(history, request.input, { source, keep, added: added.length }),
    entries: [...(source?.entries.slice(0, keep) ?? []), ...added.map(withoutBody)],
    folds,
    ...readOf(positions, request.readings),
  };
  const asides = source
    ? asidesOf(history, source, { positions: shared.positions, total: keep }, request)
    : [];
  await writeSession(history, result, {
    from: keep,
    entries: added,
    asides,
    folds,
    copyOf: source?.session.id,
    siblings: source ? undefined : siblings,
  });
  return { ...result, positions, added: shared.positions.length };
}

function sharedWith(
  { judges }: History,
  { readings }: ReadRequest,
  { conversation: source, laid: { positions, keep }, pieces }: Found,
): Shared {
  // The branch leaves the line where it first shows more than is known there.
  const [leaves] = judges.shown(source, positions, { readings, as: "whole" });
  if (leaves === undefined) return { source, positions, keep, pieces };
  return { source, positions: positions.slice(0, leaves), keep: positions[leaves] ?? 0, pieces };
}

async function addedTo(
  history: History,
  request: ReadRequest,
  { source, positions, keep, pieces }: Shared,
): Promise<NewEntry[]> {
  // Replies that stay behind an edited message were archived here all the same.
  const archived = new Set(
    source?.entries.slice(keep).flatMap(({ reply, content }) => (reply ? [content] : [])),
  );
  const added = await newEntries(history, request, {
    index: positions.length,
    chain: source?.entries[keep - 1]?.chain ?? rootChain(request.input),
    pieces,
  });
  return added.map((entry, index) =>
    archived.has(entry.content) || (index === 0 && pieces) ? { ...entry, reply: true } : entry,
  );
}

const newSession = (
  { now, newId }: History,
  { root, label }: PlaceInput,
  { source, keep, added }: { source: Conversation | undefined; keep: number; added: number },
): Session => ({
  id: newId(),
  root,
  ...defined({ label }),
  imported: false,
  at: now(),
  updatedAt: now(),
  confirmed: Math.max(0, keep + added - 1),
  watermark: Math.min(source?.session.watermark ?? 0, keep),
  noted: Math.min(source?.session.noted ?? 0, keep),
  state: source ? inherited(source.session.state) : {},
  revision: partsOf(added),
});

/** What a branch takes along: the frozen text keeps its cache warm; the anchor and shortenings belong to the other line. */
const inherited = ({
  frozen,
  recalled,
  calibration,
  last,
  undone,
  call,
  changes,
}: SessionState): SessionState =>
  defined({ frozen, recalled, calibration, last, undone, call, changes });

/** Writes the request's new messages behind the line of its session. */
export async function continueSession(
  history: History,
  request: ReadRequest,
  found: Found,
): Promise<Laying> {
  const { cache, now } = history;
  const { readings } = request;
  const { laid } = found;
  const { conversation, written } = await reshape(history, request, found);
  const { session, entries, folds } = conversation;
  const { keep } = laid;
  const added = await addedBehind(history, request, { ...found, conversation });
  const positions = [...laid.positions, ...added.map((_, index) => keep + index)];
  const total = keep + added.length;
  const asides = asidesOf(history, conversation, { positions, total }, request);
  const { jobs = [] } = written;
  const placed = {
    positions,
    added: laid.positions.length,
    owed: jobs.length > 0 ? jobs : undefined,
  };
  const unchanged =
    added.length === 0 &&
    keep === entries.length &&
    asides.length === 0 &&
    conversation === found.conversation;
  const { read: _, ...about } = conversation;
  if (unchanged) return { ...cache.keep({ ...about, ...readOf(positions, readings) }), ...placed };
  const next: Session = {
    ...session,
    updatedAt: now(),
    confirmed: Math.max(0, total - 1),
    watermark: Math.min(session.watermark, keep),
    noted: Math.min(session.noted, keep),
    revision: session.revision + partsOf(added.length),
  };
  const result = {
    session: next,
    entries: [...entries.slice(0, keep), ...added.map(withoutBody)],
    folds: folds.filter(({ upTo }) => upTo <= keep),
    ...readOf(positions, readings),
  };
  await writeSession(history, result, { from: keep, entries: added, asides, ...written });
  noteWritten(history, next, asides);
  return { ...result, ...placed };
}

/** The entries behind those that stay. */
async function addedBehind(
  history: History,
  request: ReadRequest,
  { conversation: { entries }, laid: { keep, positions }, pieces }: Found,
): Promise<NewEntry[]> {
  const added = await newEntries(history, request, {
    index: positions.length,
    chain: entries[keep - 1]?.chain ?? rootChain(request.input),
    pieces,
  });
  // The caller's form of the reply wins, but it is still the reply that was archived here; so does its form of what it answers.
  return added.map((entry, index) => {
    const old = entries[keep + index];
    const archived =
      entry.role === "assistant" &&
      old?.reply === true &&
      (index === 0 || old.content === entry.content);
    return archived ? { ...boundTo(old), ...entry, reply: true } : entry;
  });
}

/** The line with the messages that are shown otherwise now. */
async function reshape(
  history: History,
  request: ReadRequest,
  { conversation, laid }: Found,
): Promise<Reshaped> {
  const { input, readings } = request;
  const { revised, keep, positions } = laid;
  const changed = [
    ...(laid.changed ?? []),
    ...shownWhole(history, request, { conversation, laid }),
  ];
  if (changed.length === 0)
    return {
      conversation: revised === "kin" ? counted(conversation, [keep]) : conversation,
      written: {},
    };
  const root = rootChain(input);
  const made = new Map<number, NewEntry>();
  for (const { position } of changed) {
    const index = positions.indexOf(position);
    const [entry] = await newEntries(history, request, { index, to: index + 1, chain: root });
    if (entry) made.set(position, entry);
  }
  const fits = (from: number): boolean =>
    hasRoom(
      conversation.session,
      readings.filter((_, index) => (positions[index] ?? from) >= from),
    );
  return reshaped(conversation, changed, {
    root,
    now: history.now,
    newId: history.newId,
    made,
    fits,
  });
}

/** The messages that show the whole of what was seen in part. */
const shownWhole = (
  { judges }: History,
  { readings }: ReadRequest,
  { conversation, laid: { positions } }: Pick<Found, "conversation" | "laid">,
): Change[] =>
  judges.shown(conversation, positions, { readings, as: "whole" }).map((index) => {
    const position = positions[index] ?? 0;
    const usual = isUsual(conversation.session.state.changes, position, false);
    return { position, usual, proven: false };
  });
