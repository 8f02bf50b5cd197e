import { defined } from "../../core/base.ts";
import type { SessionState } from "../../core/history.ts";
import { from, is, options, share, where, whole } from "../../core/schema.ts";
import { priorOf } from "../../providers/common/models.ts";

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

export type Marks = ReturnType<typeof marksOf>;

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
}: WindowOptions = {}) => ({ flush, compact, brim, keepLast, patience });

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

/**
 * A provider's count further off than this is not a tokenizer's difference but a misreading, of a
 * picture or a block of tomorrow, say. Too low is the worse mistake: text that follows would be
 * believed smaller than it is, and overflow.
 */
const BOUNDS = { least: 0.75, most: 4 } as const;
/**
 * Growth worth comparing, and a whole request in which fixed costs of the provider no longer count.
 */
const WORTH = 300;
const TELLING = 8_000;

const within = (ratio: number): number => Math.min(BOUNDS.most, Math.max(BOUNDS.least, ratio));

export const ratioOf = (state: SessionState, model: string): number =>
  state.calibration?.[model] ?? priorOf(model);

/** The most a request of this estimate can be, whatever was reported of another. */
export const mostTokens = (estimated: number): number => Math.ceil(estimated * BOUNDS.most);

/**
 * The request's size: what the provider said of the last one, and an estimate of the difference.
 */
export function tokensOf(state: SessionState, model: string, estimated: number): number {
  const ratio = ratioOf(state, model);
  const { anchor } = state;
  if (!anchor || anchor.model !== model) return Math.ceil(estimated * ratio);
  return Math.max(
    1,
    Math.ceil(anchor.reported + (estimated - anchor.estimated) * ratio),
    Math.ceil(estimated * BOUNDS.least),
  );
}

/**
 * What a reported size teaches, up or down. Every request carries some tokens of the provider's
 * own, which a ratio of whole sizes would take for the tokenizer's; so the growth since the last
 * report is what is compared, and a first report only where it is large enough to drown them.
 */
export function learn(
  state: SessionState,
  seen: NonNullable<SessionState["anchor"]>,
): Pick<SessionState, "anchor" | "calibration"> {
  const { model, reported, estimated } = seen;
  if (!(reported > 0) || !(estimated > 0)) return {};
  const last = state.anchor?.model === model ? state.anchor : undefined;
  const known = state.calibration?.[model];
  const grown = last === undefined ? 0 : estimated - last.estimated;
  const whole = estimated >= TELLING ? reported / estimated : undefined;
  const sample = Math.abs(grown) >= WORTH ? (reported - (last?.reported ?? 0)) / grown : whole;
  const bounded = sample === undefined ? undefined : within(sample);
  const next =
    known === undefined || bounded === undefined ? (bounded ?? known) : (known + bounded) / 2;
  return {
    anchor: seen,
    ...defined({
      calibration: next === undefined ? undefined : { ...state.calibration, [model]: next },
    }),
  };
}

/** Growth, in tokens, whose count tells two reports apart; the very same count tells it sooner. */
const GROWN = 100;
const GROWN_SAME = 40;
/** A report that stays behind this much text, as a share of the last, was cut. */
const GROWN_SHARE = 0.05;
/** Tokens a provider may add to a first small request. */
const ADDED = 100;
/** And to any, beside what growth explains. */
const NOISE = 8;
/** Cached tokens are counted twice where a report is off by more than this share. */
const OFF = 0.2;
/** What text may take of what is expected of it: before a session has learnt, and then. */
const SHARES = { least: 0.4, most: 2.5, mostLearnt: 1.9, agrees: 0.6 } as const;

/** "agreed": not with what was learnt, but with the report that was doubted before. */
type Verdict = "believed" | "agreed" | "doubted" | "cut";

interface Report extends NonNullable<SessionState["anchor"]> {
  /** Tokens that came from the provider's cache, which some count twice. */
  readonly cached: number;
  /** Text was only added since the report before, and the provider leaves nothing out by itself. */
  readonly added: boolean;
}

