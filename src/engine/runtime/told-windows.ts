import { lru } from "../../base/cache.ts";

/** No model reads fewer. */
export const SMALLEST_WINDOW = 1_000;
const MODELS = 256;

/** Window sizes that providers have told, by model. */
export function createWindows() {
  const told = lru<string, number>(MODELS);
  const refused = lru<string, number>(MODELS);
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
  };
}

export type Windows = ReturnType<typeof createWindows>;
