import { type Dialect } from "../dialect/dialect.ts";
import { type Aside, type Entry, type Fold, type HistoryStore, type Job, type NewEntry, type Session, type SessionChange, type SessionState } from "../model/history.ts";
import { type Message } from "../model/request.ts";
import { digest } from "../text/hash.ts";
import { align, type Placement, type Reading } from "./align.ts";
import { createCache, type Conversation } from "./cache.ts";
import { createReadings, HEAD } from "./readings.ts";
import { createSerial } from "./serial.ts";

export type { Conversation } from "./cache.ts";

/** A request laid on its session; `positions[i]` is where message i stands in the session, -1 for a caller's own summary. */
export interface Placed extends Conversation {
  readonly positions: readonly number[];
  /** The first message not seen before. */
  readonly added: number;
}

export interface PlaceInput {
  readonly dialect: Dialect;
  /** The conversation without a preamble of instructions. */
  readonly messages: readonly Message[];
  readonly root: string;
  readonly label?: string;
}

export interface Reply {
  readonly dialect: Dialect;
  readonly message: Message;
  /** The conversation it answers, and how long that is in the session. */
  readonly before: readonly Message[];
  readonly at: number;
  /** Digest of everything that was sent, for a reply with thinking. */
  readonly prefix?: string;
  /** What the reply taught. */
  readonly state?: Partial<SessionState>;
}

export interface Update {
  readonly state?: Partial<SessionState>;
  readonly watermark?: number;
  readonly noted?: number;
  readonly fold?: Fold;
  readonly jobs?: readonly Job[];
  readonly doneJobs?: readonly string[];
}

