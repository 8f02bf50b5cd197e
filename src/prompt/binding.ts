import { type Dialect } from "../dialect/dialect.ts";
import { type Message, type ProviderRequest } from "../model/request.ts";
import { digest, stableJson } from "../text/hash.ts";
import { createSeen } from "../tokens/seen.ts";

/**
 * Digests of requests as sent. Thinking is bound by the provider to the system text, the tools and every message before it
 * (design §6): equal digests mean that a block may be sent again.
 */
export function createBinding() {
  const seen = createSeen<string>();

  function ofMessage(dialect: Dialect, message: Message): string {
    const known = seen.get(message);
    if (known !== undefined) return known;
    const made = digest(stableJson(dialect.withoutCacheMarks(message)));
    seen.set(message, made);
    return made;
  }

  function ofHead(dialect: Dialect, request: ProviderRequest): string {
    const { system, tools } = request;
    const key = { system, tools };
    return digest("head", stableJson(dialect.withoutCacheMarks(key)));
  }

  return {
    head: ofHead,
    next: (dialect: Dialect, before: string, message: Message): string => digest(before, ofMessage(dialect, message)),
    /** Of a whole request: what a reply to it is bound to. */
    whole: (dialect: Dialect, request: ProviderRequest): string =>
      request.messages.reduce((before, message) => digest(before, ofMessage(dialect, message)), ofHead(dialect, request)),
  };
}

export type Binding = ReturnType<typeof createBinding>;
