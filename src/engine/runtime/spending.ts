import { costOf } from "../../dialect/models/capabilities.ts";
import type { Prices } from "../../model/request.ts";
import type { Spent } from "../../model/spent.ts";
import { NO_USAGE, type Usage } from "../../model/ports.ts";

export const NOTHING: Spent = { ...NO_USAGE, calls: 0, dollars: 0, unpriced: 0 };

/** One call as a sum. */
export function spentOn(usage: Usage, prices: Prices | undefined): Spent {
  const { input, cacheWrite, cacheRead, output } = usage;
  return {
    ...{ calls: 1, input, cacheWrite, cacheRead, output },
    dollars: prices ? costOf(usage, prices) : 0,
    unpriced: prices ? 0 : 1,
  };
}

export function add(one: Spent, other: Spent): Spent {
  const names = Object.keys(NOTHING) as (keyof Spent)[];
  return Object.fromEntries(
    names.map((name) => [name, one[name] + other[name]]),
  ) as unknown as Spent;
}
