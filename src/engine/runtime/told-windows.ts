import { lru } from "../../base/cache.ts";

/** Window sizes that providers have told in refusals, by model. */
export interface Windows {
  /** As the identity was told, else as all were; without an identity, what holds for all. */
  get(model: string, root?: string): number | undefined;
  /** A provider has read so many tokens: no window is smaller. */
  accepted(model: string, tokens: number): void;
  /** A provider names its window, or was seen to cut what is longer. */
  told(model: string, tokens: number): void;
  /** A request was refused for such a window. It holds for the identity; where another request was told the same, for all. */
  refused(
    model: string,
    said: { readonly window: number; readonly root: string; readonly request: string },
  ): void;
}

interface Model {
  most: number;
  all?: number;
  readonly byRoot: ReturnType<typeof lru<string, number>>;
  /** Which request was told a window first. */
  readonly first: ReturnType<typeof lru<number, string>>;
}

/** No model reads fewer. */
export const LEAST_WINDOW = 1_000;
const MODELS = 256;
const IDENTITIES = 2_048;
const SIZES = 16;

export function createWindows(): Windows {
  const models = lru<string, Model>(MODELS);
  const of = (name: string): Model => {
    const known = models.get(name) ?? { most: 0, byRoot: lru(IDENTITIES), first: lru(SIZES) };
    models.set(name, known);
    return known;
  };

  return {
    get(name, root) {
      const model = models.get(name);
      const told = (root === undefined ? undefined : model?.byRoot.get(root)) ?? model?.all;
      // What was read since says that it was no window, or is none any more.
      return told === undefined || told < (model?.most ?? 0) ? undefined : told;
    },
    accepted(name, tokens) {
      const model = of(name);
      model.most = Math.max(model.most, tokens);
    },
    told(name, tokens) {
      if (tokens >= LEAST_WINDOW) of(name).all = tokens;
    },
    refused(name, { window, root, request }) {
      const model = of(name);
      if (window < LEAST_WINDOW || window < model.most) return;
      model.byRoot.set(root, window);
      const first = model.first.get(window);
      if (first === undefined) model.first.set(window, request);
      else if (first !== request) model.all = window;
    },
  };
}
