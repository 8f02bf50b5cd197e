import { refuse } from "../model/errors.ts";

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

/** Where a fold should land, and where it may. Fractions of the limit. */
export const LANDING = { best: 0.5, most: 0.65, frees: 0.1 } as const;

/** What a fold must free, and what must have grown since the last one, as a share of the limit: less is not worth its price. */
export const GROWTH = 0.05;

const check = (holds: boolean, otherwise: string): void => {
  if (!holds) refuse(otherwise);
};

export function marksOf(options: WindowOptions = {}): Marks {
  const { flushAt = 0.6, compactAt = 0.7, brimAt = 0.9, keepLast = 4, patience = 300 } = options;
  for (const name of ["tokens", "reserve", "cap"] as const) {
    const { [name]: value = 1 } = options;
    check(
      Number.isFinite(value) && value > 0,
      `window.${name} must be a number above 0, got ${String(value)}.`,
    );
  }
  const { tokens = Infinity, reserve = 0 } = options;
  check(
    reserve < tokens,
    `window.reserve must be below window.tokens, else no room is left for a request; got ${reserve} of ${tokens}.`,
  );
  check(
    flushAt > 0 && flushAt <= compactAt && compactAt <= brimAt && brimAt <= 1,
    `window marks must rise: 0 < flushAt ≤ compactAt ≤ brimAt ≤ 1, got ${flushAt}, ${compactAt}, ${brimAt}.`,
  );
  check(
    Number.isInteger(keepLast) && keepLast >= 1,
    `window.keepLast must be a whole number from 1, got ${keepLast}.`,
  );
  check(patience >= 0, `window.patience must be milliseconds from 0, got ${patience}.`);
  return { flush: flushAt, compact: compactAt, brim: brimAt, keepLast, patience };
}

/**
 * Tokens a request may have. Where the provider holds prompt and reply against one window, all of max_tokens is kept free;
 * a max_tokens that would leave next to nothing cannot be meant, and counts as a quarter.
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
