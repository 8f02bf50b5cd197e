import { openWith } from "../../src/tidemark/open-tidemark.ts";
import type { Timer } from "../../src/session/options/background.ts";
import type { Options } from "../../src/index.ts";

export type TimedOptions = Options & { readonly timer?: Timer };

/** Opens with the timer in the test's hand. */
export const openTimed = ({ timer, ...options }: TimedOptions = {}) => openWith(options, timer);
