// What people do without a library: send everything, send the last twenty messages, or have the server sum up.
import Anthropic from "@anthropic-ai/sdk";
import type { Message } from "../../src/core/request.ts";
import { COMPACT_BETA, type Json } from "../../test/support/messages-server/index.ts";
import { type Contestant, type Running, timed } from "./peers-contestant.ts";
import type { Exchange } from "./peers-talk.ts";
import { MODEL, SYSTEM, TOOL_MS, type World } from "./peers-world.ts";

export const clientOf = (
  world: World,
  options: ConstructorParameters<typeof Anthropic>[0] = {},
): Anthropic =>
  new Anthropic({
    baseURL: world.server.url,
    apiKey: "local",
    maxRetries: 0,
    logLevel: "off",
    ...options,
  });
export const bodyOf = (
  world: World,
  messages: readonly unknown[],
): Anthropic.MessageCreateParamsNonStreaming =>
  ({
    model: MODEL,
    max_tokens: world.maxTokens,
    system: SYSTEM,
    tools: world.tools,
    ...(world.thinking ? { thinking: { type: "adaptive" } } : {}),
    messages,
  }) as never;

/** The loop everyone writes: say, call, run the tools, call again. */
export async function loop(
  world: World,
  exchange: Exchange,
  messages: Message[],
  call: (messages: Message[]) => Promise<{ content: unknown }>,
): Promise<void> {
  world.expect(exchange);
  messages.push({ role: "user", content: exchange.say });
  for (const { results } of exchange.steps) {
    const reply = await call(messages);
    messages.push({ role: "assistant", content: reply.content });
    if (results.length === 0) break;
    messages.push({ role: "user", content: results });
    await world.clock.pass(TOOL_MS, world.settle);
  }
}

type Send = (
  body: ReturnType<typeof bodyOf>,
  options?: { headers: Record<string, string> },
) => Promise<{
  content: unknown;
  usage: {
    input_tokens: number;
    cache_creation_input_tokens: number | null;
    cache_read_input_tokens: number | null;
  };
}>;

const plain = (
  name: string,
  how: string,
  of: (world: World, send: Send) => Omit<Running, "close">,
  inline = false,
): Contestant => ({
  name,
  how,
  inline,
  open: (world) => {
    const client = clientOf(world);
    return Promise.resolve({
      ...of(world, (body, options) => client.messages.create(body, options)),
      close: () => Promise.resolve(),
    });
  },
});

const MARKED = { cache_control: { type: "ephemeral" as const } };

export const fullHistory: Contestant = plain(
  "full history",
  "all messages, with the automatic cache mark on the last block",
  (world, send) => {
    const messages: Message[] = [];
    const waits: number[] = [];
    return {
      waits,
      folds: () => 0,
      play: (exchange) =>
        loop(
          world,
          exchange,
          messages,
          async (all) => (
            await timed(world, waits, () => undefined),
            send({ ...bodyOf(world, all), ...MARKED })
          ),
        ),
    };
  },
);

const KEPT = 20;

/** The last twenty messages, begun at words of the user's: at a result there is no call before it. */
function tail(messages: readonly Message[]): readonly Message[] {
  const from = Math.max(0, messages.length - KEPT);
  const at = messages.findIndex(
    ({ role, content }, index) => index >= from && role === "user" && typeof content === "string",
  );
  return messages.slice(
    at < 0
      ? messages.findLastIndex(
          ({ role, content }) => role === "user" && typeof content === "string",
        )
      : at,
  );
}

export const slidingWindow: Contestant = plain(
  "sliding window of 20",
  "the last 20 messages, cut at the user's words; system and tools marked for the cache, since the rest changes with every turn",
  (world, send) => {
    const messages: Message[] = [];
    const waits: number[] = [];
    const system = [{ type: "text" as const, text: SYSTEM, ...MARKED }];
    return {
      waits,
      folds: () => 0,
      play: (exchange) =>
        loop(world, exchange, messages, async (all) => {
          const kept = await timed(world, waits, () => tail(all));
          return send({ ...bodyOf(world, kept), system });
        }),
    };
  },
);

/** The same mark as Tidemark's. */
const COMPACT_AT = 0.7;

export const serverCompaction: Contestant = plain(
  "server-side compaction (simulated)",
  `on-demand compaction as the bench's own server plays it, asked for between turns from ${COMPACT_AT * 100} % on; the summary is the same script's; no claim is made from it`,
  (world, send) => {
    let messages: Message[] = [];
    const waits: number[] = [];
    let folds = 0;
    let used = 0;
    const headers = { "anthropic-beta": COMPACT_BETA };
    return {
      waits,
      folds: () => folds,
      play: async (exchange) => {
        let before = 0;
        if (used >= COMPACT_AT * (world.window - world.maxTokens)) {
          const found: number[] = [];
          await timed(world, found, async () => {
            const body = { ...bodyOf(world, messages), compaction: { type: "summarize" } };
            await world.prepareCompaction(body as unknown as Json);
            messages = [
              { role: "assistant", content: (await send(body as never, { headers })).content },
            ];
            folds++;
          });
          before = found[0] ?? 0;
        }
        await loop(world, exchange, messages, async (all) => {
          waits.push(before);
          before = 0;
          const reply = await send({ ...bodyOf(world, all), ...MARKED }, { headers });
          used =
            reply.usage.input_tokens +
            (reply.usage.cache_creation_input_tokens ?? 0) +
            (reply.usage.cache_read_input_tokens ?? 0);
          return reply;
        });
      },
    };
  },
  true,
);
