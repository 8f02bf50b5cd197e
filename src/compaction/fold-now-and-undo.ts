import { formsOf, sessionsNamed } from "../conversations/conversations.ts";
import { defined } from "../core/base.ts";
import { reasonOf, shown, TidemarkError } from "../core/errors-and-events.ts";
import type { FoldDiff, FoldInfo, Glance, Undone } from "../core/folds.ts";
import type { Fold, Session } from "../core/history.ts";
import type { ProviderRequest } from "../core/request.ts";
import { clip, oneLine } from "../core/text/cut.ts";
import { messageText } from "../memory/extracting/task.ts";
import { dialectFor } from "../providers/detect.ts";
import type { Kept, Who } from "../session/ports.ts";
import { openCall, place } from "../session/incoming-request.ts";
import { HANG_MS } from "../session/metered-and-spent.ts";
import { createPatience } from "../session/options/background.ts";
import type { FoldOptions, FoldReport } from "../session/options/tidemark-api.ts";
import { outgoingOf, type PlacedCall } from "../session/outgoing-request.ts";
import { pinsIn, pinsOf } from "./plan-question.ts";
import type { Folding } from "./commit.ts";
import { readArchived } from "./distilling/short-session-read.ts";
import { CALLED_OFF, relieve } from "./fold.ts";

const foldInfo = (
  { id, at, messages, before, after, undoneAt }: Fold,
  { id: conversation, label }: Session,
): FoldInfo => ({
  id,
  conversation,
  at,
  messages,
  before,
  after,
  ...defined({ label, undoneAt }),
});

/**
 * Every fold of the identity, or of one of its conversations; the latest first. A fold that
 * branches share is one.
 */
export async function listFolds(
  core: Kept,
  who: Who,
  { conversation }: { conversation?: string } = {},
): Promise<FoldInfo[]> {
  const wanted =
    conversation === undefined
      ? await core.store.sessions({ root: who.root })
      : await sessionsNamed(core.store, who.root, conversation);
  const sessions = new Map(wanted.map((session) => [session.id, session]));
  const folds = (await core.store.folds({ root: who.root })).flatMap(({ session, fold }) => {
    const its = sessions.get(session);
    return its ? [foldInfo(fold, its)] : [];
  });
  // It counts as undone where it stands nowhere any more.
  return [...Map.groupBy(folds, ({ id }) => id).values()].flatMap(
    (same) => same.find(({ undoneAt }) => undoneAt === undefined) ?? same.slice(0, 1),
  );
}

const WORDS = 80;

/** Undefined for a fold that is not there, or not the reader's. */
export async function foldDiff(core: Kept, who: Who, id: string): Promise<FoldDiff | undefined> {
  const found = await findFold(core, who, id);
  if (!found) return undefined;
  const { fold, session } = found;
  const glances = await glancesOf(core, session, fold);
  const { memories, gone } = await memoriesOf(core, who, { fold, session });
  const today = await pinsOf(core, who, session.id);
  const still = new Set(today.map(({ id: pinned }) => pinned));
  return {
    fold: foldInfo(fold, session),
    kept: glances.slice(fold.upTo),
    dropped: glances.slice(0, fold.upTo),
    earlier: Math.min(fold.from ?? 0, fold.upTo),
    remembered: {
      summary: fold.summary,
      memories,
      gone,
      // The fold's message says which pins stood in it: what is pinned today need not have stood
      // there, and what did may be off by now.
      pins: pinsIn(fold.text).map((text, index) => {
        const pin = fold.pins?.[index] ?? today.find((one) => one.text === text)?.id ?? "";
        return { id: pin, text, pinned: still.has(pin) };
      }),
    },
    tokens: { before: fold.before, after: fold.after },
  };
}

/** The fold where it was made, or in the eldest branch that has it. */
async function findFold(core: Kept, who: Who, id: unknown) {
  if (typeof id !== "string") return undefined;
  for (const { session, fold } of await core.store.folds({ id })) {
    const [mine] = await core.store.sessions({ ids: [session] });
    if (mine?.root === who.root) return { fold, session: mine };
  }
  return undefined;
}

async function glancesOf(core: Kept, session: Session, fold: Fold): Promise<Glance[]> {
  const length = Math.max(fold.upTo, fold.length ?? Number.MAX_SAFE_INTEGER);
  const then = await formsOf(core.store, session.id, fold);
  const bodies = (await core.store.bodies(session.id, 0, length)).map(
    ({ body, role }, position) => ({ body: then.get(position) ?? body, role }),
  );
  const dialect = dialectFor(
    { messages: bodies.map(({ body }) => body) },
    session.state.last?.format,
  );
  const shortened = new Set(fold.shortened);
  return bodies.map(({ body, role }, position) => ({
    ordinal: position + 1,
    role,
    words: clip(oneLine(messageText(dialect, body)), WORDS),
    shortened: shortened.has(position) ? (true as const) : undefined,
  }));
}

