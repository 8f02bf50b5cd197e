import { isDict } from "../../model/guards.ts";
import { capabilitiesOf, type ModelOverrides } from "../../dialect/capabilities.ts";
import { type ApiRequest, type Next } from "./wire.ts";

/** ms the answer may take. */
const WAIT = 2_000;

/** What the provider has said of a model's window so far; `pending`: it is being asked. */
export interface WindowAnswer {
  readonly tokens?: number;
  readonly pending?: true;
}

/**
 * Asks the provider once per model how many tokens it reads, beside the call: nobody waits for the answer, which counts from
 * the next call on. A model whose window the host has named is not asked about.
 */
export function createWindowAsker(models: ModelOverrides | undefined) {
  const answers = new Map<string, WindowAnswer>();

  return (model: string, request: ApiRequest, send: Next): WindowAnswer => {
    if (capabilitiesOf(model, models).windowBy === "host") return {};
    const known = answers.get(model);
    if (known) return known;
    answers.set(model, { pending: true });
    void retrieve(model, request, send)
      .catch(() => undefined)
      .then((tokens) => answers.set(model, tokens === undefined ? {} : { tokens }));
    return { pending: true };
  };
}

async function retrieve(model: string, request: ApiRequest, send: Next): Promise<number | undefined> {
  const url = new URL(request.url);
  url.pathname = url.pathname.replace(/\/messages\/?$/, `/models/${encodeURIComponent(model)}`);
  url.search = "";
  const headers = new Headers(request.headers);
  for (const name of ["content-length", "content-type"]) headers.delete(name);
  const { body: _body, ...rest } = request;
  const response = await send({ ...rest, url: url.href, method: "GET", headers, signal: AbortSignal.timeout(WAIT) });
  const answer: unknown = response.ok ? await response.json() : undefined;
  const tokens = isDict(answer) ? answer.max_input_tokens : undefined;
  return typeof tokens === "number" && tokens > 0 ? tokens : undefined;
}
