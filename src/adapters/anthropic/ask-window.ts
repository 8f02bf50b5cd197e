import { asDict, defined } from "../../core/base.ts";
import type { AskedModel, Capabilities } from "../../core/request.ts";
import { capabilitiesOf } from "../../providers/common/models.ts";
import { tokenCount } from "../../providers/common/replies.ts";
import type { Internals } from "../../session/options/internals.ts";
import type { ApiRequest, Next } from "../http/calls.ts";

/** ms the answer may take. */
const WAIT = 2_000;

/** Answers by what Tidemark was opened with: a server may make a middleware for each request. */
const told = new WeakMap<Internals["options"], Map<string, AskedModel>>();

/**
 * Asks the provider once per model what it can do, beside the call: no call waits for the answer,
 * which counts from the next call on. A model whose window the host has named is not asked about.
 */
export function createAsker({ options }: Internals) {
  const { window, advanced } = options;
  const answers = told.get(options) ?? new Map<string, AskedModel>();
  told.set(options, answers);

  return (model: string, request: ApiRequest, send: Next): AskedModel => {
    if (window?.tokens !== undefined || capabilitiesOf(model, advanced?.models).windowBy === "host")
      return {};
    const known = answers.get(model);
    if (known) return known;
    answers.set(model, { pending: true });
    void retrieve(model, request, send)
      .catch(() => ({}))
      .then((said) => answers.set(model, { said }));
    return { pending: true };
  };
}

async function retrieve(
  model: string,
  request: ApiRequest,
  send: Next,
): Promise<Partial<Capabilities>> {
  const url = new URL(request.url);
  url.pathname = url.pathname.replace(/\/messages\/?$/, `/models/${encodeURIComponent(model)}`);
  url.search = "";
  const headers = new Headers(request.headers);
  for (const name of ["content-length", "content-type"]) headers.delete(name);
  const response = await send({
    ...request,
    body: undefined,
    url: url.href,
    method: "GET",
    headers,
    signal: AbortSignal.timeout(WAIT),
  });
  return response.ok ? capabilitiesIn(await response.json()) : {};
}

/** What a provider says of a model in its list (SDK 1.11, `ModelInfo`) that counts here. */
export const capabilitiesIn = (info: unknown): Partial<Capabilities> =>
  defined({ window: tokenCount(asDict(info).max_input_tokens) || undefined });
