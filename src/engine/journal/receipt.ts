import type { Conversation } from "../../history/sessions.ts";
import { injectedText } from "../../prompt/recalled.ts";
import type { Fact } from "../../distil/task/distiller.ts";
import { QUOTED } from "../../distil/extract/extractive.ts";
import type { Learnt, ReadySummary, Session } from "../../model/history.ts";
import type { Memory } from "../../model/memory.ts";
import { sameness } from "../../memory/sameness/canonical.ts";
import type { Due } from "../../memory/memories.ts";
import { dialectFor } from "../../dialect/detect.ts";
import { isHeartbeat, withoutFences } from "../../text/fence.ts";
import { normalForm } from "../../text/cut.ts";
import type { ReceiptLine } from "../../workspace/lines/receipt-line.ts";
import type { Core, Who } from "../session/core.ts";
import { proposedOnce, proposeWishes, wishesIn } from "./preferences.ts";
import { lineDigest, owedBy, type Reached, reachedBy, settled } from "./watermark.ts";

declare const minted: unique symbol;

/**
 * Proof that facts of messages are stored or durably queued. Only `persist` makes one, or the
 * watermark it moved, and only with one in hand can messages be folded: writing comes before
 * discarding because the other order does not compile.
 */
export interface Receipt {
  readonly [minted]: true;
  readonly session: string;
  /** Entries before this position are safe to leave the request. */
  readonly upTo: number;
  readonly facts: number;
}

const TELLING = 12;

interface DistilledFacts {
  /** The conversation as it stood when it was read, and which of its entries were. */
  readonly of: Pick<Conversation, "session" | "entries">;
  readonly from: number;
  readonly to: number;
  readonly facts: readonly Fact[];
  /** When it was said, where that is not now. */
  readonly at?: number;
  /** A model's word on the range takes the place of what was quoted from it. */
  readonly by?: "model" | "extractive";
}

/**
 * Stores facts (daily log and its receipt first, then the database, then MEMORY.md) and moves the
 * watermark. Rejects when any of it cannot be written, and then nothing may be folded. Undefined,
 * and nothing stored, where another process has stored a part of the range meanwhile, or its words
 * are others by now. `partly`: a broken reply gives what it has, and all is asked for again.
 * `owed`: why the range is left to the queue as well.
 */
export async function persist(
  core: Core,
  who: Who,
  {
    partly = false,
    owed,
    ...found
  }: DistilledFacts & { partly?: boolean; owed?: string | undefined },
): Promise<Receipt | undefined> {
  const range = rangeOf(found);
  const { session, first, last } = range;
  const mark = receiptFor(core, who, range, { owed: owed !== undefined });
  if (owed !== undefined) core.process.queued.add(mark.id);
  const stored = await store(core, who, {
    ...found,
    range,
    receipt: partly ? undefined : mark,
    overtaken: ({ watermark }) => watermark > first,
    // A queued range is vouched for like facts: two that quote the same would have the model
    // asked twice.
    always: owed !== undefined,
  });
  if (stored === undefined) {
    // The faster process vouches for it, if for all of it.
    const now = await settled(core, who, session);
    return now !== undefined &&
      now.session.watermark >= last &&
      now.entries[last - 1]?.chain === range.chain
      ? minting({ session, upTo: last, facts: 0 })
      : undefined;
  }
  const upTo = partly ? first : last;
  const before = (await core.sessions.load(session))?.session.watermark ?? 0;
  await core.sessions.update(session, {
    learnt: stored.learnt,
    watermark: upTo,
    noted: upTo,
    jobs: owed && before < upTo ? owedBy(core, session, mark, owed) : [],
  });
  return minting({ session, upTo, facts: stored.saved });
}

/**
 * Facts outside a fold: what was read without a model, or done again later (`job`). The watermark
 * stays where it is. False: overtaken.
 */
