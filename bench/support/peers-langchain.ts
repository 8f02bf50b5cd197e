// LangChain's summarizationMiddleware in its own agent, with its own prompt caching; its hook is what a call waits for.
import { type Contestant, timed } from "./peers-contestant.ts";
import { load, versionOf } from "./peers-packages.ts";
import { MODEL, SYSTEM, TOOL_MS, type World } from "./peers-world.ts";

type State = { messages: { content: unknown }[] };
type Hook = (...given: unknown[]) => Promise<unknown>;
/** What we call of it. */
interface LangChain {
  createAgent(options: Record<string, unknown>): {
    invoke(state: { messages: unknown[] }, options: Record<string, unknown>): Promise<State>;
  };
  summarizationMiddleware(options: Record<string, unknown>): { beforeModel: Hook | { hook: Hook } };
  anthropicPromptCachingMiddleware(options: Record<string, unknown>): unknown;
  tool(
    run: (input: unknown, config: { toolCall?: { id?: string } }) => Promise<unknown>,
    about: Record<string, unknown>,
  ): unknown;
}
interface ForAnthropic {
  ChatAnthropic: new (options: Record<string, unknown>) => unknown;
}

const COMPACT_AT = 0.7;

async function agentOf(
  world: World,
  waits: number[],
  folded: () => void,
  options: Record<string, unknown>,
) {
  const { createAgent, summarizationMiddleware, anthropicPromptCachingMiddleware, tool } =
    await load<LangChain>("langchain");
  const { ChatAnthropic } = await load<ForAnthropic>("@langchain/anthropic");
  const model = (more: Record<string, unknown> = {}) =>
    new ChatAnthropic({
      model: MODEL,
      apiKey: "local",
      anthropicApiUrl: world.server.url,
      maxRetries: 0,
      maxTokens: world.maxTokens,
      ...more,
    });
  const summing = summarizationMiddleware({
    model: model(),
    trigger: { tokens: Math.floor(COMPACT_AT * (world.window - world.maxTokens)) },
    ...options,
  });
  const { beforeModel } = summing;
  const inner: Hook = typeof beforeModel === "function" ? beforeModel : beforeModel.hook;
  const hook: Hook = (...given) =>
    timed(world, waits, async () => {
      const change = await inner(...given);
      if (change !== undefined) folded();
      return change;
    });
  const tools = world.tools.map(({ name, description, input_schema }) =>
    tool(
      async (_input, { toolCall }) => {
        await world.clock.pass(TOOL_MS, world.settle);
        return world.results.get(toolCall?.id ?? "")?.content ?? "";
      },
      { name, description, schema: input_schema },
    ),
  );
  return createAgent({
    model: model(world.thinking ? { thinking: { type: "adaptive" } } : {}),
    tools,
    systemPrompt: SYSTEM,
    middleware: [
      {
        ...summing,
        beforeModel: typeof beforeModel === "function" ? hook : { ...beforeModel, hook },
      },
      anthropicPromptCachingMiddleware({ ttl: "5m", minMessagesToCache: 0 }),
    ],
  });
}

const contestant = (
  name: string,
  how: string,
  options: Record<string, unknown> = {},
): Contestant => ({
  name,
  version: `langchain ${versionOf("langchain")}, @langchain/anthropic ${versionOf("@langchain/anthropic")}`,
  how,
  inline: true,
  open: async (world) => {
    const waits: number[] = [];
    let folds = 0;
    const agent = await agentOf(world, waits, () => folds++, options);
    let messages: unknown[] = [];
    return {
      waits,
      folds: () => folds,
      play: async (exchange) => {
        world.expect(exchange);
        ({ messages } = await agent.invoke(
          { messages: [...messages, { role: "user", content: exchange.say }] },
          { recursionLimit: 2_000 },
        ));
      },
      close: () => Promise.resolve(),
    };
  },
});

export const langchain = (): Contestant[] => [
  contestant(
    "LangChain summarizationMiddleware",
    "trigger at 70 % of the limit, all else by default: it keeps 20 messages and shows its model the last 4,000 tokens of what it drops; with anthropicPromptCachingMiddleware",
  ),
  contestant(
    "LangChain summarizationMiddleware, whole",
    "the same, and its model is shown all it drops (trimTokensToSummarize)",
    { trimTokensToSummarize: 1_000_000 },
  ),
];
