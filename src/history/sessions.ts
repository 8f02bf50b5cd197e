import { defined } from "../base/guards.ts";
import { type Dialect } from "../dialect/common/dialect.ts";
import { thoughtOf } from "./thought.ts";
import { slices, createSerial } from "../base/async.ts";
import { TidemarkError } from "../model/errors.ts";
import {
  type Aside,
  type Entry,
  type Fold,
  type NewEntry,
  type Session,
  type SessionChange,
  type SessionState,
} from "../model/history.ts";
import { type HistoryStore } from "../model/history-store.ts";
import { type LedgerLine } from "../model/ledger.ts";
import { type Message } from "../model/request.ts";
import { digest } from "../text/hash.ts";
import { createCache, type Conversation } from "./cache.ts";
import { findSession, rootChain, type Found, type PlaceInput } from "./find.ts";
import { counted, type Reshaped, reshaped } from "./forms.ts";
import { partsOf, writeInParts } from "./grow.ts";
import { createJudges } from "./judge.ts";
import { type Change, isUsual, type Reading } from "./line.ts";
import { hasRoom, type Laying, type Placed, readOf, told } from "./placed.ts";
import { createReadings, headOf, type Weigh } from "./readings.ts";
import { withoutFold } from "./undone.ts";
import { isOvertaken, type Update } from "./update.ts";

export type { Conversation } from "./cache.ts";
export type { Placed } from "./placed.ts";

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

