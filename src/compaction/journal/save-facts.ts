import type { Conversation } from "../../conversations/sessions.ts";
import { endOfRun, phrases } from "../../core/base.ts";
import type { Update } from "../../conversations/write-session.ts";
import type { Learnt, ReadySummary, Session } from "../../core/history.ts";
import type { Scope } from "../../core/identity.ts";
import { dayIn, isTrusted, type Memory, QUOTED } from "../../core/memory.ts";
import { normalForm } from "../../core/text/cut.ts";
import { isHeartbeat, withoutFences } from "../../core/text/fence.ts";
import { type Fact, isAboutKnown } from "../../memory/extracting/task.ts";
import type { Put } from "../../memory/saving/commit.ts";
import type { SavedFacts } from "../../memory/saving/save.ts";
import { dialectFor } from "../../providers/detect.ts";
import type { Kept, Ports, Who } from "../../session/ports.ts";
import { injectedText } from "../../session/recalled-text.ts";
import { owedBy, queueOf } from "./queue.ts";
import { foldIn, type Outgoing } from "../../session/outgoing-request.ts";

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
  /** A model's word on the range takes the place of what was quoted from it. */
  readonly by?: "model" | "extractive";
}

/**
 * Stores facts with what they take the place of, the watermark, queued work and the summary, all
 * in one transaction. Rejects when it cannot be written, and then nothing may be folded. Undefined,
 * and nothing stored, where another process or a branch has stored a part of the range meanwhile,
 * or its words are others by now. `partly`: a broken reply gives what it has, and all is asked for
 * again.
 * `owed`: why the range is left to the queue as well. `ready`: the summary, where it still stands
 * for the range.
 */
export async function persist(
  core: Ports,
  who: Who,
  {
    partly = false,
    owed,
    ready,
    ...found
  }: DistilledFacts & {
    partly?: boolean;
    owed?: string | undefined;
    ready?: (now: Conversation, facts: number) => ReadySummary | undefined;
  },
): Promise<Receipt | undefined> {
  const { of, from: first, to: last } = found;
  const session = of.session.id;
  const upTo = partly ? first : last;
  const jobs = owed === undefined ? [] : [owedBy(core, { session, from: first, to: last }, owed)];
  const stored = await store(core, who, found, async (now, { saved, learnt }) => {
    if ((await reachOfKin(core, now)) > first) return undefined;
    const state = ready?.(now, saved.length);
    return {
      learnt,
      unread: first,
      watermark: upTo,
      noted: upTo,
      jobs: now.session.watermark < upTo ? jobs : [],
      state: state && { ready: state },
    };
  });
  if (stored !== undefined) return minting({ session, upTo, facts: stored.length });
  // The faster process vouches for it, if for all of it.
  const now = await settled(core, session);
  return now !== undefined &&
    now.session.watermark >= last &&
    now.entries[last - 1]?.chain === of.entries[last - 1]?.chain
    ? minting({ session, upTo: last, facts: 0 })
    : undefined;
}

/**
 * Facts outside a fold: what was read without a model, or done again later (`job`). The watermark
 * stays where it is. False: overtaken.
 */
export async function persistNotes(
  core: Ports,
  who: Who,
  { job, ...found }: DistilledFacts & { job?: string },
): Promise<boolean> {
  const { of, from: first, to: last } = found;
  const stored = await store(core, who, found, async ({ session }, { learnt }) => {
    if (job !== undefined) {
      const waits = (await queueOf(core.store, who.root)).some(({ id }) => id === job);
      return waits ? { learnt, doneJobs: [job] } : undefined;
    }
    return Math.max(session.watermark, session.noted) > first ? undefined : { learnt, noted: last };
  });
  if (stored === undefined) await settled(core, of.session.id);
  return stored !== undefined;
}

const minting = (receipt: Pick<Receipt, "session" | "upTo" | "facts">): Receipt =>
  receipt as Receipt;

/** The proof once more, where the watermark stands behind the range. */
export const receiptOf = (
  { id, watermark }: Session,
  { upTo, facts }: ReadySummary,
): Receipt | undefined => (upTo <= watermark ? minting({ session: id, upTo, facts }) : undefined);

/** Days that are of the calendar only beside the day they are said on. */
const RELATIVE = phrases(
  "\\b",
  `yesterday|today|tonight|tomorrow|(?:days?|weeks?|months?|years?) ago|last night
  (?:last|this|next) (?:week|weekend|month|year|spring|summer|autumn|winter|\\w+day)(?! of)`,
);
/** What is so each day is of no day. */
const HABIT = /\b(?:every|each|daily|always|never|whenever)\b/i;

/** A project is told of its code; of its users themselves, or what is not vouched for, never. */
const projectOf = (
  { identity: { project } }: Who,
  { scope, origin, category = "" }: Omit<Fact, "content">,
): Scope | undefined =>
  (scope === undefined && category !== "codebase-knowledge") ||
  project === undefined ||
  !isTrusted(origin) ||
  /^(?:identity|preference)/i.test(category)
    ? undefined
    : `project:${project}`;

/** What was stored, for the session that it is stored with. */
interface Stored {
  readonly saved: readonly Memory[];
  readonly learnt: readonly Learnt[];
}

/**
 * Does the agent talk to itself? All that the user says is a wake-up prompt; then it is remembered
 * only where the agent saves it.
 */
