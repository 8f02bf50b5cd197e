import { capabilitiesOf } from "../../dialect/capabilities.ts";
import { type Prices } from "../../model/capability.ts";

/** What a model costs by the table, or by what the caller says of it; undefined when neither is known. */
export function priceOf(
  model: string,
  own: { input?: number | undefined; output?: number | undefined } = {},
): Prices | undefined {
  const { prices: listed } = capabilitiesOf(model);
  if (own.input === undefined && own.output === undefined) return listed;
  const input = own.input ?? listed?.input;
  const output = own.output ?? listed?.output;
  if (input === undefined || output === undefined) return undefined;
  // OpenAI charges nothing for writing; of a stranger, Anthropic's ratios are the dearer guess.
  const like = listed ?? {
    input: 1,
    cacheRead: 0.1,
    ...(/gpt|^o\d/.test(model)
      ? { cacheWrite5m: 1, cacheWrite1h: 1 }
      : { cacheWrite5m: 1.25, cacheWrite1h: 2 }),
  };
  const share = input / like.input;
  return {
    input,
    output,
    cacheWrite5m: like.cacheWrite5m * share,
    cacheWrite1h: like.cacheWrite1h * share,
    cacheRead: like.cacheRead * share,
  };
}
