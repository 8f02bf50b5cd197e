// Tidemark as its users have it: begin and end around a call of their own, or the middleware in Anthropic's client.
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { anthropicMiddleware } from "../../src/adapters/anthropic.ts";
import { MARK } from "../../src/memory/extracting/instruction.ts";
import type { Options, Tidemark, TidemarkEvent } from "../../src/index.ts";
import type { Complete, Message } from "../../src/core/request.ts";
import { openTimed } from "../../test/support/timed.ts";
import { timerBeside } from "./peers-clock.ts";
import { type Contestant, type Running, timed } from "./peers-contestant.ts";
import { bodyOf, clientOf, loop } from "./peers-plain.ts";
import { MODEL, type World } from "./peers-world.ts";

export interface Ours extends Running {
  readonly events: readonly TidemarkEvent[];
}

/** Until nothing of its own runs, or what runs waits for the clock. */
export const settling = (world: World, tidemark: Tidemark) => async (): Promise<void> => {
  let idle = false;
  void tidemark.idle().then(() => (idle = true));
  let still = 0;
  while (!idle && still < 3) {
    await new Promise((resolve) => setImmediate(resolve));
    still = world.clock.sleeping() > 0 ? still + 1 : 0;
  }
};

async function opened(world: World, options: Options) {
  const home = mkdtempSync(join(tmpdir(), "tidemark-peers-"));
  const events: TidemarkEvent[] = [];
  const tidemark = await openTimed({
    workspace: join(home, "workspace"),
    window: { tokens: world.window },
    now: world.clock.now,
    timer: timerBeside(world.clock),
    listen: (event) => events.push(event),
    ...options,
  });
  world.settle = settling(world, tidemark);
  const running = {
    events,
    folds: () => events.filter(({ type }) => type === "folded").length,
    recall: async (question: string) =>
      (await tidemark.memory.search(question)).map(({ text }) => text),
    close: async () => {
      await tidemark.close();
      rmSync(home, { recursive: true, force: true });
    },
  };
  return { tidemark, running };
}

/** The host's own way to its model. */
const through = (world: World): Complete => {
  const client = clientOf(world);
  return async ({ system, messages, tools, maxTokens, signal }) => {
    const thinking = world.thinking ? { thinking: { type: "adaptive" as const } } : {};
    const reply = await client.messages.create(
      {
        model: MODEL,
        max_tokens: maxTokens,
        system,
        messages,
        ...(tools === undefined ? {} : { tools }),
        ...thinking,
      } as never,
      { signal },
    );
    const { content, usage, stop_reason } = reply as unknown as {
      content: { type: string; text?: string }[];
      usage: Record<string, number | null>;
      stop_reason: string;
    };
    return {
      text: content.flatMap(({ text }) => (text === undefined ? [] : [text])).join(""),
      usage: {
        input: usage.input_tokens ?? 0,
        cacheWrite: usage.cache_creation_input_tokens ?? 0,
        cacheRead: usage.cache_read_input_tokens ?? 0,
        output: usage.output_tokens ?? 0,
      },
      stop: stop_reason,
    };
  };
};

export const beginEnd: Contestant = {
  name: "Tidemark (begin and end)",
  how: "the defaults, with its workspace on disk; the distiller is asked through a function of the host's",
  inline: false,
  open: async (world): Promise<Ours> => {
    const { tidemark, running } = await opened(world, { distil: through(world) });
    const client = clientOf(world);
    const messages: Message[] = [];
    const waits: number[] = [];
    return {
      ...running,
      waits,
      play: (exchange) =>
        loop(world, exchange, messages, async (all) => {
          const begun: number[] = [];
          const turn = await timed(world, begun, () => tidemark.begin(bodyOf(world, all) as never));
          const reply = await client.messages.create(turn.request as never);
          await timed(world, begun, () => turn.end(reply));
          waits.push((begun[0] ?? 0) + (begun[1] ?? 0));
          return reply as never;
        }),
    };
  },
};

export const middleware: Contestant = {
  name: "Tidemark (middleware)",
  how: "the defaults, with its workspace on disk; the distiller is the wrapped client with the conversation's own model",
  inline: false,
  open: async (world): Promise<Ours> => {
    const { tidemark, running } = await opened(world, {});
    const waits: number[] = [];
    const inside: number[] = [];
    const inner = anthropicMiddleware(tidemark);
    // What the call takes beneath the middleware is the provider's time.
    const client = clientOf(world, {
      middleware: [
        async (request, next, context) => {
          const begun = performance.now();
          inside.length = 0;
          const response = await inner(
            request as never,
            (async (sent: never) => {
              const at = performance.now();
              const answer = await next(sent);
              // A call of memory's own, behind the conversation, may end in between.
              if (!String((sent as { body?: unknown }).body).includes(MARK))
                inside.push(performance.now() - at);
              return answer;
            }) as never,
            context as never,
          );
          waits.push(performance.now() - begun - inside.reduce((all, one) => all + one, 0));
          return response;
        },
      ],
    });
    const messages: Message[] = [];
    return {
      ...running,
      waits,
      play: (exchange) =>
        loop(
          world,
          exchange,
          messages,
          (all) => client.messages.create(bodyOf(world, all)) as never,
        ),
    };
  },
};
