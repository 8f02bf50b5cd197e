import type { Complete, ProviderRequest } from "../../src/core/request.ts";
import { type DistilMode, distilAsk } from "./messages-server/index.ts";
import { distilReply } from "./messages-server/distil-replies.ts";

export const BEHAVIOURS = ["extractive", "well", "junk", "fail", "hang", "cut"] as const;
export type Behaviour = (typeof BEHAVIOURS)[number];

/** One request of a distilling: which messages its facts were to come from, and how it ended. */
export interface Asked {
  readonly text: string;
  /** Messages of the request, the instruction last. */
  readonly messages: readonly unknown[];
  /** The call as a provider would get it. */
  readonly request: ProviderRequest;
  /** How many messages of the conversation there were. */
  readonly seen: number;
  answered: boolean;
  /** What became of the answer: given up with the work it belonged to, or stored. */
  stored?: boolean;
  facts: readonly string[];
}

/** A distiller's model that behaves in one way, and remembers what it was asked. */
export function scripted(behaviour: Exclude<Behaviour, "extractive">): {
  complete: Complete;
  asked: Asked[];
  at: { seen: number };
} {
  const asked: Asked[] = [];
  const at = { seen: 0 };
  const complete: Complete = async ({ system, messages, tools, maxTokens, signal }) => {
    const text = distilAsk({ messages }) ?? "";
    const request = {
      max_tokens: maxTokens,
      messages,
      ...(system === undefined ? {} : { system }),
      ...(tools === undefined ? {} : { tools }),
    };
    const one: Asked = { text, messages, request, seen: at.seen, answered: false, facts: [] };
    asked.push(one);
    await Promise.resolve();
    if (behaviour === "hang") return new Promise<never>(() => undefined);
    if (behaviour === "fail") throw new Error("529 overloaded_error: Overloaded");
    signal.throwIfAborted();
    const reply = distilReply({ messages }, text, behaviour satisfies DistilMode);
    const whole =
      typeof reply === "string"
        ? { content: reply, stop_reason: "end_turn" }
        : (reply as { content: string; stop_reason: string });
    one.answered = true;
    if (behaviour === "well")
      one.facts = (JSON.parse(whole.content) as { facts: { content: string }[] }).facts.map(
        ({ content }) => content,
      );
    return {
      text: whole.content,
      stop: whole.stop_reason,
      usage: { input: 1_000, cacheWrite: 0, cacheRead: 0, output: 50 },
    };
  };
  return { complete, asked, at };
}
