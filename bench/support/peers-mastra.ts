// Mastra's observational memory in its own agent, over its in-memory storage; observer and reflector ask the local server.
import { summaryTokens } from "../../src/compaction/distilling/choose-distiller.ts";
import type { Contestant } from "./peers-contestant.ts";
import { load, versionOf } from "./peers-packages.ts";
import { MODEL, SUMMARY_MS, SYSTEM, TOOL_MS, type World } from "./peers-world.ts";

/** What we call of it. */
interface Agents {
  Agent: new (options: Record<string, unknown>) => {
    generate(words: string, options: Record<string, unknown>): Promise<{ error?: unknown }>;
    __setLogger?(logger: unknown): void;
  };
}
interface Tools {
  createTool(options: Record<string, unknown>): unknown;
}
interface Storage {
  InMemoryStore: new (options?: Record<string, unknown>) => unknown;
}
interface MemoryModule {
  Memory: new (options: Record<string, unknown>) => unknown;
}
interface ForAnthropic {
  createAnthropic(options: Record<string, unknown>): (model: string) => unknown;
}

/** Its defaults are absolute (30,000 tokens of messages, 40,000 of observations); in a smaller window they take these shares of the limit. */
const MESSAGES = 0.45;
const OBSERVATIONS = 0.25;
/** ms in which nothing was asked for: the turn waits for a call of memory. */
const STILL = 100;

/** Plays a turn to its end; where it comes to rest on a call of memory, time passes and is counted. */
async function whileWaiting(world: World, turn: Promise<unknown>): Promise<number> {
  let done = false;
  let waited = 0;
  let [asked, since] = [world.asked(), performance.now()];
  void turn.catch(() => undefined).finally(() => (done = true));
  while (!done) {
    await new Promise((resolve) => setTimeout(resolve, 1));
    if (world.asked() !== asked) [asked, since] = [world.asked(), performance.now()];
    if (world.clock.sleeping() === 0 || performance.now() - since < STILL) continue;
    const before = world.clock.now();
    await world.clock.pass(SUMMARY_MS / 10, () => Promise.resolve());
    waited += world.clock.now() - before;
    since = performance.now() - STILL + 5;
  }
  await turn;
  return waited;
}

export const mastra = (): Contestant => ({
  name: "Mastra observational memory",
  version: `@mastra/memory ${versionOf("@mastra/memory")}, @mastra/core ${versionOf("@mastra/core")}`,
  how: `observation of ${MESSAGES * 100} % of the limit in messages, reflection of ${OBSERVATIONS * 100} % in observations, all else by default (buffered behind the conversation); of its waits only those for calls of memory are counted; some conversations ended early in this setup without a reason given, so no claim is made from its figures`,
  inline: false,
  slow: true,
  open: async (world) => {
    const { Agent } = await load<Agents>("@mastra/core/agent");
    const { createTool } = await load<Tools>("@mastra/core/tools");
    const { InMemoryStore } = await load<Storage>("@mastra/core/storage");
    const { Memory } = await load<MemoryModule>("@mastra/memory");
    const { createAnthropic } = await load<ForAnthropic>("@ai-sdk/anthropic");
    const { z } = await load<{ z: { object(shape: object): { passthrough(): unknown } } }>("zod");
    const model = createAnthropic({ baseURL: `${world.server.url}/v1`, apiKey: "local" })(MODEL);
    const limit = world.window - world.maxTokens;
    // Its own 128,000 are more than the model takes.
    const modelSettings = { maxOutputTokens: Math.ceil(1.25 * summaryTokens(world.window)) };
    const memory = new Memory({
      storage: new InMemoryStore(),
      options: {
        lastMessages: false,
        semanticRecall: false,
        observationalMemory: {
          model,
          observation: { messageTokens: Math.floor(MESSAGES * limit), modelSettings },
          reflection: { observationTokens: Math.floor(OBSERVATIONS * limit), modelSettings },
        },
      },
    });
    const tools = Object.fromEntries(
      world.tools.map(({ name, description }) => [
        String(name),
        createTool({
          id: String(name),
          description,
          inputSchema: z.object({}).passthrough(),
          execute: async (_input: unknown, { agent }: { agent?: { toolCallId?: string } }) => {
            await world.clock.pass(TOOL_MS, world.settle);
            return world.results.get(agent?.toolCallId ?? "")?.content ?? "";
          },
        }),
      ]),
    );
    const agent = new Agent({
      id: "bench",
      name: "bench",
      instructions: {
        role: "system",
        content: SYSTEM,
        providerOptions: { anthropic: { cacheControl: { type: "ephemeral" } } },
      },
      model,
      tools,
      memory,
      maxRetries: 0,
    });
    const { noopLogger } = await load<{ noopLogger: unknown }>("@mastra/core/logger");
    agent.__setLogger?.(noopLogger);
    const waits: number[] = [];
    world.settle = () => new Promise((resolve) => setTimeout(resolve, 3));
    return {
      waits,
      folds: () => world.booked.filter(({ kind }) => kind === "memory").length,
      play: async (exchange) => {
        world.expect(exchange);
        const turn = agent
          .generate(exchange.say, {
            memory: { thread: "t1", resource: "r1" },
            maxSteps: 500,
            modelSettings: { maxOutputTokens: world.maxTokens, maxRetries: 0 },
            providerOptions: {
              anthropic: {
                cacheControl: { type: "ephemeral" },
                ...(world.thinking ? { thinking: { type: "adaptive" } } : {}),
              },
            },
          })
          .then(({ error }) => {
            if (error !== undefined)
              throw error instanceof Error ? error : new Error(String(error));
          });
        waits.push(await whileWaiting(world, turn));
        if (world.unsaid() > 0)
          throw new Error(
            `the turn ended before its last call: ${world.server.refusals.at(-1)?.message ?? "no reason was given"}`,
          );
      },
      close: () => Promise.resolve(),
    };
  },
});
