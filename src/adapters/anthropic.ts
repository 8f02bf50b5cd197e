import "../node-version.ts";
import type { Identity } from "../core/identity.ts";
import type { ProviderRequest } from "../core/request.ts";
import { callable, check, options as known } from "../core/schema.ts";
import { anthropic } from "../providers/anthropic/messages.ts";
import type { ModelOverrides } from "../providers/common/models.ts";
import type { Tidemark, Turn } from "../session/options/tidemark-api.ts";
import { isOwnCall } from "../session/own-calls.ts";
import { retryOf } from "../tidemark/turn/turn.ts";
import { retrieveModel } from "./anthropic/ask-window.ts";
import {
  type ApiCall,
  bodyOf,
  type Context,
  createReplyReader,
  withBody,
} from "./anthropic/call-body.ts";
import { completeThrough } from "./anthropic/distil-calls.ts";
import { passReason } from "./anthropic/what-passes.ts";
import { createAsker } from "./http/ask-window.ts";
import {
  type ApiRequest,
  beside,
  type Door,
  doorOf,
  type Next,
  refusalOf,
  UNREAD,
  watched,
} from "./http/calls.ts";

export { memoryDirectory, type MemoryDirectory } from "./anthropic/memory-directory.ts";

export interface AnthropicOptions {
  /** Answers who is speaking in a request; by default the identity Tidemark was opened with. */
  identity?: (request: ProviderRequest) => Identity | Promise<Identity>;
}

const NAME = "anthropicMiddleware";
const ASKS = "is its client's SDK of 0.101 or later, which reads `middleware`";
const OPTIONS = known<AnthropicOptions>({ identity: callable() });

/** A call through all its HTTP attempts, of which the first opened its turn. */
interface OpenedCall {
  /** The body it came with. */
  readonly sent: unknown;
  turn: Promise<Turn>;
}

/**
 * `new Anthropic({ middleware: [anthropicMiddleware(tidemark)] })`: create, stream and toolRunner
 * go through Tidemark, in the SDK from 0.101 on. Threads that the server holds and other endpoints
 * pass untouched.
 */
export function anthropicMiddleware(tidemark: Tidemark, options: AnthropicOptions = {}) {
  check(OPTIONS, options, NAME, "option ");
  const { home, ...door } = doorOf(tidemark, NAME, ASKS);
  const openedBy = new WeakMap<object, OpenedCall>();
  const models = home.options.advanced?.models;
  const open = turnOpener({ home, ...door }, options);

  return async function tidemarkMiddleware<R extends ApiRequest>(
    request: R,
    next: (request: R) => Promise<Response>,
    context: Context,
  ): Promise<Response> {
    if (!door.takes()) return next(request);
    const body = bodyOf(request, context.options?.body);
    if (body === undefined) return next(request);
    const pass = (reason: string): Promise<Response> => {
      door.pass(reason);
      return next(request);
    };
    if (body === UNREAD) return pass(body);
    // A call of our own, taken for a conversation, would never end.
    if (isOwnCall(body.messages.at(-1), anthropic)) return next(request);
    const reason = passReason(body);
    if (reason !== undefined) return pass(reason);
    const send: Next = (changed) => next(changed as R);
    const call: ApiCall = { request, body, send, context };
    // The SDK runs its middleware once per HTTP attempt; all attempts of one call share its options
    // object, and one turn. A middleware before ours may send on several bodies in one call: each
    // is a turn of its own.
    const shared = context.options ?? request;
    const known = openedBy.get(shared);
    const opened = known !== undefined && known.sent === request.body ? known : open(call);
    openedBy.set(shared, opened);
    return through(call, opened, models);
  };
}

/** Sends what the turn made of the request; one that is refused for its size once more, smaller. */
async function through(
  { request, body, send }: ApiCall,
  attempt: OpenedCall,
  models: ModelOverrides | undefined,
): Promise<Response> {
  const turn = await attempt.turn;
  const sent = turn.request === body ? request : withBody(request, turn.request, models);
  const response = await send(sent);
  const refusal = await refusalOf(response);
  const smaller = refusal && (await retryOf(turn, refusal));
  if (!smaller) return watched(response, turn, createReplyReader);
  attempt.turn = Promise.resolve(smaller);
  return watched(
    await send(withBody(request, smaller.request, models)),
    smaller,
    createReplyReader,
  );
}

/** Opens the turn of a call, with the ways in which its own client can be asked beside it. */
function turnOpener({ home, speaker: speakerIn }: Door, { identity }: AnthropicOptions) {
  const ask = createAsker(home);
  return ({ request, body, send, context }: ApiCall): OpenedCall => {
    const timeout = context.options?.timeout;
    const aside = beside(send, timeout);
    const { model } = body;
    const asked =
      typeof model === "string" ? ask(model, () => retrieveModel(model, request, aside)) : {};
    const asking = { request, body, send: aside, models: home.options.advanced?.models };
    const start = async () => {
      const speaker = await speakerIn(body, identity);
      return speaker.begin(body, {
        dialect: anthropic,
        addsBetas: true,
        complete: completeThrough({ ...asking, model: home.distilModel }),
        asked,
        // A caller that hangs up waits no longer.
        signal: request.signal ?? undefined,
      });
    };
    return { sent: request.body, turn: start() };
  };
}
