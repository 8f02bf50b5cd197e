import { type Format } from "../../model/request.ts";
import { type Usage } from "../../model/ports.ts";
import { type Counted, type Unit } from "./counts.ts";

/** The least either provider caches (Anthropic: 512 to 4,096 by model). */
const LEAST = 1_024;
/** Anthropic looks this many blocks back from a breakpoint for something cached (platform.claude.com, prompt caching). */
const LOOK_BACK = 20;
/** OpenAI caches by itself, in steps of so many tokens (developers.openai.com, prompt caching). */
const STEP = 128;

export type Input = Omit<Usage, "output">;

/**
 * What a provider would read of each request from its cache, from what the request before left there. Requests are taken
 * to follow each other within the five minutes an entry lives.
 */
export function createPromptCache(format: Format): (request: Counted) => Input {
  return format === "anthropic" ? byBreakpoints() : byPrefix();
}

/** How many units both begin with. */
function shared(before: readonly Unit[], now: readonly Unit[]): number {
  let same = 0;
  while (same < now.length && same < before.length && before[same]?.key === now[same]?.key) same++;
  return same;
}

function byBreakpoints() {
  let before: readonly Unit[] = [];
  /** Places of `before` up to which the provider keeps what it read. */
  let kept: readonly number[] = [];

  return ({ units, total }: Counted): Input => {
    const sizes: number[] = [];
    for (const { tokens } of units) sizes.push((sizes.at(-1) ?? 0) + tokens);
    const sizeAt = (at: number): number => sizes[at] ?? 0;
    const marks = units.flatMap(({ marked }, at) => (marked && sizeAt(at) >= LEAST ? [at] : []));
    const same = shared(before, units);
    const alive = kept.filter((at) => at < same);
    const hit = Math.max(
      -1,
      ...alive.filter((at) => marks.some((mark) => at <= mark && at > mark - LOOK_BACK)),
    );
    const cacheRead = hit < 0 ? 0 : sizeAt(hit);
    const written = Math.max(cacheRead, sizeAt(Math.max(-1, ...marks)));
    before = units;
    kept = [...new Set([...alive, ...marks])];
    return { input: total - written, cacheWrite: written - cacheRead, cacheRead };
  };
}

function byPrefix() {
  let before: readonly Unit[] = [];
  return ({ units, total }: Counted): Input => {
    const same = shared(before, units);
    const prefix = units.slice(0, same).reduce((sum, { tokens }) => sum + tokens, 0);
    before = units;
    const cacheRead = prefix < LEAST ? 0 : Math.floor(prefix / STEP) * STEP;
    return { input: total - cacheRead, cacheWrite: 0, cacheRead };
  };
}
