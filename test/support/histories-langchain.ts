import type { Message } from "../../src/core/request.ts";
import { type AnthropicTurn, buildAnthropic, type HistorySize } from "./histories-anthropic.ts";
import { chance } from "./histories-random.ts";

type Dict = Record<string, unknown>;

/** One valid history of LangChain's, as its models answer, from messages of the same plans. */
export function buildLangChain(plans: readonly AnthropicTurn[], size: HistorySize = {}): Message[] {
  const random = chance((plans[0]?.seed ?? 0) ^ 0x1a9c);
  const repeats = random.maybe(0.5);
  const made: Message[] = random.maybe(0.3) ? [{ role: "system", content: random.text(30) }] : [];
  const id = () => ({ id: random.id("run-") });
  for (const { role, content } of buildAnthropic(plans, size)) {
    const blocks = (
      typeof content === "string" ? [{ type: "text", text: content }] : content
    ) as Dict[];
    if (role === "assistant") {
      const calls = blocks.filter(({ type }) => type === "tool_use");
      const parts = blocks.flatMap((block) => {
        if (block.type === "text" || /thinking$/.test(String(block.type))) return [plain(block)];
        return repeats && block.type === "tool_use" ? [block] : [];
      });
      const tool_calls = calls.map(({ id, name, input }) => ({
        type: "tool_call",
        id,
        name,
        args: input,
      }));
      if (tool_calls.length > 0 || parts.some(({ type }) => type === "text"))
        made.push({ role, content: parts, tool_calls, ...id() });
    }
    if (role !== "user") continue;
    for (const block of blocks)
      if (block.type === "tool_result")
        made.push({
          ...{ role: "tool", tool_call_id: block.tool_use_id, ...id() },
          content: Array.isArray(block.content)
            ? block.content.flatMap(said)
            : (block.content ?? ""),
          status: block.is_error === true ? "error" : "success",
        });
    const words = typeof content === "string" ? content : blocks.flatMap(said);
    if (words.length > 0) made.push({ role, content: words, ...id() });
  }
  return made;
}

const plain = ({ citations: _citations, ...block }: Dict): Dict => block;

function said(block: unknown): Dict[] {
  const { type, text, source = {} } = block as Dict & { source?: Dict };
  if (type === "text") return [{ type, text }];
  if (type !== "image" && (type !== "document" || source.type !== "base64")) return [];
  const { data, media_type: mimeType = "image/png", url = "https://example.org/a.png" } = source;
  if (source.type !== "base64") return [{ type: "image_url", image_url: { url } }];
  return [{ type: type === "image" ? "image" : "file", source_type: "base64", mimeType, data }];
}

/** Why LangChain or a provider behind it would refuse this history, or undefined. */
export function validLangChain(messages: readonly Message[]): string | undefined {
  const open = new Set<unknown>();
  for (const [at, { role, content, ...message }] of messages.entries()) {
    const where = `messages.${at}`;
    const calls = (message.tool_calls ?? []) as Dict[];
    if (role === "system" && at > 0) return `${where}: system`;
    if (role === "tool" && !open.delete(message.tool_call_id)) return `${where}: no call for it`;
    if (role !== "tool" && open.size > 0) return `${where}: calls without result`;
    if (content === "" || (content as unknown[]).length === 0)
      if (role !== "tool" && calls.length === 0) return `${where}: no content`;
    for (const { id } of calls) open.add(id);
    for (const part of Array.isArray(content) ? (content as Dict[]) : [])
      if (part.type === "tool_use" && !open.has(part.id)) return `${where}: a call of its own`;
  }
  return open.size > 0 ? "calls without result at the end" : undefined;
}
