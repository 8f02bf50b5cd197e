import { isDict } from "../../model/guards.ts";
import { capabilitiesOf } from "../../dialect/capabilities.ts";
import { type ApiRequest, type Next } from "./wire.ts";

/** ms the first call of a model no table knows may wait to learn its window. */
const WAIT = 2_000;

/**
 * Asks the provider once per model how many tokens it reads. A model of the table is asked about beside the call, and its
 * answer counts from the next one on; only an unknown one is waited for.
 */
export function createWindowAsker() {
  const known = new Map<string, number>();
  const asked = new Map<string, Promise<void>>();

  return async (model: string, request: ApiRequest, send: Next): Promise<number | undefined> => {
    let asking = asked.get(model);
    if (!asking) {
      asking = retrieve(model, request, send).then(
        (tokens) => void (tokens !== undefined && known.set(model, tokens)),
        () => undefined,
      );
      asked.set(model, asking);
    }
    if (capabilitiesOf(model).windowBy === "guess") await asking;
    return known.get(model);
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
