import { type Fact } from "../distil/distiller.ts";
import { type Learnt } from "../model/history.ts";
import { type Memory } from "../model/memory.ts";
import { serially } from "../memory/commit.ts";
import { withoutFences } from "../text/fence.ts";
import { normalForm } from "../text/one-line.ts";
import { type Core, type Who } from "./core.ts";
import { records, saveSpan } from "./span-names.ts";

declare const minted: unique symbol;

/**
 * Proof that the facts of a range of messages are stored or durably queued. Only `persist` makes one, and only with one in
 * hand can messages be folded: writing comes before discarding because the other order does not compile.
 */
export interface Receipt {
  readonly [minted]: true;
  readonly session: string;
  /** Entries before this position are safe to leave the request. */
  readonly upTo: number;
  readonly facts: number;
}

/** Shorter than this, a repetition proves nothing. */
const TELLING = 12;

/**
 * Stores facts (daily log first, then the database, then MEMORY.md) and moves the watermark. Rejects when any of it cannot
 * be written, and then nothing may be folded. `injected` is what the model was shown of its own memory: to repeat it is no
 * new fact.
 */
export async function persist(
  core: Core,
  who: Who,
  { session, upTo, facts, injected, jobs }: { session: string; upTo: number; facts: readonly Fact[]; injected: string; jobs?: { from: number; error: string } },
): Promise<Receipt> {
  const stored = await store(core, who, { facts, injected });
  const conversation = await core.sessions.load(session);
  const first = conversation?.session.watermark ?? 0;
  await core.sessions.update(session, {
    // What a broken reply says may come from anywhere behind the watermark.
    learnt: learntFrom(stored, { first, last: upTo > first ? upTo : (conversation?.entries.length ?? upTo) }),
    watermark: Math.max(conversation?.session.watermark ?? 0, upTo),
    noted: Math.max(conversation?.session.noted ?? 0, upTo),
    ...(jobs ? { jobs: [{ id: core.newId(), session, from: jobs.from, to: upTo, attempts: 1, error: jobs.error, notBefore: core.now() + RETRY_AFTER }] } : {}),
  });
  return { session, upTo, facts: stored.length } as Receipt;
}

/** Facts outside a fold: what was read without a model, or done again later. The watermark stays where it is. */
export async function persistNotes(
  core: Core,
  who: Who,
  { session, of, upTo, facts, injected, doneJobs }: { session: string; of: Range; upTo: number; facts: readonly Fact[]; injected: string; doneJobs?: readonly string[] },
): Promise<void> {
  const stored = await store(core, who, { facts, injected });
  const noted = (await core.sessions.load(session))?.session.noted ?? 0;
  await core.sessions.update(session, { noted: Math.max(noted, upTo), learnt: learntFrom(stored, of), ...(doneJobs ? { doneJobs } : {}) });
}

/** The entries [first, last) that facts were taken from. */
type Range = Pick<Learnt, "first" | "last">;

const learntFrom = (memories: readonly Memory[], of: Range): Learnt[] => memories.map(({ id }) => ({ memory: id, ...of }));

/** Daily log, database, MEMORY.md: in this order. What was new. */
async function store(core: Core, who: Who, { facts, injected }: { facts: readonly Fact[]; injected: string }): Promise<Memory[]> {
  const known = normalForm(injected);
  const fresh = facts.filter(({ content }) => {
    const said = normalForm(withoutFences(content));
    return said !== "" && !(said.length >= TELLING && known.includes(said));
  });
  if (fresh.length === 0) return [];
  const { saved } = await core.spans.run(saveSpan, (tell) => {
    tell(() => records(fresh.length));
    return who.memories.saveAll(fresh, who.learns);
  });
  if (saved.length > 0) await serially(core.store, () => rememberWhatStands(core, who, saved));
  return saved;
}

/** Into MEMORY.md: what has been forgotten or changed since it was stored must not come back there. */
async function rememberWhatStands({ store, workspace }: Core, { learns }: Who, saved: readonly Memory[]): Promise<void> {
  const now = await Promise.all(saved.map(({ id, scope }) => store.get(id, [scope])));
  await workspace.remember(saved.filter(({ version }, at) => now[at]?.memory.version === version), learns);
}

/** ms until a failed distilling is tried again; doubles with every failure, up to a day. */
export const RETRY_AFTER = 30_000;