/**
 * Tells whether a reported size can be true, by our own count and what this session has learnt. One
 * report alone never says that a server cuts or that our count is wrong: a second one has to grow
 * with the text, or to stay where it was.
 */
export function judge(state: SessionState, seen: Report): Verdict {
  const { model, reported, estimated, cached, added } = seen;
  const ratio = ratioOf(state, model);
  const [last, doubt] = [state.anchor, state.doubt].map((one) =>
    one?.model === model ? one : undefined,
  );
  const from = last ?? { reported: 0, estimated: 0 };
  const grown = (estimated - from.estimated) * ratio;
  const expected = from.reported + grown;
  const isTwice =
    cached > 0 &&
    reported > expected * (1 + OFF) &&
    Math.abs(reported - cached - expected) < reported - expected;
  if (isTwice) return "doubted";
  const most = state.calibration?.[model] === undefined ? SHARES.most : SHARES.mostLearnt;
  const isFlat = added && reported < expected && reported <= from.reported;
  if (isFlat && reported === from.reported && grown >= GROWN_SAME) return "cut";
  if (doubt !== undefined) {
    // What was learnt may have come of the reports that were wrong.
    const more = (estimated - doubt.estimated) * priorOf(model);
    const share = (reported - doubt.reported) / more;
    if (more >= GROWN && share >= SHARES.agrees && share <= SHARES.mostLearnt) return "agreed";
    const isSame = reported === doubt.reported && more >= GROWN_SAME;
    if (added && isSame && reported < expected) return "cut";
    if (isFlat && grown >= Math.max(2 * GROWN, from.reported * GROWN_SHARE)) return "cut";
  }
  // Behind a fold or an edit, other text stands than was counted.
  const isNew = last === undefined || grown < 0;
  const [base, growth] = isNew ? [0, estimated * ratio] : [from.reported, grown];
  const slack = isNew ? ADDED : NOISE;
  const isWithin =
    reported <= base + growth * most + slack && reported >= base + growth * SHARES.least - slack;
  return isWithin && !(isFlat && grown > 0) ? "believed" : "doubted";
}

/** The doubt to keep: the first one until there is growth enough to compare with. */
export const doubtOf = (
  { doubt }: SessionState,
  seen: NonNullable<SessionState["anchor"]>,
): SessionState["doubt"] =>
  doubt?.model === seen.model && Math.abs(seen.estimated - doubt.estimated) < GROWN ? doubt : seen;

/** Tokens of a request that may be folded. */
export interface Grown {
  readonly used: number;
  readonly limit: number;
  /** The last fold's landing: no second one without growth. */
  readonly landed?: number | undefined;
}
type Landing = Grown & { readonly landing: number };

/**
 * Where a fold below the brim may land: at half of the limit, else anywhere under 0.65 that frees a
 * tenth.
 */
export function landsWell({ used, landing, limit }: Landing): boolean {
  const frees = used - landing;
  return (
    (landing <= LANDING.best * limit && frees >= GROWTH * limit) ||
    (landing < LANDING.most * limit && frees >= LANDING.frees * limit)
  );
}

export const hasGrown = ({ used, limit, landed }: Grown): boolean =>
  landed === undefined || used >= limit || used - landed >= GROWTH * limit;

export const percent = (part: number, whole: number): string =>
  `${Math.round((part / whole) * 100)} %`;

export const notGrown = ({ landed = 0, limit }: Grown): string =>
  `the last fold landed at ${percent(landed, limit)} and the request has hardly grown since`;

/**
 * Says why a fold that was put together is not made, unless it is the last resort; undefined where
 * it is worth its price. `asked`: a person wants it, and gets it wherever it frees anything worth
 * the summary.
 */
export function whyUnworthy(fold: Landing, asked: boolean): string | undefined {
  const { used, landing, limit } = fold;
  if (asked && used - landing >= LANDING.frees * used) return undefined;
  if (!asked && !hasGrown(fold)) return notGrown(fold);
  return landsWell(fold)
    ? undefined
    : `a fold would land at ${percent(landing, limit)} and free ` +
        `${percent(Math.max(0, used - landing), limit)} of the limit`;
}
