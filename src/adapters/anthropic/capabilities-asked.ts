import { capabilitiesOf, type ModelOverrides } from "../../dialect/models/capabilities.ts";
import { type Asked, type Capabilities } from "../../model/capability.ts";
import { type ThinkingOption } from "../../model/thinking.ts";
import { capabilitiesIn } from "./model-info.ts";
import { type ApiRequest, type Next } from "./wire.ts";

/** ms the answer may take. */
const WAIT = 2_000;

/** What the host has said, as far as it makes asking needless. */
interface Told {
  readonly windowTokens: number | undefined;
  readonly models: ModelOverrides | undefined;
  readonly thinking: ThinkingOption | undefined;
}

/**
 * Asks the provider once per model what it can do, beside the call: no call waits for the answer, which counts from the next call
 * on. A model whose window the host has named is asked about only where the provider may be wanted to write summaries.
 */
export function createAsker({ windowTokens, models, thinking }: Told) {
  const answers = new Map<string, Asked>();

  return (model: string, request: ApiRequest, send: Next): Asked => {
    if (
      thinking !== "server" &&
      (windowTokens !== undefined || capabilitiesOf(model, models).windowBy === "host")
    )
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
  const { body: _body, ...rest } = request;
  const response = await send({
    ...rest,
    url: url.href,
    method: "GET",
    headers,
    signal: AbortSignal.timeout(WAIT),
  });
  return response.ok ? capabilitiesIn(await response.json(), model) : {};
}
