import { defined } from "../../base/defined.ts";
import { dialectFor } from "../../dialect/detect.ts";
import { shown, TidemarkError, reasonOf } from "../../model/errors.ts";
import { isDict } from "../../base/guards.ts";
import { bodiesOf } from "../../history/bodies.ts";
import { isGone } from "../../model/history.ts";
import { type Format, type ProviderRequest } from "../../model/request.ts";
import { openCall } from "../session/request.ts";
import { type Call, type Core } from "../session/context.ts";
import { type Who } from "../session/who.ts";
import { HANG_MS } from "../accounting/model-call.ts";
import { relieve, CALLED_OFF } from "./fold.ts";
import { checkSignal, createPatience } from "../runtime/patience.ts";
import { see } from "../session/outgoing.ts";
import { type FoldOptions, type FoldReport } from "../options/types.ts";
import { type Undone } from "../../model/folds.ts";
import { type Directory } from "../journal/identities.ts";
import { type Works } from "../background/work.ts";

type Outcome = (FoldReport & { facts: number }) | { refused: string };

/** A fold on demand: of the request given, of the conversation named, or of the latest. The next `begin` sends it. It waits for the distiller as long as that may take, or until it is called off. */
export async function foldNow(
  { core, works }: House,
  who: Who,
  which?: { conversation: string } | { request: ProviderRequest },
  options: FoldOptions = {},
): Promise<Outcome> {
  if (core.off || core.options.mode === "observe")
    return { refused: "Tidemark only observes, so nothing is folded" };
  if (which !== undefined && !isDict(which))
    throw new TidemarkError(
      "config",
      `fold takes { conversation } or { request }, or nothing for the latest conversation; got ${shown(which)}.`,
    );
  const signal = checkSignal("fold()", options.signal);
  if (signal?.aborted === true) return { refused: CALLED_OFF };
  const patience = createPatience(core.timer, HANG_MS, signal);
  if (which && "request" in which) {
    const call = openCall(core, who, { request: which.request, options: {} });
    const placed = await core.sessions.place({
      dialect: call.dialect,
      messages: call.conversation,
      root: who.root,
      ...defined({ label: who.label }),
    });
    return outcome(await fold(call, placed));
  }
  const sessions = (await core.history.sessions(who.root)).filter(({ imported }) => !imported);
  const name = which?.conversation ?? who.label;
  const session =
    name === undefined
      ? sessions[0]
      : (sessions.find(({ id }) => id === name) ?? sessions.find(({ label }) => label === name));
  if (!session) {
    if (which)
      throw new TidemarkError(
        "not-found",
        `There is no conversation ${shown(which.conversation)} to fold; history.list() names those there are.`,
      );
    return { refused: "there is no conversation yet" };
  }
  const loaded = await core.sessions.load(session.id);
  if (!loaded) return { refused: "the conversation is gone" };
  const messages = await bodiesOf(core.history, session.id, 0, session.length);
  if (messages.some(isGone))
    return {
      refused:
        "the history keeps no messages, and this process has not seen all of them: pass them as fold({ request })",
    };
  const dialect = dialectFor({ messages }, session.state.last?.format as Format | undefined);
  const { last, anchor } = session.state;
  const read = openCall(core, who, {
    request: { messages, ...defined({ model: anchor?.model }) },
    options: { dialect },
  });
  const call: Call = {
    ...read,
    dialect,
    preamble: 0,
    conversation: messages,
    bare: true,
    ...(last ? { limit: last.limit, overhead: last.overhead } : {}),
  };
  return outcome(
    await fold(call, {
      ...loaded,
      positions: messages.map((_, index) => index),
      added: messages.length,
      tokens: () =>
        messages.reduce((sum, message) => sum + core.measure.message(dialect, message), 0),
    }),
  );

  async function fold(call: Call, placed: Parameters<typeof see>[1]) {
    try {
      return await relieve(see({ ...call, patience }, placed), works, "manual");
    } catch (thrown) {
      core.emit({ type: "fold-refused", reason: reasonOf(thrown) });
      return { refused: reasonOf(thrown) };
    }
  }
}

function outcome({
  folded,
  refused,
}: {
  folded?: FoldReport & { facts: number };
  refused?: string;
}): Outcome {
  return folded ?? { refused: refused ?? "there is nothing to fold" };
}

/**
 * Brings the messages of a fold back for the next call, in its conversation and in the branches that inherited it. Facts
 * stay, because they are true, and so does the watermark: nothing is distilled twice. Undefined for a fold that is not
 * there, not the caller's, or undone already.
 */
export async function undoFold(
  { core, works }: Pick<House, "core" | "works">,
  who: Who,
  id: string,
): Promise<Undone | undefined> {
  const folds = new Map<string, number>();
  for (const { session, fold } of await core.history.fold(id)) {
    if (fold.undoneAt !== undefined || (await core.history.session(session))?.root !== who.root)
      continue;
    const updated = await core.sessions.update(session, { undo: id });
    // What was distilled on top of it says what is said again.
    works.standsOn(session, updated?.folds.at(-1)?.id);
    for (const gone of updated?.undone ?? []) folds.set(gone.id, gone.upTo - (gone.from ?? 0));
  }
  if (folds.size === 0) return undefined;
  return {
    messages: [...folds.values()].reduce((sum, messages) => sum + messages, 0),
    folds: [...folds.keys()],
  };
}

/** What the views of all identities stand on. */
export interface House {
  readonly core: Core;
  readonly works: Works;
  readonly directory: Directory;
}
