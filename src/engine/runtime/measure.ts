import { MEASURED_TEXTS, remembering } from "../../base/cache.ts";
import type { Dialect } from "../../dialect/common/dialect.ts";
import type { Message, ProviderRequest } from "../../model/request.ts";
import { createCounter } from "../../tokens/counter.ts";
import { estimateTokens } from "../../tokens/estimate.ts";

/** Estimated tokens. What was measured before and has not changed is not measured again. */
export function createMeasure() {
  const counter = createCounter();
  const inText = remembering(estimateTokens, MEASURED_TEXTS);

  /** System text and tools. */
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
    message,
    /** The same of a message whose weight the caller remembers. */
    weigh: (dialect: Dialect, one: Message): number => counter.weigh(dialect.pieces(one)),
    head,
    request: (dialect: Dialect, request: ProviderRequest): number => {
      let sum = head(dialect, request);
      for (let at = dialect.unread?.(request.messages) ?? 0; at < request.messages.length; at++)
        sum += message(dialect, request.messages[at] as Message);
      return sum;
    },
  };
}

export type Measure = ReturnType<typeof createMeasure>;
