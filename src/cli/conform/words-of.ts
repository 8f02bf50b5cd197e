import { type Message } from "../../model/request.ts";
import { estimateTokens } from "../../tokens/estimate.ts";

/** Tokens of a message beside its words. */
const FRAME = 4;

/** Every text of a request or a list of messages, wherever it stands. */
export function allText(value: unknown): string {
  const found: string[] = [];
  const walk = (one: unknown): void => {
    if (typeof one === "string") found.push(one);
    else if (Array.isArray(one)) one.forEach(walk);
    else if (typeof one === "object" && one !== null) Object.values(one).forEach(walk);
  };
  walk(value);
  return found.join("\n");
}

/** What the messages take, as conform counts: for its own compactors and for others alike. */
export const countTokens = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + FRAME + estimateTokens(allText(message["content"])), 0);
