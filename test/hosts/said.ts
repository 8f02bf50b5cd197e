import type { Content, Part } from "@google/genai";
import type { ModelMessage } from "ai";
import type { Format, Message } from "../../src/core/request.ts";
import { dialectFor } from "../../src/providers/detect.ts";
import { chance } from "../support/histories-random.ts";
import type { RealHistory } from "../support/histories.ts";

/** A message as a host stores it, whatever the provider. */
export interface Said {
  readonly who: "user" | "assistant" | "tool";
  readonly text: string;
  readonly calls?: readonly { id: string; name: string; input: object }[];
  /** The call that a tool's message answers. */
  readonly id?: string;
}

/** One question, and all that came of it up to the reply that ends its turn. */
export type Exchange = readonly Said[];

const anthropicOf = ({ who, text, calls = [], id }: Said): Message => {
  if (who === "user") return { role: "user", content: text };
  if (who === "tool")
    return { role: "user", content: [{ type: "tool_result", tool_use_id: id, content: text }] };
  const used = calls.map((call) => ({ type: "tool_use", ...call }));
  const words = text === "" ? [] : [{ type: "text", text }];
  return { role: "assistant", content: [...words, ...used] };
};

const openaiOf = ({ who, text, calls = [], id }: Said): Message => {
  if (who === "tool") return { role: "tool", tool_call_id: id, content: text };
  if (calls.length === 0) return { role: who, content: text };
  const made = calls.map(({ id, name, input }) => ({
    id,
    type: "function",
    function: { name, arguments: JSON.stringify(input) },
  }));
  return { role: who, content: text === "" ? null : text, tool_calls: made };
};

/** As the AI SDK's users keep them. */
export function modelMessages(history: readonly Said[]): ModelMessage[] {
  const names = new Map(
    history.flatMap(({ calls = [] }) => calls.map(({ id, name }) => [id, name])),
  );
  return history.reduce<ModelMessage[]>((all, { who, text, calls = [], id = "" }) => {
    if (who === "user") return [...all, { role: who, content: text }];
    if (who === "tool") {
      const output = { type: "text" as const, value: text };
      const toolName = names.get(id) ?? "look";
      const result = { type: "tool-result" as const, toolCallId: id, toolName, output };
      const last = all.at(-1);
      if (last?.role !== who) return [...all, { role: who, content: [result] }];
      return [...all.slice(0, -1), { role: who, content: [...last.content, result] }];
    }
    const made = calls.map(({ id, name, input }) => ({
      ...{ type: "tool-call" as const, toolCallId: id, toolName: name, input },
    }));
    const words = text === "" ? [] : [{ type: "text" as const, text }];
    return [...all, { role: who, content: [...words, ...made] }];
  }, []);
}

/** Calls bear the mark of those that no model signed: these hosts keep texts and names alone. */
export function contentsOf(history: readonly Said[]): Content[] {
  const names = new Map(
    history.flatMap(({ calls = [] }) => calls.map(({ id, name }) => [id, name])),
  );
  return history.reduce<Content[]>((all, { who, text, calls = [], id = "" }, at) => {
    const made = calls.map(({ id, name, input }) => ({
      functionCall: { id, name, args: input as Record<string, unknown> },
      thoughtSignature: "skip_thought_signature_validator",
    }));
    const response = { id, name: names.get(id) ?? "look", response: { output: text } };
    const parts: Part[] =
      who === "tool"
        ? [{ functionResponse: response }]
        : [...(text === "" ? [] : [{ text }]), ...made];
    if (who === "tool" && history[at - 1]?.who === "tool") all.at(-1)?.parts?.push(...parts);
    else all.push({ role: who === "assistant" ? "model" : "user", parts });
    return all;
  }, []);
}