/** Another process wrote to the session since it was read. */
const STALE = Symbol("stale");
const TRIES = 8;
/** Notes remembered as written. */
const NOTED = 50_000;

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
  const read = createReadings(weigh);
  const judges = createJudges(store);

  // What is cached changes in the same breath as the write is asked for; a write that failed leaves nothing cached.
  async function write(
    next: Conversation,
    change: Omit<SessionChange, "session">,
  ): Promise<boolean> {
    cache.keep(next);
    let written = false;
    try {
      return (written = await writeInParts(store, { ...change, session: next.session }));
    } finally {
      if (!written) cache.drop(next.session.id);
    }
  }

  // One at a time: what a change is made from must still be so when it is written. Other processes are met by trying again.
  const alone = createSerial();
  const settled = <T>(work: () => Promise<T | typeof STALE>): Promise<T> =>
    alone(async () => {
      for (let tries = 0; tries < TRIES; tries++) {
        const done = await work();
        if (done !== STALE) return done;
      }
      throw new TidemarkError(
        "history",
        `Other processes wrote to this conversation ${TRIES} times in a row; this call was not archived.`,
      );
    });

  async function newEntries(
    input: PlaceInput,
    readings: readonly Reading[],
    from: { index: number; to?: number; chain: string; pieces?: Found["pieces"] },
  ): Promise<NewEntry[]> {
    const fresh = readings.slice(from.index, from.to);
    // Thinking that comes back in another line is still bound to what it was made behind.
    const thoughts = fresh.flatMap(({ thought }) => (thought === undefined ? [] : [thought]));
    const bindings =
      thoughts.length === 0
        ? new Map<string, string>()
        : await store.bindings(input.root, thoughts);
    let { chain } = from;
    const entries: NewEntry[] = [];
    const entryOf = ({ content, skeleton, head, thought }: Reading, offset: number): NewEntry => {
      const body = input.messages[from.index + offset] as Message;
      const prefix =
        thought === undefined
          ? undefined
          : (bindings.get(thought) ??
            from.pieces?.bound[offset] ??
            input.prefixBefore?.(from.index + offset));
      chain = digest(chain, content);
      return {
        chain,
        content,
        skeleton,
        role: input.dialect.speaker(body),
        reply: false,
        head,
        ...(prefix === undefined ? {} : boundTo({ prefix, thought })),
        at: now(),
        body,
      };
    };
    for await (const slice of slices(0, fresh.length))
      for (let at = slice.from; at < slice.to; at += 1)
        entries.push(entryOf(fresh[at] as Reading, at));
    return entries;
  }

  /** Two processes may begin one labelled conversation at once: counted first and looked for once more, no other goes unseen. */
  async function matched(
    input: PlaceInput,
    readings: readonly Reading[],
  ): Promise<{ match: Found | undefined; siblings?: number }> {
    const match = await findSession({ store, cache, judges }, input, readings);
    if (match !== undefined || input.label === undefined) return { match };
    const siblings = (await store.sessions(input.root, input.label)).length;
    return {
      match:
        siblings === 0 ? undefined : await findSession({ store, cache, judges }, input, readings),
      siblings,
    };
  }

  async function place(input: PlaceInput): Promise<Placed | typeof STALE> {
    const readings = read.all(input.dialect, input.messages);
    const { match, siblings } = await matched(input, readings);
    const placed =
      match?.laid.kind === "same"
        ? await goOn(input, readings, match)
        : await begin(input, readings, { match, siblings });
    if (placed === STALE) return STALE;
    const unchanged = (): boolean =>
      read
        .all(input.dialect, input.messages)
        .every((reading, index) => reading === readings[index]);
    return { ...placed, ...told(placed, readings, match?.conversation.read), unchanged };
  }

  /** The line with the messages that are shown otherwise now. */
  async function reshape(
    input: PlaceInput,
    readings: readonly Reading[],
    { conversation, laid }: Found,
  ): Promise<Reshaped> {
    const { revised, keep, positions } = laid;
    const { changes } = conversation.session.state;
    const whole = judges
      .shown(conversation, positions, { readings, as: "whole" })
      .map((index) => positions[index] ?? 0);
    const changed = [
      ...(laid.changed ?? []),
      ...whole.map((position): Change => ({
        position,
        usual: isUsual(changes, position, false),
        proven: false,
      })),
    ];
    const made = new Map<number, NewEntry>();
    for (const { position } of changed) {
      const index = positions.indexOf(position);
      const [entry] = await newEntries(input, readings, {
        index,
        to: index + 1,
        chain: rootChain(input),
      });
      if (entry) made.set(position, entry);
    }
    if (changed.length > 0) {
      const fits = (from: number): boolean =>
        hasRoom(
          conversation.session,
          readings.filter((_, index) => (positions[index] ?? from) >= from),
        );
      return reshaped(conversation, changed, { root: rootChain(input), now, newId, made, fits });
    }
    return {
      conversation: revised === "kin" ? counted(conversation, [keep]) : conversation,
      written: {},
    };
  }

  /** What the caller put between, and notes it put in place of results; those that were kept before stay as they are. */
  function asidesOf(
    conversation: Conversation,
    { positions, total }: { positions: readonly number[]; total: number },
    { input, readings }: { input: PlaceInput; readings: readonly Reading[] },
  ): Aside[] {
    const aside = (index: number, kind: Aside["kind"], before: number): Aside => ({
      before,
      kind,
      content: readings[index]?.content ?? "",
      body: input.messages[index] as Message,
      id: newId(),
    });
    const between = positions.flatMap((position, index) =>
      position >= 0
        ? []
        : [aside(index, "condensed", positions.slice(index).find((later) => later >= 0) ?? total)],
    );
    const notes = judges
      .shown(conversation, positions, { readings, as: "cleared" })
      .map((index) => aside(index, "cleared", positions[index] ?? 0));
    return [
      ...between,
      ...notes.filter(({ content }) => !noted.has(notedAs(conversation.session, content))),
    ];
  }

  /** Notes that stand beside the line already need not be written with every request. */
  const noted = new Set<string>();
  const notedAs = ({ id }: Pick<Session, "id">, content: string): string => `${id} ${content}`;
  function note(session: Session, asides: readonly Aside[]): void {
    if (noted.size > NOTED) noted.clear();
    for (const { kind, content } of asides)
      if (kind === "cleared") noted.add(notedAs(session, content));
  }

  /** The request's new messages behind its session's line. */
  async function goOn(
    input: PlaceInput,
    readings: readonly Reading[],
    found: Found,
  ): Promise<Laying | typeof STALE> {
    const { laid, pieces } = found;
    const { conversation, written: reshaping } = await reshape(input, readings, found);
    const { session, entries, folds } = conversation;
    const { keep } = laid;
    const added = await newEntries(input, readings, {
      index: laid.positions.length,
      chain: entries[keep - 1]?.chain ?? rootChain(input),
      pieces,
    });
    // The caller's form of the reply wins, but it is still the reply that was archived here; so does its form of what it answers.
    added.forEach((entry, index) => {
      const old = entries[keep + index];
      if (
        entry.role === "assistant" &&
        old?.reply &&
        (index === 0 || old.content === entry.content)
      )
        added[index] = { ...boundTo(old), ...entry, reply: true };
    });
    const positions = [...laid.positions, ...added.map((_, index) => keep + index)];
    const total = keep + added.length;
    const asides = asidesOf(conversation, { positions, total }, { input, readings });
    const { jobs = [] } = reshaping;
    const placed = {
      positions,
      added: laid.positions.length,
      ...defined({ owed: jobs.length > 0 ? jobs : undefined }),
    };
    const { read: _, ...about } = conversation;
    if (
      added.length === 0 &&
      keep === entries.length &&
      asides.length === 0 &&
      conversation === found.conversation
    )
      return { ...cache.keep({ ...about, ...readOf(positions, readings) }), ...placed };
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
    if (!(await write(result, { from: keep, entries: added, asides, ...reshaping }))) return STALE;
    note(session, asides);
    return { ...result, ...placed };
  }

  /** A session of its own: a new one, or a branch that takes along what it shares. */
  async function begin(
    input: PlaceInput,
    readings: readonly Reading[],
    { match, siblings }: { match: Found | undefined; siblings?: number | undefined },
  ): Promise<Laying | typeof STALE> {
    const source = match?.conversation;
    const all = match?.laid.positions ?? [];
    // It leaves the line where it first shows more than is known there.
    const [leaves] = source ? judges.shown(source, all, { readings, as: "whole" }) : [];
    const known = all.slice(0, leaves);
    const keep = leaves === undefined ? (match?.laid.keep ?? 0) : (all[leaves] ?? 0);
    // Replies that stay behind an edited message were archived here all the same.
    const archived = new Set(
      source?.entries.slice(keep).flatMap(({ reply, content }) => (reply ? [content] : [])),
    );
    const fresh = await newEntries(input, readings, {
      index: known.length,
      chain: source?.entries[keep - 1]?.chain ?? rootChain(input),
      pieces: match?.pieces,
    });
    const added = fresh.map((entry, at) =>
      archived.has(entry.content) || (at === 0 && match?.pieces)
        ? { ...entry, reply: true }
        : entry,
    );
    const session: Session = {
      id: newId(),
      root: input.root,
      ...defined({ label: input.label }),
      imported: false,
      at: now(),
      updatedAt: now(),
      confirmed: Math.max(0, keep + added.length - 1),
      watermark: Math.min(source?.session.watermark ?? 0, keep),
      noted: Math.min(source?.session.noted ?? 0, keep),
      state: source ? inherited(source.session.state) : {},
      revision: partsOf(added.length),
    };
    const folds = source?.folds.filter(({ upTo }) => upTo <= keep) ?? [];
    const positions = [...known, ...added.map((_, index) => keep + index)];
    const result = {
      session,
      entries: [...(source?.entries.slice(0, keep) ?? []), ...added.map(withoutBody)],
      folds,
      ...readOf(positions, readings),
    };
    const asides = source
      ? asidesOf(source, { positions: known, total: keep }, { input, readings })
      : [];
    const written = await write(result, {
      from: keep,
      entries: added,
      asides,
      folds,
      ...(source ? { copyOf: source.session.id } : definedOf({ siblings })),
    });
    return written ? { ...result, positions, added: known.length } : STALE;
  }

  /** The reply, behind the request it answers. A line that has gone on without it, or another way, keeps it aside. */
  async function archive(
    id: string,
    { dialect, message, before, line, prefix, learn }: Reply,
  ): Promise<undefined | typeof STALE> {
    const conversation = cache.last(id) ?? (await cache.load(id));
    if (!conversation) return undefined;
    const { session, entries } = conversation;
    const at = line.length;
    const { content, skeleton } = dialect.canon([...before, message], before.length);
    const bound = boundTo({ prefix, thought: thoughtOf(dialect, message) });
    const learnt = learn?.(session.state);
    const ledger = learnt?.ledger ?? [];
    const next: Session = {
      ...session,
      updatedAt: now(),
      state: { ...session.state, ...learnt?.state },
      revision: session.revision + 1,
    };
    const inLine = entries[at - 1]?.chain === line[at - 1]?.chain;
    const free =
      entries.length === at || (entries.length === at + 1 && entries[at]?.reply === true);
    if (!inLine || !free) {
      const aside: Aside = { before: at, content, kind: "replaced", body: message, ...bound };
      const kept = { ...conversation, session: { ...next, state: session.state } };
      return (await write(kept, { from: entries.length, entries: [], asides: [aside], ledger }))
        ? undefined
        : STALE;
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
    const { read } = conversation;
    const result = {
      ...conversation,
      session: next,
      entries: [...entries.slice(0, at), withoutBody(entry)],
      ...defined({ read: read && read.length > at ? read.slice(0, at) : undefined }),
    };
    return (await write(result, { from: at, entries: [entry], ledger })) ? undefined : STALE;
  }

  /**
   * Changes what a session has learnt. What a fold takes away is on the disk before it comes, with the watermark: so the turn
   * that folds need not wait for the disk, and a power cut at that moment leaves a conversation to fold again. Answers without the line: a call
   * under way keeps to the one it was placed on.
   */
  async function update(
    id: string,
    change: Update,
  ): Promise<
    (Omit<Conversation, "entries"> & { undone?: readonly Fold[] }) | undefined | typeof STALE
  > {
    const conversation = await cache.load(id);
    if (!conversation) return undefined;
    const { session, entries, folds } = conversation;
    if (isOvertaken(conversation, change)) return { session, folds };
    const { standing, undone, back } = withoutFold(folds, change.undo);
    const next: Session = {
      ...session,
      watermark: Math.max(change.watermark ?? 0, session.watermark),
      noted: Math.max(change.noted ?? 0, session.noted),
      state: {
        ...session.state,
        ...(typeof change.state === "function" ? change.state(session.state) : change.state),
        ...back,
      },
      revision: session.revision + 1,
    };
    const { fold, jobs, doneJobs, learnt, ledger } = change;
    const result = { ...conversation, session: next, folds: fold ? [...standing, fold] : standing };
    const written = await write(result, {
      from: entries.length,
      entries: [],
      ...(fold ? { folds: [fold], durable: "behind" } : {}),
      ...defined({ durable: change.watermark === undefined ? undefined : true }),
      ...(undone.length > 0
        ? { undone: { folds: undone.map((one) => one.id), at: now() }, durable: true }
        : {}),
      ...definedOf({ jobs, doneJobs, learnt, ledger }),
    });
    return written
      ? {
          session: next,
          folds: result.folds,
          ...defined({ undone: undone.length > 0 ? undone : undefined }),
        }
      : STALE;
  }

  return {
    place: (input: PlaceInput) => read.ahead(input, () => settled(() => place(input))),
    archive: (id: string, reply: Reply) => settled(() => archive(id, reply)),
    update: (id: string, change: Update) => settled(() => update(id, change)),
    /** Does the request go on with a conversation that is kept? Writes nothing. */
    knows: async (input: PlaceInput): Promise<boolean> =>
      (await matched(input, read.all(input.dialect, input.messages))).match?.laid.kind === "same",
    /** Runs work on the history while no session changes. */
    alone,
    load: cache.load,
    drop: cache.drop,
  };
}

export type Sessions = ReturnType<typeof createSessions>;

const withoutBody = ({ body: _body, name: _name, ref: _ref, ...entry }: NewEntry): Entry => entry;

/** A reply keeps what its thinking is bound to; whether a message still holds that very thinking is asked when it is sent. */
const boundTo = ({
  prefix,
  thought,
}: {
  prefix?: string | undefined;
  thought?: string | undefined;
}): Pick<Entry, "prefix" | "thought"> => ({
  ...defined({ prefix, thought }),
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
  definedOf({ frozen, recalled, calibration, last, undone, call, changes });

/** Without what is undefined: a type that says "absent" means it. */
function definedOf<T extends object>(given: T): T {
  return Object.fromEntries(Object.entries(given).filter(([, value]) => value !== undefined)) as T;
}
