import { asDict, asText, defined, dictIn, isDict } from "../../core/base.ts";
import type { Capabilities, ProviderRequest } from "../../core/request.ts";
import { gatherMessage } from "../../providers/anthropic/events.ts";
import { anthropic } from "../../providers/anthropic/messages.ts";
import { capabilitiesOf, type ModelOverrides } from "../../providers/common/models.ts";
import { tokenCount } from "../../providers/common/replies.ts";
import { internalsFor } from "../../session/options/internals.ts";
import type { Tidemark } from "../../session/options/tidemark-api.ts";
import { asking } from "../http/ask-window.ts";
import { eventsRead } from "../http/calls.ts";
import {
  attempt,
  callOf,
  type FetchApi,
  type FetchCall,
  placeOf,
  postedTo,
} from "../http/fetch.ts";
import { completeThrough } from "./distil-calls.ts";

export const NAME = "anthropicMiddleware";

const MESSAGES = /\/messages\/?$/;

/**
 * A middleware that runs before ours may have sent on another body than the caller's. A request
 * passes as it is where the server holds its messages, or is to fold them itself.
 */
const callIn: FetchApi["callIn"] = (came, known) => {
  if (!/\/v1\/messages\/?$/.test(postedTo(came))) return undefined;
  const { own: given } = came;
  const own = (text: string) =>
    isDict(given) && JSON.stringify(given) === text ? given : undefined;
  const call = callOf(came, known, { dialect: anthropic, member: "messages", own });
  if (typeof call === "string") return call;
  const { thread, compaction } = call.body;
  if ((thread ?? undefined) !== undefined)
    return (
      "the server holds the messages of this thread, so it goes on without memory: " +
      "use toolRunner({ thread: false }) or messages.create"
    );
  return (compaction ?? undefined) === undefined
    ? call
    : "the request asks the server for a compaction";
};

/** Anthropic's Messages, for any client. */
export function messagesApi(tidemark: Tidemark): FetchApi {
  const withBeta = betaAdder(internalsFor(tidemark, NAME).options.advanced?.models);
  return {
    name: NAME,
    asks: "is its client's SDK of 0.101 or later, which reads `middleware`",
    addsBetas: true,
    callIn,
    attempt: (call, body, send) =>
      attempt(body === call.body ? call : withBeta(call, body as ProviderRequest), body, send),
    async window(model, call, out) {
      const url = placeOf(call.url);
      url.pathname = url.pathname.replace(MESSAGES, `/models/${encodeURIComponent(model)}`);
      url.search = "";
      const response = await out(url.href, asking(call.init.headers));
      return capabilitiesIn(dictIn(await response.text()));
    },
    complete: completeThrough(withBeta),
    reader: createReplyReader,
  };
}

/** Gives a call the beta that its body needs for messages shown once. */
const betaAdder =
  (models: ModelOverrides | undefined) =>
  (call: FetchCall, { model, messages }: ProviderRequest): FetchCall => {
    const { clearAt } = capabilitiesOf(asText(model), models);
    const clears = messages.some(({ clear_at: until }) => until === "next_user_message");
    const headers = new Headers(call.init.headers);
    const betas = (headers.get("anthropic-beta") ?? "").split(",").map((name) => name.trim());
    if (!clears || clearAt === undefined || betas.includes(clearAt)) return call;
    headers.set("anthropic-beta", [...betas, clearAt].filter(Boolean).join(","));
    return { ...call, init: { ...call.init, headers } };
  };

/** What a provider says of a model in its list (SDK 1.11, `ModelInfo`) that counts here. */
export const capabilitiesIn = (info: unknown): Partial<Capabilities> =>
  defined({ window: tokenCount(asDict(info).max_input_tokens) || undefined });

/**
 * Puts a Messages reply together from its server-sent events; what was cut off is given as far as
 * it came.
 */
export const createReplyReader = () => eventsRead(gatherMessage());
