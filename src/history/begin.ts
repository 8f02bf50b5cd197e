import { defined } from "../base/guards.ts";
import { type NewEntry, type Session, type SessionState } from "../model/history.ts";
import { asidesOf } from "./asides.ts";
import { type Conversation } from "./cache.ts";
import { newEntries, withoutBody } from "./entries.ts";
import { type Found, type ReadRequest, rootChain } from "./find.ts";
import { partsOf } from "./grow.ts";
import { type Laying, readOf } from "./placed.ts";
import { type History, writeSession } from "./write.ts";

/** What a branch shares with its source: the positions of its messages there, and how many entries it takes along. */
interface Shared {
  readonly source: Conversation;
  readonly positions: readonly number[];
  readonly keep: number;
  readonly pieces: Found["pieces"];
}

/** Writes a session of its own: a new one, or a branch that takes along what it shares. */
export async function beginSession(
  history: History,
  request: ReadRequest,
  { match, siblings }: { match: Found | undefined; siblings?: number | undefined },
): Promise<Laying> {
  const shared = match && sharedWith(history, request, match);
  const { source, positions: known = [], keep = 0 } = shared ?? {};
  const added = await addedTo(history, request, shared);
  const folds = source?.folds.filter(({ upTo }) => upTo <= keep) ?? [];
  const positions = [...known, ...added.map((_, index) => keep + index)];
  const result = {
    session: newSession(history, request, { source, keep, added: added.length }),
    entries: [...(source?.entries.slice(0, keep) ?? []), ...added.map(withoutBody)],
    folds,
    ...readOf(positions, request.readings),
  };
  const asides = source
    ? asidesOf(history, source, { positions: known, total: keep }, request)
    : [];
  await writeSession(history, result, {
    from: keep,
    entries: added,
    asides,
    folds,
    ...defined({ copyOf: source?.session.id, siblings: source ? undefined : siblings }),
  });
  return { ...result, positions, added: known.length };
}

function sharedWith(
  { judges }: History,
  { readings }: ReadRequest,
  { conversation, laid, pieces }: Found,
): Shared {
  // The branch leaves the line where it first shows more than is known there.
  const [leaves] = judges.shown(conversation, laid.positions, { readings, as: "whole" });
  return {
    source: conversation,
    positions: laid.positions.slice(0, leaves),
    keep: leaves === undefined ? laid.keep : (laid.positions[leaves] ?? 0),
    pieces,
  };
}

async function addedTo(
  history: History,
  request: ReadRequest,
  shared: Shared | undefined,
): Promise<NewEntry[]> {
  const { source, positions = [], keep = 0, pieces } = shared ?? {};
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
  { input: { root, label } }: ReadRequest,
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
