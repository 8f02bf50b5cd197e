import type { Placed } from "../conversations/sessions.ts";
import type { Fold, SessionState } from "../core/history.ts";
import type { Message, ProviderRequest } from "../core/request.ts";
import { assemble, placeIn, type View } from "./assemble-request.ts";
import type { Call, Kept, Settings, Weighing } from "./ports.ts";
import type { WindowLevel } from "./options/tidemark-api.ts";
import { markOf, ratioOf, tokensOf } from "./options/save-and-fold-marks.ts";
import type { Measure, WindowRoom } from "./count-tokens.ts";

/** A call whose request lies on its conversation. */
export type PlacedCall = Call & Placed;

/** A request as it would be sent now, and what it weighs: made once a turn, and handed on whole. */
export interface Outgoing extends PlacedCall {
  readonly view: View;
  /** By our own scan, before correction. */
  readonly estimated: number;
  /** Real tokens to one estimated one, as far as is known. */
  readonly ratio: number;
  readonly level: WindowLevel;
  /** Real tokens of a message. */
  readonly sizeOf: (message: Message) => number;
}

export type Sending = Settings & Weighing;

/** The first entry that stands in the request itself, and not in a summary. */
export const firstInView = ({ positions, view }: Outgoing): number =>
  positions.slice(view.replaced).find((position) => position >= 0) ?? 0;

export const foldIn = ({ folds }: Pick<Placed, "folds">): Fold | undefined => folds.at(-1);

/** The request as its session stands, or as it would stand with another fold or other bounds. */
export function outgoingOf(
  core: Sending,
  call: PlacedCall,
  change: { fold?: Fold; state?: Partial<SessionState> } = {},
): Outgoing {
  const { request, model } = call;
  const state: SessionState = { ...call.session.state, ...change.state };
  const fold = change.fold ?? foldIn(call);
  const view: View = core.observes
    ? {
        request,
        replaced: 0,
        offset: call.preamble,
        unbound: 0,
        recalls: [],
        inserted: [],
      }
    : assemble({
        ...call,
        fold,
        frozen: state.frozen?.text ?? "",
        injectAs: core.options.injectAs,
        bounds: state.shortened ?? {},
        session: call.session.id,
        refusedUpTo: state.refused?.upTo ?? 0,
        recalled: state.recalled,
        placement: state.recalled && placementFor(call),
      });
  const { dialect, conversation } = call;
  let estimated = estimateOf(core, call, view);
  // A note shown for one turn only is in the request, and the model no longer reads it.
  for (const index of view.inserted) {
    const note = view.request.messages[placeIn(view, index) + 1];
    if (index < conversation.length - 1 && note?.clear_at === "next_user_message")
      estimated -= core.measure.message(dialect, note);
  }
  const used = tokensOf(state, model, estimated) + (call.unseen ?? 0);
  const ratio = ratioOf(state, model);
  return {
    ...call,
    ...{ view, estimated, ratio, level: levelOf(core, call, used) },
    sizeOf: (message) => core.measure.message(dialect, message) * ratio,
  };
}

/** Keeps what a session has learnt without putting the request together anew. */
export const keeping = async <Given extends PlacedCall>(
  { sessions }: Kept,
  given: Given,
  state: Partial<SessionState> | ((state: SessionState) => Partial<SessionState>),
): Promise<Given> => ({
  ...given,
  ...(await sessions.update(given.session.id, { state })),
});

/**
 * What the caller's own messages weigh was measured when they were placed: they are not compared
 * with what they were once more.
 */
function estimateOf({ measure }: Weighing, call: PlacedCall, view: View): number {
  const { dialect, request, preamble, conversation, weight } = call;
  const { messages } = view.request;
  if (weight === undefined || (dialect.unread?.(messages) ?? 0) > 0)
    return measure.request(dialect, view.request);
  const same = messages === request.messages;
  const from = same ? preamble : view.offset;
  let sum = headTokens(measure, call, view.request, from);
  if (same) return sum + call.tokens();
  let index = view.replaced;
  let inserted = 0;
  for (const message of messages.slice(from)) {
    const between = view.inserted[inserted] === index - 1;
    sum +=
      !between && message === conversation[index]
        ? weight(index)
        : measure.message(dialect, message);
    if (between) inserted++;
    else index++;
  }
  return sum;
}

/** The caller may have changed its messages since the turn began: they are weighed anew. */
export const outgoingAnew = (core: Sending, call: PlacedCall): Outgoing =>
  outgoingOf(core, { ...call, weight: undefined });

/** How the request's model takes what was recalled. */
export const placementFor = ({ dialect, request, can, addsBetas = false }: Call) =>
  dialect.aside?.best(request, {
    can,
    sends: (beta) => addsBetas || (Array.isArray(request.betas) && request.betas.includes(beta)),
  }) ?? "text";

/**
 * The request as it goes out: with cache breakpoints where the provider has them and the host has
 * not forbidden them. `upTo`: as one that ended there did.
 */
export function marked(
  core: Sending,
  { dialect, can, session, view, level }: Outgoing,
  upTo = view.request.messages.length,
): ProviderRequest {
  const request =
    upTo === view.request.messages.length
      ? view.request
      : { ...view.request, messages: view.request.messages.slice(0, upTo) };
  if (dialect.marks?.ours !== true || core.options.cache === false || core.observes) return request;
  return dialect.marks.mark(request, level.used, {
    least: can.cacheMinimumTokens,
    head: core.measure.head(dialect, view.request),
    ours: session.state.frozen?.text ?? "",
  });
}

export function levelOf({ marks }: Weighing, { limit }: WindowRoom, used: number): WindowLevel {
  const level = used / limit;
  return { used, limit, level, mark: markOf(level, marks) };
}

/**
 * Tokens of what no fold can take away: instructions and tools, wherever the provider has them;
 * ours among them.
 */
export function fixedTokens({ measure }: Weighing, outgoing: Outgoing): number {
  const { view, ratio } = outgoing;
  const leading = view.offset - (foldIn(outgoing) ? 1 : 0);
  return headTokens(measure, outgoing, view.request, leading) * ratio;
}

/** The same of the caller's own request. */
export const ownTokens = ({ measure }: Weighing, outgoing: Outgoing): number =>
  headTokens(measure, outgoing, outgoing.request, outgoing.preamble) * outgoing.ratio;

/** Instructions and tools by our own count, where they stand and in so many leading messages. */
const headTokens = (
  measure: Measure,
  { dialect }: Call,
  request: ProviderRequest,
  leading: number,
): number =>
  request.messages
    .slice(0, leading)
    .reduce(
      (sum, message) => sum + measure.message(dialect, message),
      measure.head(dialect, request),
    );

/**
 * The request for later. A request that nothing was changed in has the caller's own messages, and
 * the caller goes on with them: what it has added by the time a distiller is asked is not part of
 * what was sent.
 */
export function snapshotOf(outgoing: Outgoing): Outgoing {
  const copied = (one: ProviderRequest): ProviderRequest => ({
    ...one,
    messages: [...one.messages],
  });
  const { request, view } = outgoing;
  const given = copied(request);
  const sent = view.request === request ? given : copied(view.request);
  return { ...outgoing, request: given, view: { ...view, request: sent } };
}
