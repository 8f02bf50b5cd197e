import { defined } from "../base/defined.ts";
import "../node-version.ts";
import { anthropic } from "../dialect/anthropic/anthropic.ts";
import { type Asked } from "../model/capability.ts";
import { type Identity } from "../model/identity.ts";
import { type ProviderRequest } from "../model/request.ts";
import { internalsOf, type Internals } from "../engine/options/internals.ts";
import { isOwnCall } from "../engine/runtime/own-calls.ts";
import { retryOf } from "../engine/turn/turn.ts";
import { isTidemarkError, reasonOf, TidemarkError } from "../model/errors.ts";
import { type Tidemark, type Turn } from "../engine/options/types.ts";
import { bodyOf, heldByServer, isCount, UNFOLDED } from "./anthropic/body.ts";
import { createAsker } from "./anthropic/capabilities-asked.ts";
import { type Capable, createCapable } from "./anthropic/capable.ts";
import { createOwnBody } from "./anthropic/own-body.ts";
import { compactThrough } from "./anthropic/compact.ts";
import { completeThrough } from "./anthropic/complete.ts";
import { refusalOf, watched } from "./anthropic/response.ts";
import { createThreads, type Threaded } from "./anthropic/threads.ts";
import { type ApiRequest, beside, isFirstParty, type Next, withBody } from "./anthropic/wire.ts";

export interface AnthropicOptions {
  /** Who is speaking in this request; default: the Tidemark's own identity. */
  identity?: (request: ProviderRequest) => Identity | Promise<Identity>;
  /** What count_tokens counts of a conversation that Tidemark keeps: what would be sent (default), or what was given. */
  count?: "sent" | "given";
}

/** The parts of the SDK's middleware context in use. */
interface Context {
  readonly options?: { readonly body?: unknown; readonly timeout?: unknown } | undefined;
  parse<T = unknown>(response: Response): Promise<T>;
}

/** One call of the caller's, through all its HTTP attempts. */
interface Attempt {
  readonly sent: unknown;
  readonly capable: Capable;
  turn: Promise<Turn>;
}

/**
 * `new Anthropic({ middleware: [anthropicMiddleware(tidemark)] })`: create, stream and toolRunner go through Tidemark, in the
 * SDK from 0.101 on. Of threads that the server holds nothing is folded. Other endpoints pass untouched.
 */