export async function persistNotes(
  core: Core,
  who: Who,
  { job, ...found }: DistilledFacts & { job?: string },
): Promise<boolean> {
  const range = rangeOf(found);
  const { session, first, last } = range;
  const overtaken = ({ watermark, noted, jobs }: Reached): boolean =>
    job === undefined ? Math.max(watermark, noted) > first : !jobs.has(job);
  const receipt = receiptFor(core, who, range, job === undefined ? { quoted: true } : { job });
  const stored = await store(core, who, { ...found, range, receipt, overtaken });
  if (stored === undefined) await settled(core, who, session);
  else
    await core.sessions.update(session, {
      learnt: stored.learnt,
      ...(job === undefined ? { noted: last } : { doneJobs: [job] }),
    });
  return stored !== undefined;
}

type ReadRange = ReturnType<typeof rangeOf>;

/**
 * The entries [first, last) that facts were taken from; `chain` stood at their end when they were
 * read.
 */
const rangeOf = ({ of: { session, entries }, from, to }: DistilledFacts) => ({
  session: session.id,
  first: from,
  last: to,
  chain: entries[to - 1]?.chain,
});

const minting = (receipt: Pick<Receipt, "session" | "upTo" | "facts">): Receipt =>
  receipt as Receipt;

/** The proof once more, where the watermark stands behind the range. */
export const receiptOf = (
  { id, watermark }: Session,
  { upTo, facts }: ReadySummary,
): Receipt | undefined => (upTo <= watermark ? minting({ session: id, upTo, facts }) : undefined);

const receiptFor = (
  core: Core,
  { learns }: Who,
  { session, first, last, chain }: ReadRange,
  kind: Pick<ReceiptLine, "quoted" | "owed" | "job">,
): ReceiptLine => ({
  id: core.newId(),
  at: core.now(),
  scope: learns,
  line: lineDigest(session, chain),
  first,
  last,
  ...kind,
});

/** Is the range gone, changed, or stored by another process? */
async function taken(
  core: Core,
  who: Who,
  { session, last, chain }: ReadRange,
  overtaken: (reached: Reached) => boolean,
): Promise<boolean> {
  const found = await core.sessions.load(session);
  return (
    found === undefined ||
    found.entries[last - 1]?.chain !== chain ||
    overtaken(await reachedBy(core, who, found))
  );
}

interface Storing extends DistilledFacts {
  readonly range: ReadRange;
  readonly receipt: ReceiptLine | undefined;
  /** Has another process stored some of it, by how far the conversation has come? */
  readonly overtaken: (reached: Reached) => boolean;
  /** The receipt is written though nothing is stored. */
  readonly always?: boolean;
}

/** Daily log, database, MEMORY.md, in this order. Undefined where it was not due any more. */
async function store(
  core: Core,
  who: Who,
  { of, facts, by, at, range, ...how }: Storing,
): Promise<{ saved: number; learnt: readonly Learnt[] } | undefined> {
  const { first, last } = range;
  const learntOf = (memories: readonly Memory[]): Learnt[] =>
    memories.map(({ id }) => ({ memory: id, first, last }));
  // The model was shown its own memory: a repetition, if it is long enough, is no new fact.
  const told = normalForm(injectedText(of.session.state));
  const learns = (await answersHeartbeat(core, of.session.id)) ? [] : facts;
  const fresh = learns.filter(({ content, supersedes }) => {
    if (content === "") return supersedes !== undefined;
    const said = normalForm(withoutFences(content));
    return said !== "" && !(said.length >= TELLING && told.includes(said));
  });
  const wishes = await wishesIn(core, range, learns);
  const replaced = by === "model" ? await replacedBy(core, who, range, facts) : [];
  const again = await saidAgain(
    core,
    who,
    facts.filter((fact) => !fresh.includes(fact)),
  );
  let isDue = true;
  const due: Due = async () => {
    isDue = !(await taken(core, who, range, how.overtaken));
    return isDue ? { receipt: how.receipt } : undefined;
  };
  if (replaced.length > 0 && (await due()) === undefined) return undefined;
  for (const id of replaced) await who.memories.forget(id);
  const save = () =>
    core.spans.run("upsert_memory", { "gen_ai.memory.record.count": fresh.length }, () => {
      const dated = at === undefined ? fresh : fresh.map((fact) => ({ ...fact, at }));
      return who.memories.saveAll(dated, who.learns, "distilled", due);
    });
  const isAny = fresh.length > 0 || replaced.length > 0 || how.always === true;
  const { saved, repeated } = isAny ? await save() : { saved: [], repeated: [] };
  if (!isDue) return undefined;
  proposeWishes(core, who, wishes, { saved, repeated });
  // A quoted fact that is said again here is this conversation's word too.
  return {
    saved: saved.length,
    learnt: learntOf([...saved, ...again, ...repeated.filter(isQuoted)]),
  };
}

