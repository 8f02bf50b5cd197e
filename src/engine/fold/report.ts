import { defined } from "../../base/guards.ts";
import type { FoldInfo, FoldDiff, Glance } from "../../model/folds.ts";
import { type Fold, pinsFor, type Session } from "../../model/history.ts";
import type { Kept, Who } from "../session/core.ts";
import { messageText } from "../../distil/task/chunks.ts";
import { dialectFor } from "../../dialect/detect.ts";
import { pinsIn } from "../../prompt/summary.ts";
import { clip, oneLine } from "../../text/cut.ts";
import { formsOf } from "../../history/conversations.ts";
import { isShownIn } from "../../workspace/pages/page-line.ts";

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
  const wanted = (await core.history.sessions({ root: who.root })).filter(
    ({ id, label }) => conversation === undefined || id === conversation || label === conversation,
  );
  const sessions = new Map(wanted.map((session) => [session.id, session]));
  const folds = (await core.history.folds({ root: who.root })).flatMap(({ session, fold }) => {
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
  const { pins } = await core.history.belongings(who.root);
  const today = pinsFor(session.id, pins);
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
      files: [...new Set(memories.flatMap(({ files }) => files))].toSorted(),
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
  for (const { session, fold } of await core.history.folds({ id })) {
    const [mine] = await core.history.sessions({ ids: [session] });
    if (mine?.root === who.root) return { fold, session: mine };
  }
  return undefined;
}

async function glancesOf(core: Kept, session: Session, fold: Fold): Promise<Glance[]> {
  const length = Math.max(fold.upTo, fold.length ?? Number.MAX_SAFE_INTEGER);
  const then = await formsOf(core.history, session.id, fold);
  const bodies = (await core.history.bodies(session.id, 0, length)).map(
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
  const learnt = await core.history.learnt({
    session: session.id,
    from: fold.from ?? 0,
    to: fold.upTo,
  });
  const found = (await Promise.all(learnt.map(({ memory }) => who.memories.get(memory)))).filter(
    (memory) => memory !== undefined,
  );
  const files = found.length === 0 ? [] : await core.workspace.files(who.scopes);
  const memories = found.map(({ id, content, scope, kind, category }) => ({
    id,
    content,
    scope,
    kind,
    category,
    files: files
      .filter((file) => file.scope === scope && isShownIn(file.text, id))
      .map(({ path }) => path),
  }));
  return { memories, gone: learnt.length - found.length };
}
