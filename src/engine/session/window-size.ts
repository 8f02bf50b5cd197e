import { lru } from "../../base/cache.ts";
import { contextLengthIn, type KnownModel } from "../../dialect/models/capabilities.ts";
import type { Listen } from "../../model/events.ts";
import type { ProviderRequest } from "../../model/request.ts";
import { limitOf, type WindowOptions } from "../../window/limits-and-marks.ts";

/** No model reads fewer. */
export const SMALLEST_WINDOW = 1_000;
const MODELS = 256;

/** How large a request may be. */
export interface WindowRoom {
  /** Tokens the model reads and writes together. */
  readonly window: number;
  /** Tokens the request may have. */
  readonly limit: number;
}

const maxTokensOf = (request: ProviderRequest): number | undefined =>
  [request.max_tokens, request.max_completion_tokens, request.max_output_tokens].find(
    (value): value is number => typeof value === "number" && value > 0,
  );

/** Window sizes: the host's word, what providers have told, and what is known of models. */
export function createWindows(emit: Listen, { tokens: given, ...options }: WindowOptions = {}) {
  const told = lru<string, number>(MODELS);
  const refused = lru<string, number>(MODELS);
  const guessed = new Set<string>();
  return {
    get: (model: string): number | undefined => told.get(model),
    /** A provider names its window, or was seen to cut what is longer. */
    told(model: string, tokens: number): void {
      if (tokens >= SMALLEST_WINDOW) told.set(model, tokens);
    },
    /** A refusal may quote what a stranger wrote: the same figure, said twice, is believed. */
    refused(model: string, tokens: number): void {
      if (refused.get(model) === tokens) told.set(model, tokens);
      else refused.set(model, tokens);
    },
    /**
     * What a provider said in an error outranks what it listed, and that our table. The host's word
     * outranks these, but where a request names a smaller window, or the provider was found to have
     * one, that is what will be read.
     */
    sizesFor(
      request: ProviderRequest,
      { model, can, pending }: { model: string; can: KnownModel; pending?: boolean },
    ): WindowRoom {
      const known = [given, contextLengthIn(request), told.get(model)].filter(
        (one) => one !== undefined,
      );
      if (known.length === 0 && !pending && can.windowBy === "guess" && !guessed.has(model)) {
        guessed.add(model);
        emit({ type: "window-guessed", model, tokens: can.window });
      }
      const tokens = known.length > 0 ? Math.min(...known) : can.window;
      return {
        window: tokens,
        limit: limitOf({ ...can, tokens }, maxTokensOf(request), options),
      };
    },
  };
}

export type Windows = ReturnType<typeof createWindows>;