/** An agent's talk to itself is remembered only where it saves it. */
async function answersHeartbeat({ history }: Core, session: string): Promise<boolean> {
  const [first] = await history.bodies(session, 0, 1);
  if (first === undefined) return false;
  return isHeartbeat(dialectFor({ messages: [first.body] }).text(first.body));
}

/** Facts told to this conversation and said in it may have been quoted in another one. */
async function saidAgain(
  { store }: Core,
  { learns }: Who,
  facts: readonly Fact[],
): Promise<Memory[]> {
  const rows = await Promise.all(
    facts.map(({ content }) => store.same(sameness(content), [learns])),
  );
  return rows.flat().flatMap(({ memory }) => (isQuoted(memory) ? [memory] : []));
}

const isQuoted = ({ tags }: Memory): boolean => tags.includes(QUOTED);

/** Facts of these categories are rules the user set. */
const RULES = new Set(["principle", "correction"]);

/**
 * What the extractive distiller wrote for the range, that has not changed since and no other
 * conversation holds: a model's word takes its place. A model that says nothing of what holds a
 * rule of the user has not read it.
 */
async function replacedBy(
  core: Core,
  { memories }: Who,
  of: ReadRange,
  facts: readonly Fact[],
): Promise<string[]> {
  const { session, first, last } = of;
  const learnt = (await core.history.learnt(session, first, last)).filter(
    (one) => one.first >= first && one.last <= last,
  );
  if (learnt.length === 0) return [];
  const found = (await Promise.all(learnt.map(({ memory }) => memories.get(memory)))).filter(
    (one) => one !== undefined,
  );
  const quoted = found.filter(
    (memory) => isQuoted(memory) && (memory.version === 1 || isRecord(memory, session)),
  );
  if (facts.length === 0 && quoted.some(({ category }) => RULES.has(category))) return [];
  const others = await heldByOthers(core, of, quoted);
  // A fact on the page of its user is no longer ours to replace.
  const proposed = await proposedOnce(core.workspace);
  return quoted.flatMap(({ id }) => (others.has(id) || proposed.has(id) ? [] : [id]));
}

/**
 * The state of a conversation's work is rewritten by each reading of it, and by a person's hand
 * too.
 */
const isRecord = ({ key, origin }: Memory, session: string): boolean =>
  key?.startsWith(`conversation/${session}/`) === true && origin !== "host";

/** Branches that share the range are no others: they hold it because they were copied. */
async function heldByOthers(
  { history }: Core,
  { session, chain }: ReadRange,
  quoted: readonly Memory[],
): Promise<ReadonlySet<string>> {
  const holders = await history.holders(quoted.map(({ id }) => id));
  const kin = new Set(
    (await history.byChain(chain === undefined ? [] : [chain])).map((one) => one.session),
  );
  return new Set(
    holders.flatMap((one) => (one.session === session || kin.has(one.session) ? [] : [one.memory])),
  );
}
