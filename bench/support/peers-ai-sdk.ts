// AI SDK's pruneMessages before each call, as its documentation shows it; the loop keeps what was pruned.
import { type Contestant, timed } from "./peers-contestant.ts";
import { load, versionOf } from "./peers-packages.ts";
import type { Block } from "./peers-talk.ts";
import { MODEL, SYSTEM, TOOL_MS } from "./peers-world.ts";

type ModelMessage = { role: string; content: unknown; providerOptions?: unknown };
/** What we call of it. */
interface AiSdk {
  generateText(
    options: Record<string, unknown>,
  ): Promise<{ response?: { messages: ModelMessage[] }; responseMessages?: ModelMessage[] }>;
  pruneMessages(options: Record<string, unknown>): ModelMessage[];
  tool(about: Record<string, unknown>): unknown;
  jsonSchema(schema: unknown): unknown;
}
interface ForAnthropic {
  createAnthropic(options: Record<string, unknown>): (model: string) => unknown;
}

const COMPACT_AT = 0.7;
/** "A rough estimate": the documentation's. */
const tokensOf = (messages: readonly ModelMessage[]): number => JSON.stringify(messages).length / 4;

const MARKED = { anthropic: { cacheControl: { type: "ephemeral" } } };
const marked = (messages: readonly ModelMessage[]): ModelMessage[] =>
  messages.map((message, at) =>
    at === messages.length - 1 ? { ...message, providerOptions: MARKED } : message,
  );

export const aiSdk = (): Contestant => ({
  name: "AI SDK pruneMessages",
  version: `ai ${versionOf("ai")}, @ai-sdk/anthropic ${versionOf("@ai-sdk/anthropic")}`,
  how: `before each call whose messages are over ${COMPACT_AT * 100} % of the limit by JSON length ÷ 4: reasoning 'before-last-message', toolCalls 'before-last-2-messages', emptyMessages 'remove'; the last message marked for the cache`,
  inline: true,
  open: async (world) => {
    const { generateText, pruneMessages, tool, jsonSchema } = await load<AiSdk>("ai");
    const { createAnthropic } = await load<ForAnthropic>("@ai-sdk/anthropic");
    const model = createAnthropic({ baseURL: `${world.server.url}/v1`, apiKey: "local" })(MODEL);
    const tools = Object.fromEntries(
      world.tools.map(({ name, description, input_schema }) => [
        String(name),
        tool({ description, inputSchema: jsonSchema(input_schema) }),
      ]),
    );
    const waits: number[] = [];
    let messages: ModelMessage[] = [];
    let folds = 0;
    return {
      waits,
      folds: () => folds,
      play: async (exchange) => {
        world.expect(exchange);
        messages.push({ role: "user", content: exchange.say });
        for (const { results } of exchange.steps) {
          messages = await timed(world, waits, () => {
            if (tokensOf(messages) < COMPACT_AT * (world.window - world.maxTokens)) return messages;
            const pruned = pruneMessages({
              messages,
              reasoning: "before-last-message",
              toolCalls: "before-last-2-messages",
              emptyMessages: "remove",
            });
            if (JSON.stringify(pruned).length < JSON.stringify(messages).length) folds++;
            return pruned;
          });
          const { response, responseMessages } = await generateText({
            model,
            instructions: SYSTEM,
            messages: marked(messages),
            tools,
            maxOutputTokens: world.maxTokens,
            maxRetries: 0,
            ...(world.thinking
              ? { providerOptions: { anthropic: { thinking: { type: "adaptive" } } } }
              : {}),
          });
          messages = [...messages, ...(responseMessages ?? response?.messages ?? [])];
          if (results.length === 0) break;
          messages.push({
            role: "tool",
            content: results.map((result) =>
              resultOf(
                result,
                exchange.steps.flatMap(({ reply }) => reply),
              ),
            ),
          });
          await world.clock.pass(TOOL_MS, world.settle);
        }
      },
      close: () => Promise.resolve(),
    };
  },
});

const resultOf = ({ tool_use_id, content, is_error }: Block, calls: readonly Block[]) => ({
  type: "tool-result",
  toolCallId: tool_use_id,
  toolName: calls.find(({ id }) => id === tool_use_id)?.name,
  output: { type: is_error === true ? "error-text" : "text", value: content },
});
