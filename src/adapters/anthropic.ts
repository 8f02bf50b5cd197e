import "../node-version.ts";
import { anthropic } from "../dialect/anthropic.ts";
import { isDict, type Dict } from "../model/guards.ts";
import { type Identity } from "../model/identity.ts";
import { type ProviderRequest } from "../model/request.ts";
import { internalsOf, type Internals } from "../tidemark/internals.ts";
import { TidemarkError } from "../model/errors.ts";
import { type Tidemark, type Turn } from "../tidemark/types.ts";
import { completeThrough } from "./anthropic/complete.ts";
import { refusalOf, watched } from "./anthropic/response.ts";
import { type ApiRequest, type Next, withBody } from "./anthropic/wire.ts";
import { createWindowAsker } from "./anthropic/window.ts";

export interface AnthropicOptions {
  /** Who is speaking in this request; default: the Tidemark's own identity. */
  identity?: (request: ProviderRequest) => Identity;
}

/** The parts of the SDK's middleware context in use. */
interface Context {
  readonly options?: { readonly body?: unknown } | undefined;
  parse<T = unknown>(response: Response): Promise<T>;
}

/**
 * `new Anthropic({ middleware: [anthropicMiddleware(tidemark)] })`: create, stream and toolRunner go through Tidemark, in the
 * SDK from 0.101 on. Other endpoints, and requests whose history the server holds, pass untouched.
 */
export function anthropicMiddleware(tidemark: Tidemark, options: AnthropicOptions = {}) {
  const home = internalsFor(tidemark);
  // The SDK runs middleware once per HTTP attempt: all attempts of one call share its options object, and one turn.
  const turns = new WeakMap<object, Turn>();
  const askWindow = createWindowAsker();
  home.expectCalls("anthropicMiddleware saw no call: it needs @anthropic-ai/sdk 0.101 or newer, older ones ignore `middleware`");

  return async function tidemarkMiddleware<R extends ApiRequest>(request: R, next: (request: R) => Promise<Response>, context: Context): Promise<Response> {
    const body = home.off ? undefined : bodyOf(request, context);
    if (!body) return next(request);
    home.sawCall();
    const held = heldByServer(body);
    if (held !== undefined) {
      home.passed(held);
      return next(request);
    }
    const send: Next = (changed) => next(changed as R);
    const key = context.options ?? request;
    const turn = turns.get(key) ?? (await start(request, body, send));
    turns.set(key, turn);

    const response = await send(turn.request === body ? request : withBody(request, turn.request));
    const refusal = await refusalOf(response);
    const smaller = refusal && (await turn.recover(refusal));
    if (!smaller) return response.ok ? watched(response, turn, context) : response;
    turns.set(key, smaller);
    const again = await send(withBody(request, smaller.request));
    return again.ok ? watched(again, smaller, context) : again;
  };

  async function start(request: ApiRequest, body: ProviderRequest, send: Next): Promise<Turn> {
    const speaker = options.identity ? internalsFor(tidemark.as(options.identity(body))) : home;
    const windowTokens = home.windowTokens === undefined ? await askWindow(String(body.model), request, send) : undefined;
    return speaker.begin(body, {
      dialect: anthropic,
      complete: completeThrough({ request, body, send, model: home.distilModel }),
      ...(windowTokens === undefined ? {} : { windowTokens }),
    });
  }
}

function internalsFor(tidemark: Tidemark): Internals {
  const found = internalsOf(tidemark);
  if (!found) throw new TidemarkError("config", "anthropicMiddleware needs the object that openTidemark gave; is the package installed twice?");
  return found;
}

/** The body of a call of the Messages endpoint, as the caller's own objects where the SDK still has them. */
function bodyOf(request: ApiRequest, { options }: Context): ProviderRequest | undefined {
  if (request.method?.toUpperCase() !== "POST" || !/\/v1\/messages\/?$/.test(new URL(request.url).pathname)) return undefined;
  const body = options?.body ?? (typeof request.body === "string" ? parsed(request.body) : undefined);
  return isDict(body) && Array.isArray(body.messages) ? (body as ProviderRequest) : undefined;
}

function parsed(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}

/** Requests that do not carry their history, or that ask the server for a fold of its own. */
function heldByServer(body: Dict): string | undefined {
  if (body.thread !== undefined && body.thread !== null) return "the server holds this thread's messages; use toolRunner({ thread: false }) or messages.create to have them folded";
  if (body.compaction !== undefined && body.compaction !== null) return "the request asks the server for a compaction";
  return undefined;
}
