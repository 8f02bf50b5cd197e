import { type Span, SpanStatusCode, trace } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import fc from "fast-check";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Complete, Message } from "../../src/core/request.ts";
import { openSpans } from "../../src/session/options/listeners.ts";
import { assistant, openRoom, tell, user } from "../support/talk.ts";
import { runs } from "../support/runs.ts";

const exporter = new InMemorySpanExporter();
beforeEach(() => {
  exporter.reset();
  trace.setGlobalTracerProvider(
    new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] }),
  );
});
afterEach(() => trace.disable());
const words = (count: number, name: string): string =>
  Array.from({ length: count }, (_, index) => `${name}${index}`).join(" ");
const named = (name: string): ReadableSpan[] =>
  exporter.getFinishedSpans().filter((span) => span.name === name);
const well: Complete = () =>
  Promise.resolve({
    text: JSON.stringify({
      facts: [{ content: "The keeper is Zephyrine.", category: "core", importance: 1, from: [1] }],
      summary: "They spoke of the lighthouse.",
    }),
    usage: { input: 7, cacheWrite: 20, cacheRead: 300, output: 40 },
  });

async function talkUntilFold(complete: Complete) {
  const window = { tokens: 8_000, reserve: 100, patience: 5_000 };
  const room = await openRoom({ window, distil: { complete, model: "claude-haiku-5" } });
  const messages: Message[] = [];
  for (let turns = 1; ; turns++) {
    messages.push(user(`Question ${turns} of the lighthouse: ${words(60, "q")}`));
    const answer = assistant(`Answer ${turns} of the lighthouse: ${words(60, "a")}`);
    const { folded } = await tell(room.tidemark, messages, answer);
    messages.push(answer);
    await room.tidemark.idle();
    if (folded) return { room, turns, folded };
  }
}

describe("spans", () => {
  it("show each turn, its fold and the calls behind it", async () => {
    const { room, turns, folded } = await talkUntilFold(well);
    const [conversation] = await room.tidemark.history.list();
    const begins = named("tidemark.begin");
    expect(begins).toHaveLength(turns);
    expect(begins.at(-1)!.attributes).toMatchObject({
      "gen_ai.request.model": "m",
      "tidemark.window.limit": 7_900,
      "tidemark.fold.id": folded.id,
    });
    expect(named("tidemark.fold").at(-1)!.attributes).toEqual({
      "gen_ai.conversation.id": conversation!.id,
      "tidemark.fold.id": folded.id,
    });
    const calls = named("chat claude-haiku-5");
    const { distil } = (await room.tidemark.stats()).calls;
    expect(calls).toHaveLength(distil.calls);
    for (const { attributes } of calls)
      expect(attributes).toEqual({
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.request.model": "claude-haiku-5",
        "gen_ai.conversation.id": conversation!.id,
        "gen_ai.usage.input_tokens": 327,
        "gen_ai.usage.output_tokens": 40,
        "gen_ai.usage.cache_read.input_tokens": 300,
        "tidemark.purpose": "distil",
      });
    expect(named("upsert_memory").length).toBeGreaterThan(0);
  });

  it("show what is saved, found, changed, forgotten and embedded, and what failed", async () => {
    const embed = {
      model: "tiny",
      embed: (texts: readonly string[]) => Promise.resolve(texts.map((text) => [text.length, 1])),
    };
    const { tidemark } = await openRoom({ embed });
    const { id } = await tidemark.memory.save("The lighthouse keeper is Zephyrine.");
    await tidemark.memory.recall("Who keeps the lighthouse?");
    await tidemark.memory.update(id, { content: "The lighthouse keeper is Ottoline." });
    expect(await tidemark.memory.forget(id)).toBe(1);
    await tidemark.idle();
    expect(named("search_memory")[0]!.attributes["gen_ai.memory.record.count"]).toBe(1);
    expect(named("delete_memory")[0]!.attributes["gen_ai.memory.record.count"]).toBe(1);
    expect(named("embeddings")[0]!.attributes["gen_ai.request.model"]).toBe("tiny");
    const missing = tidemark.memory.update("nothing", { content: "x" });
    await expect(missing).rejects.toMatchObject({ code: "not-found" });
    expect(named("update_memory").map(({ status }) => status)).toEqual([
      { code: SpanStatusCode.UNSET },
      { code: SpanStatusCode.ERROR, message: "not-found" },
    ]);
  });

  it("hold no word of a conversation, a memory, a question or an error", async () => {
    const { room } = await talkUntilFold(well);
    await room.tidemark.memory.recall("Who keeps the lighthouse?");
    await talkUntilFold(() => Promise.reject(new Error("the lighthouse is dark")));
    const spans = exporter.getFinishedSpans();
    expect(spans.length).toBeGreaterThan(20);
    for (const { name, attributes, events, status } of spans)
      expect(JSON.stringify({ name, attributes, events, status })).not.toMatch(
        /lighthouse|Zephyrine|q0|They spoke/,
      );
  });

  it("are nothing at all where the API is not installed", async () => {
    const load = () => Promise.reject(new Error("not installed"));
    const spans = await openSpans(load);
    const answer = {};
    const told = spans.run("x", {}, (say) => (say({ x: 1 }), Promise.resolve(answer)));
    expect(await told).toBe(answer);
    expect(exporter.getFinishedSpans()).toEqual([]);
  });
});

const fail = (): never => {
  throw new Error("broken tracer");
};
const CALLS = ["setAttributes", "setStatus", "end"] as const;

function playTracer(fails: readonly string[]): void {
  trace.disable();
  const span = Object.fromEntries(
    CALLS.map((name) => [name, fails.includes(name) ? fail : () => undefined]),
  ) as unknown as Span;
  const startSpan = fails.includes("startSpan") ? fail : () => span;
  const getTracer = fails.includes("getTracer") ? fail : () => ({ startSpan });
  trace.setGlobalTracerProvider({ getTracer } as never);
}

describe("a tracer that fails", () => {
  it("disturbs nothing: the work is done once", async () => {
    await fc.assert(
      fc.asyncProperty(
        fc.subarray([...CALLS, "getTracer", "startSpan"]),
        fc.boolean(),
        async (fails, rejects) => {
          playTracer(fails);
          const spans = await openSpans();
          let done = 0;
          const work = async (say: (about: { x: number }) => void): Promise<number> => {
            done += 1;
            await Promise.resolve();
            say({ x: 1 });
            if (rejects) throw new RangeError("the work's own");
            return done;
          };
          for (const times of [1, 2, 3]) {
            const told = spans.run("x", {}, work);
            if (rejects) await expect(told).rejects.toThrow("the work's own");
            else expect(await told).toBe(times);
            expect(done).toBe(times);
          }
        },
      ),
      { numRuns: runs(100) },
    );
  });
});
