import type { Message } from "../../src/core/request.ts";
import { type AnthropicTurn, buildAnthropic, type HistorySize } from "./histories-anthropic.ts";
import { chance } from "./histories-random.ts";

type Dict = Record<string, unknown>;

/** One valid prompt of version 4, as the AI SDK makes it from messages of the same plans. */
export function buildPrompt(plans: readonly AnthropicTurn[], size: HistorySize = {}): Message[] {
  const random = chance((plans[0]?.seed ?? 0) ^ 0xa15d);
  const names = new Map<unknown, unknown>();
  const prompt: Message[] = random.maybe(0.5) ? [{ role: "system", content: random.text(30) }] : [];
  for (const { role, content } of buildAnthropic(plans, size)) {
    const blocks = (
      typeof content === "string" ? [{ type: "text", text: content }] : content
    ) as Dict[];
    if (role === "assistant") {
      const parts = blocks.flatMap((block) => replied(block, names));
      if (parts.some(({ type }) => type !== "reasoning")) prompt.push({ role, content: parts });
      continue;
    }
    if (role !== "user") continue;
    const results = blocks.filter(({ type }) => type === "tool_result");
    const parts = blocks.flatMap((block) => said(block));
    if (results.length > 0)
      prompt.push({ role: "tool", content: results.map((one) => answered(one, names)) });
    if (parts.length > 0) prompt.push({ role, content: parts });
  }
  return prompt;
}

function said(block: Dict): Dict[] {
  if (block.type === "text") return [{ type: "text", text: block.text }];
  const source = (block.source ?? {}) as Dict;
  if (block.type === "image" || (block.type === "document" && source.type === "base64"))
    return [{ type: "file", mediaType: source.media_type ?? "image/png", data: dataOf(source) }];
  return [];
}

const dataOf = ({ type, data, url }: Dict): Dict =>
  type === "base64" ? { type: "data", data } : { type: "url", url: url ?? "https://example.org/a" };

function replied(block: Dict, names: Map<unknown, unknown>): Dict[] {
  const { type, id, name, input } = block;
  if (type === "text") return [{ type, text: block.text }];
  if (type === "thinking") {
    const anthropic = { signature: block.signature };
    return [{ type: "reasoning", text: block.thinking, providerOptions: { anthropic } }];
  }
  if (type !== "tool_use") return [];
  names.set(id, name);
  return [{ type: "tool-call", toolCallId: id, toolName: name, input }];
}

function answered(
  { tool_use_id: id, content, is_error: failed }: Dict,
  names: Map<unknown, unknown>,
) {
  const value = Array.isArray(content) ? content.flatMap((block) => said(block as Dict)) : content;
  const output = Array.isArray(value)
    ? { type: "content", value }
    : { type: failed === true ? "error-text" : "text", value: value ?? "" };
  return { type: "tool-result", toolCallId: id, toolName: names.get(id), output };
}

const PARTS: Record<string, RegExp> = {
  user: /^(?:text|file)$/,
  assistant: /^(?:text|file|reasoning|tool-call|tool-result)$/,
  tool: /^tool-result$/,
};

/** Why the AI SDK or its providers would refuse this prompt, or undefined. */
export function validPrompt(messages: readonly Message[]): string | undefined {
  let open = new Set<unknown>();
  for (const [at, { role, content }] of messages.entries()) {
    const where = `prompt.${at}`;
    if (role === "system") {
      if (typeof content !== "string" || at > 0) return `${where}: system`;
      continue;
    }
    const wanted = PARTS[String(role)];
    if (wanted === undefined) return `${where}: role ${String(role)}`;
    // What a person writes, a string, is made to a part before it becomes a prompt.
    const parts = (
      typeof content === "string" ? [{ type: "text", text: content }] : content
    ) as Dict[];
    if (parts.length === 0) return `${where}: no parts`;
    if (role !== "tool" && open.size > 0) return `${where}: calls without result`;
    for (const part of parts) {
      if (!wanted.test(String(part.type))) return `${where}: a part of type ${String(part.type)}`;
      if (part.type === "tool-call") open.add(part.toolCallId);
      if (part.type === "tool-result" && !open.delete(part.toolCallId))
        return `${where}: a result without its call`;
    }
    if (role === "assistant" && parts.every(({ type }) => type === "reasoning"))
      return `${where}: nothing but reasoning`;
  }
  open = new Set(open);
  return open.size > 0 ? "calls without result at the end" : undefined;
}
