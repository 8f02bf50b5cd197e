import { priorOf } from "../dialect/models/capabilities.ts";
import type { SessionState } from "../model/history.ts";
import { ratioOf } from "./calibrate.ts";

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