async function isTalkToItself(
  { store: storage }: Ports,
  { session, entries }: DistilledFacts["of"],
  upTo: number,
): Promise<boolean> {
  const spoken = entries.slice(0, upTo).flatMap(({ role }, at) => (role === "user" ? [at] : []));
  for (const at of spoken) {
    const [said] = await storage.bodies(session.id, at, at + 1);
    if (said === undefined) return false;
    if (!isHeartbeat(dialectFor({ messages: [said.body] }).text(said.body))) return false;
  }
  return spoken.length > 0;
}

/**
 * Facts, and with them what the session is to say of them. Answers the memories that were saved;
 * undefined where the range is gone, changed, or stored by another process: `change` says that.
 */
async function store(
  core: Ports,
  who: Who,
  { of, facts, by, from: first, to: last }: DistilledFacts,
  change: (now: Conversation, stored: Stored) => Promise<Update | undefined>,
): Promise<readonly Memory[] | undefined> {
  const session = of.session.id;
  // The model was shown its own memory: a repetition, if it is long enough, is no new fact.
  const told = normalForm(injectedText(of.session.state));
  const isMute = core.level === "none" || (await isTalkToItself(core, of, last));
  const learns = isMute ? [] : facts;
  const fresh = learns.filter((fact) => {
    const { content } = fact;
    if (content === "") return isAboutKnown(fact);
    const said = normalForm(withoutFences(content));
    return said !== "" && !(said.length >= TELLING && told.includes(said));
  });
  const replaced = by === "model" ? await replacedBy(core, who, { session, first, last }) : [];
  let isOver = false;
  const put: Put<SavedFacts> = async (memories, debts, { saved }) => {
    const learnt = saved.map(({ id }): Learnt => ({ memory: id, first, last }));
    const done = await core.sessions.store(session, async (now) => {
      if (now.entries[last - 1]?.chain !== of.entries[last - 1]?.chain) return undefined;
      const update = await change(now, { saved, learnt });
      return update && { ...update, memories, debts };
    });
    isOver = done === "over";
    return done !== "again";
  };
  // Read late it is as old as its words: a fact said elsewhere since is newer.
  const at = of.entries[last - 1]?.at ?? core.now();
  const said = ` (said ${dayIn(at, core.options.zone)})`;
  const dated = fresh.map(({ content, ...fact }) => ({
    ...fact,
    content:
      by === "model" && RELATIVE.test(content) && !HABIT.test(content)
        ? content.replace(/[.!]?$/, (end) => said + end)
        : content,
    scope: projectOf(who, fact),
    at,
  }));
  const { saved } = await core.spans.run(
    "upsert_memory",
    { "gen_ai.memory.record.count": fresh.length },
    () => who.memories.saveAll(dated, who.home, undefined, { replaced, put }),
  );
  if (isOver) return undefined;
  return saved;
}

/**
 * The memories that the extractive distiller wrote for the range, and that have not changed since:
 * a model's word takes their place, and where it says nothing, so be it.
 */
async function replacedBy(
  core: Ports,
  { memories }: Who,
  { session, first, last }: Omit<Learnt, "memory"> & { session: string },
): Promise<string[]> {
  const learnt = (await core.store.learnt({ session, from: first, to: last })).filter(
    (one) => one.first >= first && one.last <= last,
  );
  const found = await Promise.all(learnt.map(({ memory }) => memories.get(memory)));
  return found.flatMap((memory) =>
    memory?.tags.includes(QUOTED) && (memory.version === 1 || isRecord(memory, session))
      ? memory.id
      : [],
  );
}

/**
 * The state of a conversation's work is rewritten by each reading of it, and by a person's hand
 * too.
 */
const isRecord = ({ key, origin }: Memory, session: string): boolean =>
  key?.startsWith(`conversation/${session}/`) === true && origin !== "host";

/**
 * A session as far as it is distilled by now, in whichever of its conversation's branches: what was
 * distilled once is not asked for again, in other words.
 */
export async function settled(core: Kept, id: string): Promise<Conversation | undefined> {
  const found = await core.sessions.load(id);
  if (found === undefined) return undefined;
  const watermark = await reachOfKin(core, found);
  if (watermark <= found.session.watermark) return found;
  await core.sessions.update(id, { watermark, noted: watermark });
  return core.sessions.load(id);
}

/**
 * Branches share messages, which are distilled once one of the branches has distilled them. A
 * conversation that only opens as another did has said it anew.
 */
async function reachOfKin(core: Kept, { session, entries }: Conversation): Promise<number> {
  const next = entries[session.watermark];
  if (next === undefined) return session.watermark;
  let most = session.watermark;
  for (const { id } of await core.store.sessions({ holding: next })) {
    const kin = await core.sessions.load(id);
    if (kin === undefined) continue;
    const shared = endOfRun(session.watermark, (at) => {
      const [own, other] = [entries[at], kin.entries[at]];
      return own !== undefined && own.chain === other?.chain && own.at === other.at;
    });
    most = Math.max(most, Math.min(shared, kin.session.watermark));
  }
  return most;
}

/**
 * Has the session been folded, or a fold of it undone, since it was looked at? A turn that is under
 * way for long looks back on what is gone.
 */
export async function isOnNewest({ sessions }: Kept, outgoing: Outgoing): Promise<boolean> {
  const found = await sessions.load(outgoing.session.id);
  return found !== undefined && found.folds.at(-1)?.id === foldIn(outgoing)?.id;
}

/** As far as the session is distilled by now, here or in another process. */
export async function upToDate(core: Kept, outgoing: Outgoing): Promise<Outgoing> {
  const { session } = outgoing;
  const found = await settled(core, session.id);
  if (found === undefined || found.session.watermark === session.watermark) return outgoing;
  return { ...outgoing, session: { ...session, watermark: found.session.watermark } };
}
