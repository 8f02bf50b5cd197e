import { contextLengthIn, type KnownModel } from "../../dialect/models/capabilities.ts";
import type { ProviderRequest } from "../../model/request.ts";
import { limitOf } from "../../window/limits-and-marks.ts";
import type { Call, Core } from "./core.ts";

const maxTokensOf = (request: ProviderRequest): number | undefined =>
  [request.max_tokens, request.max_completion_tokens, request.max_output_tokens].find(
    (value): value is number => typeof value === "number" && value > 0,
  );

/**
 * What a provider said in an error outranks what it listed, and that our table. The host's word
 * outranks these, but where a request names a smaller window, or the provider was found to have
 * one, that is what will be read.
 */
export function sizesFor(
  core: Core,
  request: ProviderRequest,
  { model, can, pending }: { model: string; can: KnownModel; pending?: boolean },
): Pick<Call, "window" | "limit"> {
  const named = contextLengthIn(request);
  const learnt = core.windows.get(model);
  if (
    learnt === undefined &&
    named === undefined &&
    !pending &&
    can.windowBy === "guess" &&
    core.options.window?.tokens === undefined &&
    !core.process.guessed.has(model)
  ) {
    core.process.guessed.add(model);
    core.emit({ type: "window-guessed", model, tokens: can.window });
  }
  const { tokens: given, ...options } = core.options.window ?? {};
  const known = [given, named, learnt].filter((one) => one !== undefined);
  const tokens = known.length > 0 ? Math.min(...known) : can.window;
  return {
    window: tokens,
    limit: limitOf({ ...can, tokens }, maxTokensOf(request), options),
  };
}
