import { type SessionState } from "../model/history.ts";

/** Claude's tokenizers give more tokens than o200k, which the estimate imitates: 1.04–1.21 measured on the last public one. */
const prior = (model: string): number => (/claude/i.test(model) ? 1.1 : 1);
/** A provider's count further off than this is not a tokenizer's difference but a misreading. */
const BOUNDS = { least: 0.5, most: 4 } as const;
/** Below this many tokens fixed costs of the provider hide the ratio. */
const WORTH = 500;

const within = (ratio: number): number => Math.min(BOUNDS.most, Math.max(BOUNDS.least, ratio));

export const ratioOf = (state: SessionState, model: string): number => state.calibration?.[model] ?? prior(model);

/** The request's size: what the provider said of the last one, and an estimate of the difference. */
export function tokensOf(state: SessionState, model: string, estimated: number): number {
  const ratio = ratioOf(state, model);
  const { anchor } = state;
  if (!anchor || anchor.model !== model) return Math.ceil(estimated * ratio);
  return Math.max(1, Math.ceil(anchor.reported + (estimated - anchor.estimated) * ratio));
}

/** What a reported size teaches, up or down; the newest word counts half. */
export function learn(state: SessionState, seen: { model: string; reported: number; estimated: number }): Pick<SessionState, "anchor" | "calibration"> {
  const { model, reported, estimated } = seen;
  if (!(reported > 0) || !(estimated > 0)) return {};
  const known = state.calibration?.[model];
  const ratio = within(reported / estimated);
  const next = known === undefined ? ratio : (known + ratio) / 2;
  const calibration = estimated < WORTH ? state.calibration : { ...state.calibration, [model]: next };
  return { anchor: { reported, estimated, model }, ...(calibration ? { calibration } : {}) };
}
