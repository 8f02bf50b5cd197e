import { defined } from "../../core/base.ts";
import type { ProviderRequest } from "../../core/request.ts";
import type { FetchApi } from "../http/fetch.ts";

/** Of the caller's request what decides who answers, at which price, and what of it is cached. */
const ALONG = (
  "model reasoning reasoning_effort service_tier prompt_cache_key prompt_cache_options " +
  "safety_identifier user verbosity"
).split(" ");

/** In the caller's own form. */
export const distil: FetchApi["distil"] = ({ body, dialect: { envelope, format } }, ask) => {
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
  return { body: envelope?.close(body, made) ?? made };
};
