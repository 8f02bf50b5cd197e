import type { Message } from "../../src/core/request.ts";
import { messagesOf } from "../../src/providers/responses/items.ts";
import type { HistorySize } from "./histories-anthropic.ts";
import { buildOpenAI, type OpenAITurn } from "./histories-openai.ts";
import { chance } from "./histories-random.ts";

type Dict = Record<string, unknown>;

/** One valid list of input items, as the SDK's users write it from the chat history of the same plans. */
export function buildItems(plans: readonly OpenAITurn[], size: HistorySize = {}): Dict[] {
  const random = chance((plans[0]?.seed ?? 0) ^ 0x17e5);
  const chat = buildOpenAI(
    plans.map((plan) => (plan.kind === "legacy" ? { ...plan, kind: "tools" } : plan)),
    size,
  );
  return chat.flatMap((message) => {
    const { role, content, tool_calls: calls, tool_call_id: id } = message;
    if (role === "tool") {
      const custom = chat.some(({ tool_calls: made }) =>
        ((made ?? []) as Dict[]).some((call) => call.id === id && call.type === "custom"),
      );
      const type = custom ? "custom_tool_call_output" : "function_call_output";
      const output = typeof content === "string" ? content : partsOf(content, "input_text");
      return [{ type, call_id: id, output }];
    }
    if (role !== "assistant")
      return [
        {
          ...(random.maybe(0.5) && { type: "message" }),
          role,
          content: typeof content === "string" ? content : partsOf(content, "input_text"),
        },
      ];
    const words = content ?? (message.refusal && [{ type: "refusal", refusal: message.refusal }]);
    const parts =
      typeof words === "string" && words !== ""
        ? [{ type: "output_text", text: words, annotations: [] }]
        : partsOf(words, "output_text");
    const items: Dict[] = [];
    if (random.maybe(0.4))
      items.push({
        type: "reasoning",
        id: random.id("rs_"),
        summary: [],
        encrypted_content: random.bytes(200, 300),
      });
    if (parts.length > 0)
      items.push({
        ...{ type: "message", role: "assistant", content: parts },
        ...(random.maybe(0.7) && { id: random.id("msg_"), status: "completed" }),
      });
    for (const call of (calls ?? []) as Dict[]) {
      const common = { call_id: call.id, ...(random.maybe(0.7) && { id: random.id("fc_") }) };
      items.push(
        call.type === "custom"
          ? { type: "custom_tool_call", ...common, ...(call.custom as Dict) }
          : { type: "function_call", ...common, ...(call.function as Dict), status: "completed" },
      );
    }
    return items;
  });
}

const partsOf = (content: unknown, text: string): Dict[] =>
  (Array.isArray(content) ? (content as Dict[]) : []).map((part) => {
    if (part.type === "text") return { type: text, text: part.text };
    if (part.type === "image_url")
      return { type: "input_image", image_url: (part.image_url as Dict).url, detail: "auto" };
    return part.type === "file" ? { type: "input_file", ...(part.file as Dict) } : part;
  });

export const buildResponses = (plans: readonly OpenAITurn[], size: HistorySize = {}): Message[] =>
  messagesOf(buildItems(plans, size));

/** Why the Responses API would refuse these messages' items, or undefined. */
export function validResponses(messages: readonly Message[]): string | undefined {
  const items = messages.flatMap((message) =>
    Array.isArray(message.items) ? (message.items as Dict[]) : [message as Dict],
  );
  if (items.length === 0) return "no items";
  const open = new Set<unknown>();
  for (const [at, item] of items.entries()) {
    const where = `input.${at}`;
    const { type = "message" } = item;
    if (type === "reasoning") {
      if (!Array.isArray(item.summary)) return `${where}: reasoning without summary`;
      const next = items[at + 1];
      const goesOn =
        next?.role === "assistant" || /_call$|^reasoning$/.test(String(next?.type ?? ""));
      if (!goesOn) return `${where}: reasoning without the item that follows it`;
    } else if (type === "function_call" || type === "custom_tool_call") {
      const input = type === "function_call" ? item.arguments : item.input;
      if (typeof item.call_id !== "string" || typeof item.name !== "string")
        return `${where}: a call without id or name`;
      if (typeof input !== "string") return `${where}: a call without input`;
      if (open.has(item.call_id)) return `${where}: call ${item.call_id} twice`;
      open.add(item.call_id);
    } else if (/_output$/.test(String(type))) {
      if (!open.delete(item.call_id)) return `${where}: an output without its call`;
      if (typeof item.output !== "string" && !isParts(item.output)) return `${where}: odd output`;
    } else if (type === "message") {
      if (!["user", "assistant", "system", "developer"].includes(String(item.role)))
        return `${where}: role ${String(item.role)}`;
      if (typeof item.content !== "string" && !isParts(item.content))
        return `${where}: odd content`;
      const wanted = item.role === "assistant" ? /^(?:output_text|refusal)$/ : /^(?!output_)/;
      if (Array.isArray(item.content))
        for (const part of item.content as Dict[])
          if (!wanted.test(String(part.type)) || part.type === "text")
            return `${where}: a part of type ${String(part.type)}`;
      if (open.size > 0 && item.role === "user") return `${where}: calls without output`;
    }
  }
  return open.size > 0 ? "calls without output at the end" : undefined;
}

const isParts = (content: unknown): boolean =>
  Array.isArray(content) && content.length > 0 && content.every((part: Dict) => "type" in part);
