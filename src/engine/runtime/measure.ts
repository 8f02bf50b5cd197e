import { type Dialect } from "../../dialect/common/dialect.ts";
import { type Message, type ProviderRequest } from "../../model/request.ts";
import { createCounter } from "../../tokens/counter.ts";
import { estimateTokens } from "../../tokens/estimate.ts";

/** Estimated tokens. What was measured before and has not changed is not measured again. */
export interface Measure {
  text(text: string): number;
  message(dialect: Dialect, message: Message): number;
  /** The same of a message whose weight the caller remembers. */
  weigh(dialect: Dialect, message: Message): number;
  /** System text and tools. */
  head(dialect: Dialect, request: ProviderRequest): number;
  request(dialect: Dialect, request: ProviderRequest): number;
}

const object = (value: unknown): object | undefined =>
  typeof value === "object" && value !== null ? value : undefined;

export function createMeasure(): Measure {
  const counter = createCounter();
  // System texts are few and long: the caller's, and the caller's with ours.
  const texts = new Map<string, number>();

  function ofText(text: string): number {
    const known = texts.get(text);
    if (known !== undefined) return known;
    if (texts.size > 64) texts.clear();
    const tokens = estimateTokens(text);
    texts.set(text, tokens);
    return tokens;
  }

  function head(dialect: Dialect, { system, tools }: ProviderRequest): number {
    const toolKey = object(tools);
    const inTools = toolKey
      ? counter.message(toolKey, () => dialect.overhead({ messages: [], tools }))
      : 0;
    if (typeof system === "string") return inTools + ofText(system);
    const systemKey = object(system);
    return (
      inTools +
      (systemKey ? counter.message(systemKey, () => dialect.overhead({ messages: [], system })) : 0)
    );
  }

  const message = (dialect: Dialect, one: Message): number =>
    counter.message(one, () => dialect.pieces(one));
  return {
    text: estimateTokens,
    message,
    weigh: (dialect, one) => counter.weigh(dialect.pieces(one)),
    head,
    request: (dialect, request) => {
      let sum = head(dialect, request);
      for (let at = dialect.unread?.(request.messages) ?? 0; at < request.messages.length; at++)
        sum += message(dialect, request.messages[at] as Message);
      return sum;
    },
  };
}
