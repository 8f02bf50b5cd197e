import { defined } from "../base/guards.ts";
import { priorOf } from "../dialect/models/capabilities.ts";
import type { SessionState } from "../model/history.ts";
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
/** More of its own a provider does not add: 340 tokens measured with tools. */
const OWN = 1_000;

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
  const whole = estimated >= TELLING ? reported / estimated : beyondOwn(state, seen);
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

/**
 * A small request that even without all a provider may add is larger than believed: an overflow
 * that came first of all.
 */
function beyondOwn(
  state: SessionState,
  { model, reported, estimated }: { model: string; reported: number; estimated: number },
): number | undefined {
  const least = (reported - OWN) / estimated;
  // So much more is the provider's own, and no tokenizer's.
  return least > ratioOf(state, model) && least <= BOUNDS.most ? least : undefined;
}
