import type { Dialect } from "../dialect/common/dialect.ts";
import type { Message, ProviderRequest } from "../model/request.ts";
import { digest } from "../text/hash.ts";
import { createSeen } from "../tokens/message-cache.ts";

/**
 * What thinking is bound to that no model bound to anything: a model that binds refuses it wherever
 * it stands.
 */
export const TO_NOTHING = digest("bound to nothing");

/**
 * Digests of requests as sent. Thinking is bound by the provider to the system text, the tools and
 * every message before it : equal digests mean that a block may be sent again. What the provider
 * holds equal has equal digests, because callers move their cache marks, and a marked text is a
 * block where it was a string. A digest of another version equals none of these.
 */
export function createBinding() {
  const seen = createSeen<string>();

  const ofMessage = (dialect: Dialect, message: Message): string =>
    seen.of(message, () => digest(dialect.shown(message)));

  function ofHead(dialect: Dialect, request: ProviderRequest): string {
    const { system, tools } = request;
    return digest("head", dialect.shown({ system, tools }));
  }

  /** A digest of all that stands before the next message; one message after another is added. */
  function chain(dialect: Dialect, request: ProviderRequest) {
    let sent = ofHead(dialect, request);
    return {
      add: (message: Message): void => void (sent = behind(dialect, sent, message)),
      now: (): string => sent,
    };
  }

  const behind = (dialect: Dialect, prefix: string, message: Message): string =>
    digest(prefix, ofMessage(dialect, message));

  return {
    chain,
    behind,
    /** Digests of the prefix before a message, for one message after another. */
    before: (dialect: Dialect, request: ProviderRequest): ((index: number) => string) => {
      const made: string[] = [];
      return (index) => {
        if (made.length === 0) made.push(ofHead(dialect, request));
        for (const message of request.messages.slice(made.length - 1, index))
          made.push(behind(dialect, made.at(-1) ?? "", message));
        return made[index] ?? "";
      };
    },
    /** A reply to the request is bound to this. */
    whole: (dialect: Dialect, request: ProviderRequest): string =>
      request.messages.reduce(
        (before, message) => behind(dialect, before, message),
        ofHead(dialect, request),
      ),
  };
}

export type Binding = ReturnType<typeof createBinding>;
