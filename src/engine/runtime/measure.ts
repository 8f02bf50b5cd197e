import { MEASURED_TEXTS, remembering } from "../../base/cache.ts";
import type { Dialect } from "../../dialect/common/dialect.ts";
import type { Message, ProviderRequest } from "../../model/request.ts";
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

export function createMeasure(): Measure {
  const counter = createCounter();
  const inText = remembering(estimateTokens, MEASURED_TEXTS);

  const head = (dialect: Dialect, request: ProviderRequest): number =>
    dialect.head.reduce((sum, name) => {
      const part = request[name];
      if (typeof part === "string") return sum + inText(part);
      if (typeof part !== "object" || part === null) return sum;
      return sum + counter.message(part, () => dialect.overhead({ messages: [], [name]: part }));
    }, 0);

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