export function anthropicMiddleware(tidemark: Tidemark, options: AnthropicOptions = {}) {
  const unknown = Object.keys(options).find((name) => name !== "identity" && name !== "count");
  if (unknown !== undefined)
    throw new TidemarkError(
      "config",
      `anthropicMiddleware knows no option "${unknown}"; it knows identity and count.`,
    );
  const home = internalsFor(tidemark);
  // The SDK runs middleware once per HTTP attempt: all attempts of one call share its options object, and one turn.
  const attempts = new WeakMap<object, Attempt>();
  let toldClosed = false;
  const threadOf = createThreads();
  const isOwn = createOwnBody();
  const ask = createAsker(home);
  if (!home.off)
    home.expectCalls(
      "anthropicMiddleware saw no call: it needs @anthropic-ai/sdk 0.101 or newer, older ones ignore `middleware`",
    );

  return async function tidemarkMiddleware<R extends ApiRequest>(
    request: R,
    next: (request: R) => Promise<Response>,
    context: Context,
  ): Promise<Response> {
    if (home.off) return next(request);
    if (home.closed()) {
      if (!toldClosed) home.passed("this Tidemark was closed, so its client goes on without it");
      toldClosed = true;
      return next(request);
    }
    home.sawCall();
    const body = bodyOf(request, context.options?.body, isOwn);
    // Of this Tidemark or of another in the chain: to take it for a conversation would never end.
    if (!body || isOwnCall(body.messages.at(-1), anthropic)) return next(request);
    const send: Next = (changed) => next(changed as R);
    if (isCount(request)) return send(await counted(request, body));
    const thread = threadOf(body);
    if (thread !== undefined) return overThread(thread, request, { send, context });
    const held = heldByServer(body);
    if (held !== undefined) {
      home.passed(held);
      return next(request);
    }
    const key = context.options ?? request;
    // A middleware before ours may send on several bodies in one call: each is a turn of its own.
    let attempt = attempts.get(key);
    if (attempt === undefined || attempt.sent !== request.body)
      attempts.set(key, (attempt = open(request, body, { send, context })));
    const { capable } = attempt;
    const turn = await attempt.turn;

    const response = await send(
      turn.request === body ? request : withBody(request, turn.request, capable),
    );
    const refusal = await refusalOf(response);
    const smaller = refusal && (await retryOf(turn, refusal));
    if (!smaller) return response.ok ? watched(response, turn, context) : response;
    attempt.turn = Promise.resolve(smaller);
    const again = await send(withBody(request, smaller.request, capable));
    return again.ok ? watched(again, smaller, context) : again;
  };

  async function counted(request: ApiRequest, body: ProviderRequest): Promise<ApiRequest> {
    if (options.count === "given") return request;
    const sent = await home.asSent(body, { dialect: anthropic }).catch(() => body);
    return sent === body ? request : withBody(request, sent, createCapable(body, home.models, {}));
  }

  /** The server keeps what was said: memory goes along where a thread can take it, replies are kept, its window is watched. */
  async function overThread(
    thread: Threaded,
    request: ApiRequest,
    { send, context }: { send: Next; context: Context },
  ): Promise<Response> {
    const { capable, turn: opened } = open(request, thread.whole, { send, context, held: true });
    const turn = await opened;
    if (thread.creates)
      home.passed(`this thread is remembered and its window watched, but ${UNFOLDED}`);
    if (turn.window.mark !== "below" && !thread.told.window) {
      thread.told.window = true;
      const { used, limit } = turn.window;
      home.notice(
        "thread-window",
        `A thread that the server holds takes about ${used} of ${limit} tokens and cannot be folded: soon the provider refuses it. Use toolRunner({ thread: false }).`,
      );
    }
    const sent =
      turn.request === thread.whole
        ? request
        : withBody(request, thread.sendable(turn.request), capable);
    const response = await send(sent);
    const end = async (reply: unknown): Promise<void> => {
      thread.answered(reply);
      await turn.end(reply);
    };
    return response.ok ? watched(response, { ...turn, end }, context) : response;
  }

  function open(
    request: ApiRequest,
    body: ProviderRequest,
    { send, context, held = false }: { send: Next; context: Context; held?: boolean },
  ): Attempt {
    const timeout = context.options?.timeout;
    const aside = beside(send, typeof timeout === "number" ? timeout : undefined);
    const asked = typeof body.model === "string" ? ask(body.model, request, aside) : {};
    const capable = createCapable(body, home.models, asked);
    return {
      sent: request.body,
      capable,
      turn: start(request, body, { aside, asked, capable, held }),
    };
  }

  async function start(
    request: ApiRequest,
    body: ProviderRequest,
    { aside, asked, capable, held }: { aside: Next; asked: Asked; capable: Capable; held: boolean },
  ): Promise<Turn> {
    const speaker = options.identity ? internalsFor(await speakerOf(body, options.identity)) : home;
    return speaker.begin(body, {
      dialect: anthropic,
      addsBetas: true,
      firstParty: isFirstParty(request),
      complete: completeThrough({ request, body, send: aside, model: home.distilModel, capable }),
      compact: compactThrough({ request, body, send: aside, capable }),
      asked,
      held,
      // A caller that hangs up waits no longer.
      ...defined({ signal: request.signal ?? undefined }),
    });
  }

  /** An identity that cannot be told apart is not answered in another's name. */
  async function speakerOf(
    body: ProviderRequest,
    identity: NonNullable<AnthropicOptions["identity"]>,
  ): Promise<Tidemark> {
    try {
      return tidemark.as(await identity(body));
    } catch (thrown) {
      if (isTidemarkError(thrown)) throw thrown;
      throw new TidemarkError(
        "config",
        `anthropicMiddleware: identity(request) failed: ${reasonOf(thrown)}.`,
        { cause: thrown },
      );
    }
  }
}

function internalsFor(tidemark: Tidemark): Internals {
  const found = internalsOf(tidemark);
  if (!found)
    throw new TidemarkError(
      "config",
      "anthropicMiddleware needs the object that openTidemark gave; is the package installed twice?",
    );
  return found;
}
