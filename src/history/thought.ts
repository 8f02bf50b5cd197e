import { digest, stableJson } from "../text/hash.ts";
import { type Message } from "../model/request.ts";
import { type Dialect } from "../dialect/common/dialect.ts";

/**
 * Digest of the thinking in a message, undefined when it holds none. Two replies may say the same words behind other
 * thoughts, and only the thoughts are bound to what stood before them.
 */
export function thoughtOf(dialect: Dialect, message: Message): string | undefined {
  if (!dialect.thinks(message)) return undefined;
  const left = dialect.withoutThinking(message);
  const gone = Object.keys(message)
    .filter((name) => message[name] !== left[name])
    .sort()
    .map((name) => [name, takenFrom(message[name], left[name])]);
  return digest(stableJson(gone));
}

function takenFrom(whole: unknown, left: unknown): unknown {
  if (!Array.isArray(whole) || !Array.isArray(left)) return whole;
  const stayed = new Set<unknown>(left);
  return whole.filter((block) => !stayed.has(block));
}
