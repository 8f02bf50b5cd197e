import { asDict, defined } from "../../core/base.ts";
import type { Capabilities } from "../../core/request.ts";
import { tokenCount } from "../../providers/common/replies.ts";
import { asking } from "../http/ask-window.ts";
import type { ApiRequest, Next } from "../http/calls.ts";

/** What the API says of a model. */
export async function retrieveModel(
  model: string,
  request: ApiRequest,
  send: Next,
): Promise<Partial<Capabilities>> {
  const url = new URL(request.url);
  url.pathname = url.pathname.replace(/\/messages\/?$/, `/models/${encodeURIComponent(model)}`);
  url.search = "";
  const response = await send({
    ...request,
    ...asking(request.headers),
    body: undefined,
    url: url.href,
  });
  return response.ok ? capabilitiesIn(await response.json()) : {};
}

/** What a provider says of a model in its list (SDK 1.11, `ModelInfo`) that counts here. */
export const capabilitiesIn = (info: unknown): Partial<Capabilities> =>
  defined({ window: tokenCount(asDict(info).max_input_tokens) || undefined });