/** The messages in a provider's form; results of one reply's calls stand together. */
export function asMessages(history: readonly Said[], format: Format): Message[] {
  if (format === "openai-chat") return history.map(openaiOf);
  if (format === "ai-sdk") return modelMessages(history) as unknown as Message[];
  if (format === "gemini") return contentsOf(history) as unknown as Message[];
  const messages: Message[] = [];
  for (const [index, said] of history.entries()) {
    const message = anthropicOf(said);
    const last = messages.at(-1);
    if (said.who === "tool" && history[index - 1]?.who === "tool" && Array.isArray(last?.content))
      last.content.push(...(message.content as unknown[]));
    else messages.push(message);
  }
  return messages;
}

const WORDS =
  "tide boat crate harbour rope pilot fender ledger winter lantern anchor barrel chart cellar signal ferry market bridge copper linen orchard granite velvet compass".split(
    " ",
  );

/** A made-up conversation in Markdown, with thoughts, citations, quotes, signs and tools. */
export function madeUp(seed: number, exchanges: number): Exchange[] {
  const random = chance(seed);
  const sentence = (words: number): string =>
    Array.from({ length: words }, () => random.pick(WORDS)).join(" ");
  let count = 0;
  const tagged = (words: string): string => `«${(count += 1)}» ${words}`;
  return Array.from({ length: exchanges }, (_, turn) => {
    const said: Said[] = [
      { who: "user", text: tagged(`Where's the "${sentence(2)}"? It's about ${sentence(12)}.`) },
    ];
    const steps = random.maybe(0.6) ? 1 + random.nat(2) : 0;
    for (let step = 0; step < steps; step += 1) {
      const calls = Array.from({ length: random.maybe(0.2) ? 2 : 1 }, (_, nth) => ({
        id: `call_${seed}_${turn}_${step}_${nth}_x`,
        name: random.pick(["look", "count"]),
        input: { place: sentence(3), at: random.nat(1000) },
      }));
      const text = random.maybe(0.5) ? tagged(`Let's look there: ${sentence(8)}.`) : "";
      said.push({ who: "assistant", text, calls });
      for (const { id } of calls)
        said.push({ who: "tool", id, text: tagged(`${sentence(20)}; ${random.nat(10_000)}`) });
    }
    const thought = random.maybe(0.3) ? `<think>They ask of ${sentence(9)}.</think>\n` : "";
    const title = random.maybe(0.3) ? `## The ${sentence(2)}\n\n` : "";
    const body = [
      `It's in the **${sentence(2)}** & the "${sentence(2)}" [1], ${sentence(14)}.`,
      `- \`${sentence(1)}\`: ${sentence(16)} <${sentence(1)}>`,
      `That's ${sentence(30)} [2].`,
    ].join("\n\n");
    said.push({ who: "assistant", text: `${thought}${title}${tagged(body)}` });
    return said;
  });
}

/** A real transcript as exchanges, tools and all; pictures and thinking are left out. */
export function exchangesOf({ messages, format }: RealHistory, most: number): Exchange[] {
  const dialect = dialectFor({ messages }, format);
  const exchanges: Said[][] = [];
  for (const message of messages) {
    const text = dialect.text(message);
    for (const { id, text: answer } of dialect.results(message))
      exchanges.at(-1)?.push({ who: "tool", id, text: answer });
    if (dialect.speaker(message) === "user" && text !== "") exchanges.push([{ who: "user", text }]);
    if (dialect.speaker(message) !== "assistant") continue;
    const calls = dialect.calls(message).map(({ id, name, input }) => ({
      id,
      name,
      input: input as object,
    }));
    exchanges.at(-1)?.push({ who: "assistant", text, ...(calls.length > 0 ? { calls } : {}) });
  }
  return exchanges
    .slice(0, most)
    .map(answered)
    .filter((one) => one.length > 1);
}

/** An exchange up to its last reply. */
const answered = (exchange: readonly Said[]): Said[] =>
  exchange.slice(0, exchange.findLastIndex(({ who }) => who === "assistant") + 1);