/** Sessions by content (design §4): each request finds the one it continues, or starts its own. */
export function createSessions({ store, now, newId }: { store: HistoryStore; now: () => number; newId: () => string }) {
  const cache = createCache(store);
  const readAll = createReadings();

  // What is cached changes in the same breath as the write is asked for; a write that failed leaves nothing cached.
  const write = (change: SessionChange): Promise<void> =>
    store.write(change).catch((thrown: unknown) => {
      cache.drop(change.session.id);
      throw thrown;
    });

  const rootChain = (root: string, label: string | undefined): string => digest("root", root, label ?? "");

  function newEntries(input: PlaceInput, readings: readonly Reading[], from: { index: number; chain: string }): NewEntry[] {
    let { chain } = from;
    return input.messages.slice(from.index).map((body, offset) => {
      const reading = readings[from.index + offset] as Reading;
      chain = digest(chain, reading.content);
      const { content, skeleton } = reading;
      return { chain, content, skeleton, role: input.dialect.speaker(body), reply: false, head: "", at: now(), body };
    });
  }

  async function candidates(input: PlaceInput, readings: readonly Reading[]): Promise<Conversation[]> {
    const chains: string[] = [];
    let chain = rootChain(input.root, input.label);
    for (const { content } of readings) chains.push((chain = digest(chain, content)));
    const replies = readings.filter((reading) => reading.assistant).slice(-8);
    const ids = new Set([
      ...(await store.byChain(chains.slice(-400))).map(({ session }) => session),
      ...(replies.length > 0 ? await store.byReply(input.root, input.label, replies.map(({ content }) => content)) : []),
    ]);
    const found = await Promise.all([...ids].map((id) => cache.load(id)));
    return found.filter((one) => one !== undefined);
  }

  type Match = { conversation: Conversation; placement: Exclude<Placement, { kind: "stranger" }> };
  function best(conversations: readonly Conversation[], readings: readonly Reading[], options: { labelled: boolean; trimmed?: boolean }): Match | undefined {
    let chosen: Match | undefined;
    for (const conversation of conversations) {
      if (conversation.session.imported) continue;
      const placement = align({ entries: conversation.entries, confirmed: conversation.session.confirmed }, readings, options);
      if (placement.kind === "stranger") continue;
      if (chosen === undefined || precedes({ conversation, placement }, chosen)) chosen = { conversation, placement };
    }
    return chosen;
  }

  /** Writes what is new of a request and answers where it stands. One transaction. */
  async function place(input: PlaceInput): Promise<Placed> {
    const readings = readAll(input.dialect, input.messages);
    const labelled = input.label !== undefined;
    let match = best(cache.recent(input.root, input.label), readings, { labelled, trimmed: false });
    // No session can lie deeper when all that follows the match is the caller's own: only a reply proves a session.
    const certain = match?.placement.kind === "same" && !readings.slice(match.placement.positions.length).some(({ assistant }) => assistant);
    if (!certain) match = best(await candidates(input, readings), readings, { labelled });

    const length = input.messages.length;
    if (match?.placement.kind === "same") {
      const { conversation, placement } = match;
      const { session, entries } = conversation;
      const last = entries[placement.keep - 1];
      const added = newEntries(input, readings, {
        index: placement.positions.length,
        chain: last?.chain ?? rootChain(input.root, input.label),
      });
      // The caller's form of the reply wins, but it is still the reply that was archived here.
      const old = entries[placement.keep];
      const [first, ...rest] = added;
      if (first && old?.reply && first.role === "assistant") added.splice(0, added.length, { ...first, reply: true, head: old.head }, ...rest);
      const total = placement.keep + added.length;
      const asides = placement.positions.flatMap((position, index): Aside[] =>
        position >= 0
          ? []
          : [{ before: placement.positions.slice(index).find((later) => later >= 0) ?? total, content: readings[index]?.content ?? "", kind: "condensed", body: input.messages[index] as Message }],
      );
      const next: Session = {
        ...session,
        updatedAt: now(),
        confirmed: Math.max(0, total - 1),
        watermark: Math.min(session.watermark, placement.keep),
        noted: Math.min(session.noted, placement.keep),
      };
      const changed = added.length > 0 || placement.keep < entries.length || asides.length > 0;
      const kept = changed ? [...entries.slice(0, placement.keep), ...added.map(withoutBody)] : entries;
      const result = cache.keep({ session: changed ? next : session, entries: kept, folds: conversation.folds.filter(({ upTo }) => upTo <= total) });
      if (changed) await write({ session: next, from: placement.keep, entries: added, asides });
      const positions = [...placement.positions, ...added.map((_, index) => placement.keep + index)];
      return { ...result, positions, added: placement.positions.length };
    }

    const source = match?.conversation;
    const keep = match?.placement.kind === "branch" ? match.placement.keep : 0;
    const added = newEntries(input, readings, { index: keep, chain: source?.entries[keep - 1]?.chain ?? rootChain(input.root, input.label) });
    const folds = source?.folds.filter(({ upTo }) => upTo <= keep) ?? [];
    const session: Session = {
      id: newId(),
      root: input.root,
      ...(input.label === undefined ? {} : { label: input.label }),
      imported: false,
      at: now(),
      updatedAt: now(),
      confirmed: Math.max(0, length - 1),
      watermark: Math.min(source?.session.watermark ?? 0, keep),
      noted: Math.min(source?.session.noted ?? 0, keep),
      state: source ? inherited(source.session.state) : {},
    };
    const entries = [...(source?.entries.slice(0, keep) ?? []), ...added.map(withoutBody)];
    const result = cache.keep({ session, entries, folds });
    await write({ session, from: keep, entries: added, folds, ...(source ? { copyOf: source.session.id } : {}) });
    return { ...result, positions: entries.map((_, index) => index), added: keep };
  }

  /** The reply, behind the request it answers (`at` entries). A line that has gone on without it keeps it aside. */
  async function archive(id: string, reply: Reply): Promise<void> {
    const conversation = await cache.load(id);
    if (!conversation) return;
    const { session, entries } = conversation;
    const { content, skeleton } = reply.dialect.canon([...reply.before, reply.message], reply.before.length);
    if (session.confirmed > reply.at || entries.length < reply.at) {
      const aside: Aside = { before: reply.at, content, kind: "replaced", body: reply.message };
      await write({ session, from: entries.length, entries: [], asides: [aside] });
      return;
    }
    const chain = digest(entries[reply.at - 1]?.chain ?? rootChain(session.root, session.label), content);
    const entry: NewEntry = {
      chain,
      content,
      skeleton,
      role: "assistant",
      reply: true,
      head: reply.dialect.text(reply.message).slice(0, HEAD),
      ...(reply.prefix === undefined ? {} : { prefix: reply.prefix }),
      at: now(),
      body: reply.message,
    };
    const next: Session = { ...session, updatedAt: now(), state: { ...session.state, ...reply.state } };
    cache.keep({ ...conversation, session: next, entries: [...entries.slice(0, reply.at), withoutBody(entry)] });
    await write({ session: next, from: reply.at, entries: [entry] });
  }

  /** Changes what a session has learnt; a fold is written so that it survives a power cut. */
  async function update(id: string, change: Update): Promise<Conversation | undefined> {
    const conversation = await cache.load(id);
    if (!conversation) return undefined;
    const { session, entries, folds } = conversation;
    const next: Session = {
      ...session,
      watermark: change.watermark ?? session.watermark,
      noted: change.noted ?? session.noted,
      state: { ...session.state, ...change.state },
    };
    const result = cache.keep({ session: next, entries, folds: change.fold ? [...folds, change.fold] : folds });
    await write({
      session: next,
      from: entries.length,
      entries: [],
      ...(change.fold ? { folds: [change.fold], durable: true } : {}),
      ...(change.jobs ? { jobs: change.jobs } : {}),
      ...(change.doneJobs ? { doneJobs: change.doneJobs } : {}),
    });
    return result;
  }

  // One at a time: what a change is made from must still be so when it is written.
  const inTurn = createSerial();
  return {
    place: (input: PlaceInput) => inTurn(() => place(input)),
    archive: (id: string, reply: Reply) => inTurn(() => archive(id, reply)),
    update: (id: string, change: Update) => inTurn(() => update(id, change)),
    load: cache.load,
    drop: cache.drop,
  };
}

export type Sessions = ReturnType<typeof createSessions>;

const withoutBody = ({ body: _body, name: _name, ref: _ref, ...entry }: NewEntry): Entry => entry;

/** What a branch takes along: the frozen text keeps its cache warm; the anchor and shortenings belong to the other line. */
const inherited = ({ frozen, calibration, last }: SessionState): SessionState => ({
  ...(frozen ? { frozen } : {}),
  ...(calibration ? { calibration } : {}),
  ...(last ? { last } : {}),
});

function precedes(a: { conversation: Conversation; placement: { kind: string; matched: number } }, b: typeof a): boolean {
  if (a.placement.matched !== b.placement.matched) return a.placement.matched > b.placement.matched;
  if (a.placement.kind !== b.placement.kind) return a.placement.kind === "same";
  return a.conversation.session.updatedAt > b.conversation.session.updatedAt;
}
