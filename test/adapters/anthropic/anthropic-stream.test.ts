import Anthropic from "@anthropic-ai/sdk";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { createReplyReader } from "../../../src/adapters/anthropic/messages-api.ts";
import { eventsOf } from "../../support/messages-server/sse.ts";
import { runs } from "../../support/runs.ts";

type Block = { type: string; [name: string]: unknown };

const text = fc.string({
  unit: fc.constantFrom("a", " ", "\n", "é", "潮", "🌊", '"', "\\", "data: ", "\r\n\r\n"),
  minLength: 1,
  maxLength: 40,
});
const json = fc.dictionary(
  fc.constantFrom("place", "at", "why"),
  fc.oneof(text, fc.integer(), fc.array(text, { maxLength: 2 }), fc.constant(null)),
  { maxKeys: 3 },
);
const block: fc.Arbitrary<Block> = fc.oneof(
  fc.record({ type: fc.constant("text"), text, citations: fc.constant(null) }),
  fc.record({ type: fc.constant("thinking"), thinking: text, signature: fc.constant("c2lnbmVk") }),
  fc.record({ type: fc.constant("redacted_thinking"), data: fc.constant("aGlkZGVu") }),
  fc.record({
    type: fc.constant("tool_use"),
    id: fc.constant("toolu_1"),
    name: fc.constant("look"),
    input: json,
    caller: fc.constant({ type: "direct" }),
  }),
  fc.record({ type: fc.constant("tomorrow"), anything: text }),
);
const message = (content: readonly Block[]) => ({
  id: "msg_1",
  type: "message",
  role: "assistant",
  model: "claude-sonnet-5-5",
  content,
  stop_reason: "end_turn",
  stop_sequence: null,
  container: null,
  stop_details: null,
  diagnostics: null,
  usage: {
    input_tokens: 12,
    cache_creation_input_tokens: null,
    cache_read_input_tokens: 3,
    output_tokens: 34,
  },
});

const wire = (events: readonly { type?: unknown }[], end: string): string =>
  events
    .map((event) => `event: ${String(event.type)}${end}data: ${JSON.stringify(event)}${end}${end}`)
    .join("");

/** The bytes in pieces cut at these places, in the middle of a character too. */
function pieces(bytes: Uint8Array, cuts: readonly number[]): Uint8Array[] {
  const places = [
    0,
    ...[...new Set(cuts.map((cut) => cut % (bytes.length + 1)))].sort((a, b) => a - b),
    bytes.length,
  ];
  return places.slice(1).map((place, index) => bytes.subarray(places[index], place));
}

const events = (content: readonly Block[]) => [...eventsOf(message(content))];

describe("a streamed reply", () => {
  it("is put together as the SDK does it, wherever its bytes are cut", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.array(block, { minLength: 1, maxLength: 5 }),
        fc.array(fc.nat(), { maxLength: 12 }),
        fc.constantFrom("\n", "\r\n"),
        async (content, cuts, end) => {
          const bytes = new TextEncoder().encode(wire(events(content), end));
          const reader = createReplyReader();
          for (const piece of pieces(bytes, cuts)) reader.push(piece);
          const client = new Anthropic({
            apiKey: "x",
            logLevel: "off",
            fetch: () =>
              Promise.resolve(
                new Response(bytes, { headers: { "content-type": "text/event-stream" } }),
              ),
          });
          const sdk = await client.messages
            .stream({
              model: "claude-sonnet-5-5",
              max_tokens: 100,
              messages: [{ role: "user", content: "x" }],
            })
            .finalMessage();
          expect(reader.complete()).toBe(true);
          expect(reader.message()!.content).toEqual(sdk.content.map(({ ...given }) => given));
          expect(reader.message()!.content).toEqual(content);
          expect(reader.message()!.usage).toMatchObject({
            input_tokens: 12,
            cache_read_input_tokens: 3,
            output_tokens: 34,
          });
        },
      ),
      { numRuns: runs(50) },
    );
  });

  it("that is cut anywhere holds the beginning of the whole, and nothing a provider would refuse", () => {
    fc.assert(
      fc.property(fc.array(block, { minLength: 1, maxLength: 5 }), fc.nat(), (content, cut) => {
        const bytes = new TextEncoder().encode(wire(events(content), "\n"));
        const reader = createReplyReader();
        reader.push(bytes.subarray(0, cut % bytes.length));
        expect(reader.complete()).toBe(false);
        const kept = (reader.message()?.content ?? []) as Block[];
        expect(kept.length).toBeLessThanOrEqual(content.length);
        // Blocks left out are calls and thoughts cut in the middle: only the last one can be that.
        kept.forEach((one, index) => {
          const whole = content[index]!;
          expect(one.type).toBe(whole.type);
          if (one.type === "text") {
            expect(String(whole.text).startsWith(String(one.text))).toBe(true);
            expect(one.text).not.toBe("");
          } else expect(one).toEqual(whole);
        });
      }),
      { numRuns: runs(100) },
    );
  });
});
