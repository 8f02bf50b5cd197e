import { shown, TidemarkError } from "../model/errors.ts";

/** The host's clock in whole ms: a clock of high resolution gives parts of one, which no time of ours has. */
export function wholeClock(now: () => number = Date.now): () => number {
  return () => {
    const at: unknown = now();
    if (typeof at !== "number" || !Number.isFinite(at)) throw new TidemarkError("config", `openTidemark: option "now" must answer ms since 1970, answered ${shown(at)}.`);
    return Math.floor(at);
  };
}
