import type Anthropic from "@anthropic-ai/sdk";
import { MODEL, SYSTEM } from "./story.ts";
import type { Workshop } from "./tools.ts";

export interface WindowLevel {
  readonly used: number;
  readonly limit: number;
  readonly level: number;
}

export const MAX_TOKENS = 1_000;

/** An ordinary chat loop, as anybody writes it: it knows nothing of Tidemark and keeps every message itself. */
export function createLoop({
  client,
  workshop,
  messages,
  window,
}: {
  client: Anthropic;
  workshop: Workshop;
  messages: Anthropic.MessageParam[];
  window: number;
}) {
  const limit = window - MAX_TOKENS;

  async function call(): Promise<{ reply: Anthropic.Message; level: WindowLevel }> {
    const reply = await client.messages
      .stream({
        model: MODEL,
        max_tokens: MAX_TOKENS,
        system: SYSTEM,
        thinking: { type: "adaptive" },
        tools: workshop.definitions,
        messages,
      })
      .finalMessage();
    const { input_tokens, cache_creation_input_tokens, cache_read_input_tokens } = reply.usage;
    const used = input_tokens + (cache_creation_input_tokens ?? 0) + (cache_read_input_tokens ?? 0);
    return { reply, level: { used, limit, level: used / limit } };
  }

  function result({ id, name, input }: Anthropic.ToolUseBlock): Anthropic.ToolResultBlockParam {
    try {
      return {
        type: "tool_result",
        tool_use_id: id,
        content: workshop.run(name, input as Record<string, unknown>),
      };
    } catch (error) {
      return {
        type: "tool_result",
        tool_use_id: id,
        is_error: true,
        content: error instanceof Error ? error.message : String(error),
      };
    }
  }

  /** One word of the user's, and everything up to the reply that needs no more tools. */
  return async function turn(
    text: string,
  ): Promise<{ answer: string; level: WindowLevel; results: Anthropic.ToolResultBlockParam[] }> {
    messages.push({ role: "user", content: text });
    const results: Anthropic.ToolResultBlockParam[] = [];
    for (;;) {
      const { reply, level } = await call();
      messages.push({ role: "assistant", content: reply.content });
      const calls = reply.content.filter((block) => block.type === "tool_use");
      if (calls.length === 0)
        return {
          answer: reply.content
            .flatMap((block) => (block.type === "text" ? block.text : []))
            .join("\n"),
          level,
          results,
        };
      const answered = calls.map(result);
      results.push(...answered);
      messages.push({ role: "user", content: answered });
    }
  };
}
