import { type Prices } from "../../model/capability.ts";
import { type Usage } from "../../model/ports.ts";

/** What a request and its reply cost, in dollars. */
export function costOf(
  { input, cacheWrite, cacheRead, output, cacheWrite1h = 0 }: Usage,
  prices: Prices,
): number {
  const times =
    prices.long && input + cacheWrite + cacheRead > prices.long.above ? prices.long.times : 1;
  const spent =
    input * prices.input +
    (cacheWrite - cacheWrite1h) * prices.cacheWrite5m +
    cacheWrite1h * prices.cacheWrite1h +
    cacheRead * prices.cacheRead +
    output * prices.output;
  return (spent * times) / 1_000_000;
}
