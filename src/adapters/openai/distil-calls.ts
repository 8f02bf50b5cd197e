import { defined, type Dict } from "../../core/base.ts";
import type { Complete, ProviderRequest } from "../../core/request.ts";
import type { Dialect } from "../../providers/common/dialect.ts";
import { answerOf } from "../http/calls.ts";
import type { FetchApi } from "../http/fetch.ts";

type AskedBeside = Omit<Parameters<Complete>[0], "signal">;

/** Of the caller's request what decides who answers, at which price, and what of it is cached. */
const ALONG = (
  "model reasoning reasoning_effort service_tier prompt_cache_key prompt_cache_options " +
  "safety_identifier user verbosity"
).split(" ");

/** The caller's request turned into one to distil, in the caller's own form. */
function distilBody(body: Dict, ask: AskedBeside, { envelope, format }: Dialect): Dict {
  const { system, messages, maxTokens, tools, alone } = ask;
  const model = ask.model ?? body.model;
  const own = Object.fromEntries(ALONG.map((name) => [name, body[name]]));
  const along = model === body.model ? own : {};
  const room =
    format === "openai-responses"
      ? { max_output_tokens: maxTokens, store: false }
      : { [body.max_tokens === undefined ? "max_completion_tokens" : "max_tokens"]: maxTokens };
  const made = defined({
    ...along,
    model,
    ...room,
    messages,
    ...(alone !== true && defined({ system, tools })),
    tool_choice: alone !== true && tools !== undefined ? "none" : undefined,
  }) as ProviderRequest;
  return envelope?.close(body, made) ?? made;
}

/**
 * Distilling with the caller's own client, key and model. It goes below the middleware, so nothing
 * it does starts anything.
 */
export const completeThrough: FetchApi["complete"] =
  (call, send, distilModel) =>
  async ({ signal, ...ask }) => {
    const model = ask.model ?? distilModel;
    const body = distilBody(call.body, { ...ask, ...defined({ model }) }, call.dialect);
    return answerOf(call.dialect, await send(call, body, signal));
  };
