import { from, is, options, share, where, whole } from "../model/schema.ts";

export interface WindowOptions {
  /** Tokens the model can read; default: asked of the provider, else a table. */
  tokens?: number;
  /** Room for the reply; default: the request's max_tokens. */
  reserve?: number;
  /** Upper bound of the limit: long windows cost money and attention long before they are full. */
  cap?: number;
  /** From this share of the limit on facts are saved. Default 0.6. */
  flushAt?: number;
  /** From this share on older messages are folded. Default 0.7. */
  compactAt?: number;
  /** From this share on nothing is waited for. Default 0.9. */
  brimAt?: number;
  /** Messages that a fold keeps word for word. Default 4. */
  keepLast?: number;
  /** ms a turn may wait at the brim. */
  patience?: number;
}

export interface Marks {
  readonly flush: number;
  readonly compact: number;
  readonly brim: number;
  readonly keepLast: number;
  readonly patience: number;
}

export type Mark = "below" | "flush" | "compact" | "brim";

/** A fold should land at `best`; it may land under `most` if it `frees` so much of the limit. */
export const LANDING = { best: 0.5, most: 0.65, frees: 0.1 } as const;

/**
 * What a fold must free, and what must have grown since the last one, as a share of the limit: less
 * is not worth its price.
 */
export const GROWTH = 0.05;

const size = is<number>("a number above 0", (value) => Number.isFinite(value) && Number(value) > 0);

export const WINDOW = where(
  where(
    options<WindowOptions>(
      {
        ...{ tokens: size, reserve: size, cap: size },
        ...{ flushAt: share, compactAt: share, brimAt: share },
        keepLast: whole(Infinity),
        patience: from(0, "milliseconds from 0"),
      },
      "tokens such as 8000, or an object such as { tokens }",
    ),
    "of a reserve below its tokens, else no room is left for a request",
    ({ tokens = Infinity, reserve = 0 }) => reserve < tokens,
  ),
  "of marks that rise: 0 < flushAt ≤ compactAt ≤ brimAt ≤ 1",
  (given) => {
    const { flush, compact, brim } = marksOf(given);
    return flush > 0 && flush <= compact && compact <= brim;
  },
);

export const marksOf = ({
  flushAt: flush = 0.6,
  compactAt: compact = 0.7,
  brimAt: brim = 0.9,
  keepLast = 4,
  patience = 300,
}: WindowOptions = {}): Marks => ({ flush, compact, brim, keepLast, patience });

/**
 * Tokens a request may have. Where the provider holds prompt and reply against one window, all of
 * max_tokens is kept free; a max_tokens that would leave next to nothing cannot be meant, and
 * counts as a quarter.
 */
export function limitOf(
  model: { tokens: number; promptPlusReply: boolean },
  maxTokens: number | undefined,
  options: WindowOptions = {},
): number {
  const window = options.tokens ?? model.tokens;
  const quarter = Math.floor(window / 4);
  const asked = maxTokens ?? Math.min(4096, quarter);
  const whole = model.promptPlusReply && asked <= window * 0.9 ? asked : Math.min(asked, quarter);
  const limit = Math.max(1, window - Math.min(options.reserve ?? whole, window - 1));
  return Math.min(limit, options.cap ?? limit);
}

export function markOf(level: number, marks: Marks): Mark {
  if (level >= marks.brim) return "brim";
  if (level >= marks.compact) return "compact";
  return level >= marks.flush ? "flush" : "below";
}
