import { defined } from "../../core/base.ts";
import type { AskedModel } from "../../core/request.ts";
import { capabilitiesOf } from "../../providers/common/models.ts";
import { tokenCount } from "../../providers/common/replies.ts";
import type { Internals } from "../../session/options/internals.ts";

/** ms the answer may take. */
const WAIT = 2_000;

/** A request that asks with the headers of a call, which name no body now. */
export function asking(
  given: RequestInit["headers"],
): Required<Pick<Request, "method" | "headers" | "signal">> {
  const headers = new Headers(given);
  for (const name of ["content-length", "content-type"]) headers.delete(name);
  return { method: "GET", headers, signal: AbortSignal.timeout(WAIT) };
}

/** Answers by what Tidemark was opened with: a server may make an adapter for each request. */
const told = new WeakMap<Internals["options"], Map<string, AskedModel>>();

/**
 * Asks the provider once per model how many tokens it reads, beside the call: no call waits for the
 * answer, which counts from the next call on. A model whose window the host has named is not asked
 * about.
 */
export function createAsker({ options }: Internals) {
  const { window, advanced } = options;
  const answers = told.get(options) ?? new Map<string, AskedModel>();
  told.set(options, answers);

  return (model: string, retrieve: () => Promise<unknown>): AskedModel => {
    if (window?.tokens !== undefined || capabilitiesOf(model, advanced?.models).windowBy === "host")
      return {};
    const known = answers.get(model);
    if (known) return known;
    answers.set(model, { pending: true });
    void retrieve()
      .catch(() => undefined)
      .then((tokens) =>
        answers.set(model, { said: defined({ window: tokenCount(tokens) || undefined }) }),
      );
    return { pending: true };
  };
}
