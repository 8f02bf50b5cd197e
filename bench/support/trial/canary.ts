import type { Message } from "../../../src/core/request.ts";
import { estimateTokens } from "../../../src/core/tokens/estimate.ts";

export const KINDS = [
  "name",
  "number",
  "path",
  "decision",
  "correction",
  "open request",
  "failed approach",
  "rule",
] as const;
export type Kind = (typeof KINDS)[number];

export const user = (content: unknown): Message => ({ role: "user", content });
export const assistant = (content: unknown): Message => ({ role: "assistant", content });

/** Something said once that must be known later. */
export interface Canary {
  readonly kind: Kind;
  /** Which wording of its kind: so that none is tuned to, and the worst can be seen. */
  readonly wording: number;
  /** The exchange it is planted with. */
  readonly messages: readonly Message[];
  readonly question: string;
  /** The question is answered where all of these stand together. */
  readonly needs: readonly string[];
}

/** Characters within which an answer must stand: a paragraph. */
const TOGETHER = 400;

/** Does the text answer the canary's question: all it needs, close together, whatever the capitals? */
export function answers(text: string, { needs }: Pick<Canary, "needs">): boolean {
  const [first = "", ...others] = needs.map((need) => need.toLowerCase());
  const lower = text.toLowerCase();
  for (let at = lower.indexOf(first); at >= 0; at = lower.indexOf(first, at + 1)) {
    if (!whole(lower, at, first)) continue;
    const around = lower.slice(Math.max(0, at - TOGETHER), at + first.length + TOGETHER);
    if (others.every((need) => around.includes(need))) return true;
  }
  return false;
}

/** "4711" is not said by "147110"; plurals and endings of words are let pass. */
const whole = (text: string, at: number, need: string): boolean =>
  !/[\p{L}\p{N}]/u.test(text[at - 1] ?? " ") &&
  !(/\d$/.test(need) && /\d/.test(text[at + need.length] ?? " "));

/** What became of the canaries, in their order. */
export interface Survived {
  readonly folds: number;
  /** Tokens of a request before and after a fold, on average. */
  readonly before: number;
  readonly after: number;
  /** Requests a provider would have refused. */
  readonly invalid: number;
  /** Where the first of them was, and what was wrong with it. */
  readonly refused?: string;
  /** A fold came before all canaries were planted. */
  readonly early: boolean;
  readonly inPrompt: readonly boolean[];
  readonly inSearch: readonly boolean[];
  /** In the request that asks for it, with `recall: {}`. */
  readonly inAsked: readonly boolean[];
}

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

/** The tokens of the messages, as every trial counts them. */
export const countTokens = (messages: readonly Message[]): number =>
  messages.reduce((sum, message) => sum + FRAME + estimateTokens(allText(message.content)), 0);
