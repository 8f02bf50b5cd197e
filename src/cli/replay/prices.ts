import { type Usage } from "../../model/ports.ts";

/** Dollars per million tokens. */
export interface Price {
  readonly input: number;
  readonly output: number;
  /** What a token read from the cache costs, as a share of `input`. */
  readonly cached: number;
  /** What a token written to it for five minutes costs, in `input`. */
  readonly written: number;
  /** Above so many tokens a request costs more, all of it. */
  readonly long?: { readonly above: number; readonly input: number; readonly output: number };
}

const claude = (input: number, output: number, more: Partial<Price> = {}): Price => ({ input, output, cached: 0.1, written: 1.25, ...more });
const openai = (input: number, output: number, cached: number): Price => ({ input, output, cached, written: 1 });

/** platform.claude.com/docs/en/about-claude/pricing and developers.openai.com/api/docs/pricing, November 2026. The first that fits counts. */
const PRICES: readonly (readonly [RegExp, Price])[] = [
  [/claude-(?:fable|mythos)-5-\d/, claude(10, 50, { cached: 0.025 })],
  [/claude-(?:fable|mythos)/, claude(10, 50)],
  [/claude-opus-5-5/, claude(4, 20, { cached: 0.05 })],
  [/claude-opus-(?:5|4-[5-9])/, claude(5, 25)],
  [/claude.*opus/, claude(15, 75)],
  [/claude-sonnet-5-5/, claude(2, 10, { cached: 0.05 })],
  [/claude-sonnet-5/, claude(2, 10)],
  [/claude.*sonnet/, claude(3, 15)],
  [/claude-haiku-5/, claude(0.1, 0.5, { long: { above: 100_000, input: 0.5, output: 2.5 } })],
  [/claude-haiku-4/, claude(1, 5)],
  [/claude-3-5-haiku/, claude(0.8, 4)],
  [/gpt-4o-mini/, openai(0.15, 0.6, 0.5)],
  [/gpt-4o/, openai(2.5, 10, 0.5)],
  [/gpt-4\.1(?!-)/, openai(2, 8, 0.25)],
  [/gpt-5(?:\.1)?(?:-\d|$)/, openai(1.25, 10, 0.1)],
];

/** The price of a model, or of what the caller says it costs; undefined when neither is known. */
export function priceOf(model: string, own: { input?: number | undefined; output?: number | undefined } = {}): Price | undefined {
  const listed = PRICES.find(([name]) => name.test(model))?.[1];
  if (own.input === undefined && own.output === undefined) return listed;
  const input = own.input ?? listed?.input;
  const output = own.output ?? listed?.output;
  if (input === undefined || output === undefined) return undefined;
  return { input, output, cached: listed?.cached ?? 0.1, written: listed?.written ?? (/gpt|^o\d/.test(model) ? 1 : 1.25) };
}

/** What a request and its reply cost, in dollars. */
export function costOf({ input, cacheWrite, cacheRead, output }: Usage, price: Price): number {
  const rate = price.long && input + cacheWrite + cacheRead > price.long.above ? price.long : price;
  return ((input + cacheWrite * price.written + cacheRead * price.cached) * rate.input + output * rate.output) / 1_000_000;
}
