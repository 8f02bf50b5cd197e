import { describe, expect, it } from "vitest";
import { MARK } from "../../src/memory/extracting/instruction.ts";
import type { Message } from "../../src/core/request.ts";
import {
  asked,
  blocked,
  MODEL,
  prose,
  setUp,
  spoken,
  typesOf,
  unmarked,
} from "../support/anthropic.ts";

interface Talk {
  readonly window: number;
  readonly thinking?: Record<string, unknown>;
  /** Words of a result; two in a step. */
  readonly result: number;
}

const TOOLS = ["look", "list"].map((name) => ({
  name,
  description: `Use it to ${name}.`,
  input_schema: { type: "object", properties: {} },
}));

/** Tool loops of four steps with every third question. */
async function talk({ window, thinking, result }: Talk) {
  let left = 0;
  const { server, tidemark, client, events } = await setUp({
    recall: false,
    window: { tokens: window },
    server: {
      window,
      reply: (request, { index }) => [
        ...(request.thinking === undefined
          ? []
          : [{ type: "thinking", thinking: `Thought ${index}. ${prose(20, index)}` }]),
        { type: "text", text: `Step ${index}. ${prose(30, index)}` },
        ...(left > 0
          ? TOOLS.map(({ name }) => ({ type: "tool_use", name, input: { at: index } }))
          : []),
      ],
    },
  });
  const messages: Message[] = [];
  for (let at = 0; at < Math.min(50, window / 500); at++) {
    messages.push({ role: "user", content: `Question ${at}. ${prose(150, at)}` });
    for (left = at % 3 === 1 ? 4 : 0; ; left--) {
      const reply = await client.messages.create({
        model: MODEL,
        max_tokens: 2_000,
        tools: TOOLS,
        ...(thinking ? { thinking } : {}),
        messages: [...messages],
      } as never);
      const content = reply.content as { type: string; id: string }[];
      messages.push({ role: "assistant", content });
      await tidemark.idle();
      const calls = content.filter(({ type }) => type === "tool_use");
      if (calls.length === 0) break;
      messages.push({
        role: "user",
        content: calls.map(({ id }, index) => ({
          type: "tool_result",
          tool_use_id: id,
          content: prose(result, at * 10 + left + index),
        })),
      });
    }
  }
  return { server, events, distils: asked(server) };
}

const told = (messages: unknown): string =>
  JSON.stringify((unmarked(messages) as Message[]).map(blocked));

/** What stands before the instruction; a correction has another one further on. */
const baseOf = (messages: readonly Message[]): readonly Message[] =>
  messages.slice(
    0,
    messages.findIndex(({ content }) => JSON.stringify(content).includes(MARK)),
  );

const THINKING = {
  none: undefined,
  adaptive: { type: "adaptive" },
} as const;

describe("the distil requests of a small window", () => {
  for (const { window, kind, result } of [
    { window: 16_000, kind: "none", result: 320 },
    { window: 20_000, kind: "adaptive", result: 1_666 },
  ] as const)
    it(`of ${window} tokens read the cache, and fit, in loops of results of ${result} words, thinking: ${kind}`, async () => {
      const thinking = THINKING[kind];
      const { server, events, distils } = await talk({
        window,
        result,
        ...(thinking ? { thinking } : {}),
      });
      expect(server.refusals).toEqual([]);
      expect(typesOf(events).filter((type) => type === "folded").length).toBeGreaterThan(1);
      const read = distils.reduce((sum, { usage }) => sum + usage!.cacheRead, 0);
      const whole = distils.reduce(
        (sum, { usage }) => sum + usage!.cacheRead + usage!.input + usage!.cacheWrite,
        0,
      );
      expect(read / whole).toBeGreaterThan(0.85);
      // What is gone on with ended a request before: only that is found in the cache.
      const ends = new Set(spoken(server).map(({ body }) => told(body.messages)));
      const bases = distils
        .map(({ body }) => baseOf(body.messages as Message[]))
        .filter(({ length }) => length > 0);
      expect(bases.length).toBeGreaterThan(2);
      for (const base of bases) expect(ends).toContain(told(base));
    });
});
