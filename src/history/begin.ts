import { defined } from "../base/guards.ts";
import { type NewEntry, type Session, type SessionState } from "../model/history.ts";
import { asidesOf } from "./asides.ts";
import { type Conversation } from "./cache.ts";
import { newEntries, withoutBody } from "./entries.ts";
import { type Found, type PlaceInput, type ReadRequest, rootChain } from "./find.ts";
import { partsOf } from "./grow.ts";
import { type Laying, readOf } from "./placed.ts";
import { type History, writeSession } from "./write.ts";

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
    ...defined({ copyOf: source?.session.id, siblings: source ? undefined : siblings }),
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
