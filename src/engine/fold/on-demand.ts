import { shown, TidemarkError, reasonOf } from "../../model/errors.ts";
import { sessionsNamed } from "../../history/conversations.ts";
import type { ProviderRequest } from "../../model/request.ts";
import { place } from "../background/archive-request.ts";
import { readArchived } from "../background/short-session-read.ts";
import { openCall } from "../session/incoming-request.ts";
import type { Who } from "../session/core.ts";
import { HANG_MS } from "../accounting/metered-call.ts";
import type { Folding } from "./commit.ts";
import { relieve, CALLED_OFF } from "./fold.ts";
import { createPatience } from "../runtime/patience.ts";
import { outgoingOf, type PlacedCall } from "../session/outgoing-request.ts";
import type { FoldOptions, FoldReport } from "../options/types.ts";
import type { Undone } from "../../model/folds.ts";

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
  const { history } = core;
  const name = conversation ?? who.label;
  const sessions =
    name === undefined
      ? await history.sessions({ root: who.root })
      : await sessionsNamed(history, who.root, name);
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
  for (const { session, fold } of await core.history.folds({ id })) {
    const [mine] = await core.history.sessions({ ids: [session] });
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
