import { asText, dicts, isDict } from "../../core/base.ts";
import type { ProviderRequest } from "../../core/request.ts";
import { gatherMessage } from "../../providers/anthropic/events.ts";
import { anthropic } from "../../providers/anthropic/messages.ts";
import { capabilitiesOf } from "../../providers/common/models.ts";
import { internalsFor } from "../../session/options/internals.ts";
import type { Tidemark } from "../../session/options/tidemark-api.ts";
import { eventsRead } from "../http/calls.ts";
import { callOf, type FetchApi, placeOf, postedTo } from "../http/fetch.ts";
import { distilBody } from "./distil-calls.ts";

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
  const models = internalsFor(tidemark, NAME).options.advanced?.models;
  return {
    name: NAME,
    asks: "is its client's SDK of 0.101 or later, which reads `middleware`",
    addsBetas: true,
    callIn,
    /** Messages that are shown once need a beta. */
    written(body, headers) {
      const { clearAt } = capabilitiesOf(asText(body.model), models);
      const clears = dicts(body.messages).some(
        ({ clear_at: until }) => until === "next_user_message",
      );
      const name = "anthropic-beta";
      if (clears && clearAt !== undefined && !headers.get(name)?.includes(clearAt))
        headers.append(name, clearAt);
      return body;
    },
    async window(model, call, read) {
      const url = placeOf(call.url);
      url.pathname = url.pathname.replace(MESSAGES, `/models/${encodeURIComponent(model)}`);
      url.search = "";
      return (await read(url)).max_input_tokens;
    },
    distil: ({ body }, ask) => ({ body: distilBody(body as ProviderRequest, ask) }),
    reader: createReplyReader,
  };
}

/**
 * Puts a Messages reply together from its server-sent events; what was cut off is given as far as
 * it came.
 */
export const createReplyReader = () => eventsRead(gatherMessage());
