import { lru } from "../../base/cache.ts";

/** No model reads fewer. */
export const LEAST_WINDOW = 1_000;
const MODELS = 256;
const IDENTITIES = 2_048;
const SIZES = 16;

/** Window sizes that providers have told in refusals, by model. */
export function createWindows() {
  const models = lru<string, ReturnType<typeof unheardOf>>(MODELS);
  const of = (name: string): ReturnType<typeof unheardOf> => {
    const known = models.get(name) ?? unheardOf();
    models.set(name, known);
    return known;
  };

  return {
    /** As the identity was told, else as all were; without an identity, what holds for all. */
    get(name: string, root = ""): number | undefined {
      const { byRoot, all, most } = models.get(name) ?? unheardOf();
      const told = byRoot.get(root) ?? all;
      // What was read since says that it was no window, or is none any more.
      return told === undefined || told < most ? undefined : told;
    },
    /** A provider has read so many tokens: no window is smaller. */
    accepted(name: string, tokens: number): void {
      const model = of(name);
      model.most = Math.max(model.most, tokens);
    },
    /** A provider names its window, or was seen to cut what is longer. */
    told(name: string, tokens: number): void {
      if (tokens >= LEAST_WINDOW) of(name).all = tokens;
    },
    /** A request was refused for such a window. It holds for the identity; where another request was told the same, for all. */
    refused(
      name: string,
      { window, root, request }: { window: number; root: string; request: string },
    ): void {
      const model = of(name);
      if (window < LEAST_WINDOW || window < model.most) return;
      model.byRoot.set(root, window);
      const first = model.first.get(window);
      if (first === undefined) model.first.set(window, request);
      else if (first !== request) model.all = window;
    },
  };
}

export type Windows = ReturnType<typeof createWindows>;

/** A model of which no provider has said anything; `first`: which request was told a window first. */
const unheardOf = () => ({
  most: 0,
  all: undefined as number | undefined,
  byRoot: lru<string, number>(IDENTITIES),
  first: lru<number, string>(SIZES),
});