/** Asked of memory one by one, so that only what the reader may see is shown. */
async function memoriesOf(
  core: Kept,
  who: Who,
  { fold, session }: { fold: Fold; session: Session },
) {
  const learnt = await core.store.learnt({
    session: session.id,
    from: fold.from ?? 0,
    to: fold.upTo,
  });
  const found = (await Promise.all(learnt.map(({ memory }) => who.memories.get(memory)))).filter(
    (memory) => memory !== undefined,
  );
  const memories = found.map(({ id, content, scope, kind, category }) => ({
    ...{ id, content, scope, kind, category },
  }));
  return { memories, gone: learnt.length - found.length };
}

type Outcome = (FoldReport & { facts: number }) | { refused: string };

type FoldTarget = { conversation: string } | { request: ProviderRequest };

/**
 * A fold on demand: of the request given, of the conversation named, or of the latest. The next
 * `begin` sends it. It waits for the distiller as long as that may take, or until it is called off.
 */
export async function foldNow(
  core: Folding,
  who: Who,
  which?: FoldTarget,
  options: FoldOptions = {},
): Promise<Outcome> {
  if (core.observes) return { refused: "Tidemark only observes, so nothing is folded" };
  const { signal } = options;
  if (signal?.aborted === true) return { refused: CALLED_OFF };
  const patience = createPatience(core.timer, HANG_MS, signal);
  const found =
    which && "request" in which
      ? await place(core, openCall(core, who, which.request, {}))
      : await ofConversation(core, who, which?.conversation);
  if ("refused" in found) return found;
  try {
    const outgoing = outgoingOf(core, { ...found, patience });
    const { folded, facts = 0, refused } = await relieve(core, outgoing, "manual");
    return folded ? { ...folded, facts } : { refused: refused ?? "there is nothing to fold" };
  } catch (thrown) {
    core.emit({ type: "fold-refused", reason: reasonOf(thrown) });
    return { refused: reasonOf(thrown) };
  }
}

/** The conversation named, or the latest, as history holds it. */
async function ofConversation(
  core: Folding,
  who: Who,
  conversation: string | undefined,
): Promise<PlacedCall | { refused: string }> {
  const { store } = core;
  const name = conversation ?? who.label;
  const sessions =
    name === undefined
      ? await store.sessions({ root: who.root })
      : await sessionsNamed(store, who.root, name);
  const session = sessions.find(({ imported }) => !imported);
  if (!session) {
    if (conversation === undefined) return { refused: "there is no conversation yet" };
    throw new TidemarkError(
      "not-found",
      `There is no conversation ${shown(conversation)} to fold; history.list() names ` +
        "those there are.",
    );
  }
  const loaded = await core.sessions.load(session.id);
  if (!loaded) return { refused: "the conversation is gone" };
  const range = { from: 0, to: loaded.entries.length };
  const { messages, dialect } = await readArchived(core, session, range);
  const { last, anchor } = session.state;
  const call = openCall(core, who, { messages, model: anchor?.model }, { dialect });
  const positions = messages.map((_, index) => index);
  const tokens = (): number =>
    messages.reduce((sum, message) => sum + core.measure.message(dialect, message), 0);
  return {
    ...call,
    ...loaded,
    ...{ dialect, positions, tokens },
    preamble: 0,
    conversation: messages,
    added: messages.length,
    limit: last?.limit ?? call.limit,
    unseen: last?.overhead ?? 0,
  };
}

/**
 * Brings the messages of a fold back for the next call, in its conversation and in the branches
 * that inherited it. Facts stay, because they are true, and so does the watermark: nothing is
 * distilled twice. Undefined for a fold that is not there, not the caller's, or undone already.
 */
export async function undoFold(core: Folding, who: Who, id: string): Promise<Undone | undefined> {
  const folds = new Map<string, number>();
  for (const { session, fold } of await core.store.folds({ id })) {
    const [mine] = await core.store.sessions({ ids: [session] });
    if (fold.undoneAt !== undefined || mine?.root !== who.root) continue;
    const updated = await core.sessions.update(session, { undo: id });
    // A summary that was made on top of it says what is said again.
    core.scheduler.standsOn(session, updated?.folds.at(-1)?.id);
    for (const gone of updated?.undone ?? []) folds.set(gone.id, gone.upTo - (gone.from ?? 0));
  }
  if (folds.size === 0) return undefined;
  return {
    messages: [...folds.values()].reduce((sum, messages) => sum + messages, 0),
    folds: [...folds.keys()],
  };
}
