import type { DistilFunction } from "../../core/request.ts";

export interface ConsolidateOptions {
  /** How often memories that say the like are put together. Default "week". */
  every?: "hour" | "day" | "week" | "never";
  /**
   * Makes one sentence of what says the like, but of a user's words. Code drops it where a name, a
   * number, a path, a date or a denial is lost. Default: rules, which only leave out what another
   * memory says.
   */
  model?: DistilFunction;
  /** Memories of a scope; of more, those that matter least go to the archive. Default 10,000. */
  keep?: number;
}
