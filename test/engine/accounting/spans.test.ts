import { createRequire } from "node:module";
import { join } from "node:path";
import { SpanKind, SpanStatusCode, trace } from "@opentelemetry/api";
import {
  BasicTracerProvider,
  InMemorySpanExporter,
  type ReadableSpan,
  SimpleSpanProcessor,
} from "@opentelemetry/sdk-trace-base";
import { afterAll, afterEach, beforeEach, describe, expect, it } from "vitest";
import type { Complete } from "../../../src/model/ports.ts";
import type { Message } from "../../../src/model/request.ts";
import { openSpans } from "../../../src/engine/runtime/tracing.ts";
import { asked, loopOf, MODEL, prose, setUp } from "../../support/anthropic.ts";
import { distilAsk } from "../../support/messages-server/index.ts";
import { assistant, leaveRooms, openRoom, tell, user } from "../../support/talk.ts";

const exporter = new InMemorySpanExporter();
const provider = new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(exporter)] });
trace.setGlobalTracerProvider(provider);
afterAll(() => trace.disable());
beforeEach(() => exporter.reset());
afterEach(leaveRooms);

const words = (count: number, name: string): string =>
  Array.from({ length: count }, (_, index) => `${name}${index}`).join(" ");
const window = { tokens: 8_000, reserve: 100, patience: 5_000 };
const named = (name: string): ReadableSpan[] =>
  exporter.getFinishedSpans().filter((span) => span.name === name);
const well: Complete = () =>
  Promise.resolve({
    text: JSON.stringify({
      facts: [
        {
          content: "The lighthouse keeper is Zephyrine.",
          category: "core",
          importance: 0.8,
          from: [1],
        },
      ],
      summary: "They spoke of the lighthouse.",
    }),
    usage: { input: 7, cacheWrite: 20, cacheRead: 300, output: 40 },
    stop: "end_turn",
  });

/** As two packages bring along, each its own. */
function otherCopy(): typeof trace {
  const load = createRequire(import.meta.url);
  for (const path of Object.keys(load.cache))
    if (path.includes(join("@opentelemetry", "api"))) Reflect.deleteProperty(load.cache, path);
  return (load("@opentelemetry/api") as { trace: typeof trace }).trace;
}

async function talkUntilFold(
  distil: Parameters<typeof openRoom>[0] extends undefined
    ? never
    : NonNullable<Parameters<typeof openRoom>[0]>["distil"],
) {
  const room = await openRoom({ window, ...(distil === undefined ? {} : { distil }) });
  const messages: Message[] = [];
  for (let turn = 0; turn < 60; turn++) {
    messages.push(user(`Question ${turn} of the lighthouse: ${words(60, "q")}`));
    const begun = await tell(
      room.tidemark,
      messages,
      assistant(`Answer ${turn} of the lighthouse: ${words(60, "a")}`),
    );
    messages.push(assistant(`Answer ${turn} of the lighthouse: ${words(60, "a")}`));
    await room.tidemark.idle();
    if (begun.folded) return { room, begun, turns: turn + 1, folded: begun.folded };
  }
  throw new Error("nothing was folded");
}

describe("spans", () => {
  it("show each turn, its fold and the calls behind it, by the conventions", async () => {
    const { room, turns, folded } = await talkUntilFold({
      complete: well,
      model: "claude-haiku-5",
    });
    const [conversation] = await room.tidemark.history.list();
    const begins = named("tidemark.begin");
    expect(begins).toHaveLength(turns);
    expect(begins.at(-1)!.attributes).toMatchObject({
      "gen_ai.request.model": "m",
      "tidemark.window.limit": 7_900,
      "tidemark.window.mark": expect.any(String) as string,
      "tidemark.fold.id": folded.id,
    });
    expect(begins[0]!.attributes).not.toHaveProperty("tidemark.fold.id");
    const folds = named("tidemark.fold").filter(
      ({ attributes }) => attributes["tidemark.fold.id"] !== undefined,
    );
    expect(folds.map(({ attributes }) => attributes)).toEqual([
      {
        "gen_ai.conversation.id": conversation!.id,
        "tidemark.fold.id": folded.id,
        "tidemark.fold.messages": folded.messages,
        "tidemark.fold.before": folded.before,
        "tidemark.fold.after": folded.after,
      },
    ]);
    const calls = named("chat claude-haiku-5");
    expect(calls).toHaveLength((await room.tidemark.stats()).ledger.total.memoryTotal.calls);
    for (const { kind, attributes, status } of calls) {
      expect(kind).toBe(SpanKind.CLIENT);
      expect(status.code).toBe(SpanStatusCode.UNSET);
      expect(attributes).toEqual({
        "gen_ai.operation.name": "chat",
        "gen_ai.provider.name": "anthropic",
        "gen_ai.request.model": "claude-haiku-5",
        "gen_ai.request.max_tokens": expect.any(Number) as number,
        "gen_ai.conversation.id": conversation!.id,
        "gen_ai.usage.input_tokens": 327,
        "gen_ai.usage.output_tokens": 40,
        "gen_ai.usage.cache_read.input_tokens": 300,
        "gen_ai.usage.cache_write.input_tokens": 20,
        "gen_ai.usage.cache_creation.input_tokens": 20,
        "gen_ai.response.finish_reasons": ["end_turn"],
        "tidemark.purpose": expect.stringMatching(/^(?:distil|correct)$/) as string,
      });
    }
    // The fold's facts were saved.
    expect(named("upsert_memory").length).toBeGreaterThan(0);
  });

  it("show what is saved and searched, by number", async () => {
    const { tidemark } = await openRoom();
    await tidemark.memory.save("The lighthouse keeper is Zephyrine.");
    const found = await tidemark.memory.recall("Who keeps the lighthouse?");
    await tidemark.memory.search("lighthouse");
    expect(named("upsert_memory").map(({ kind, attributes }) => ({ kind, attributes }))).toEqual([
      { kind: SpanKind.INTERNAL, attributes: { "gen_ai.operation.name": "upsert_memory" } },
    ]);
    expect(named("search_memory")[0]!.attributes).toEqual({
      "gen_ai.operation.name": "search_memory",
      "gen_ai.memory.record.count": found.length,
    });
    expect(named("search_memory")).toHaveLength(2);
  });

  it("show what is changed, forgotten and embedded", async () => {
    const embed = {
      model: "tiny",
      embed: (texts: readonly string[]) => Promise.resolve(texts.map((text) => [text.length, 1])),
    };
    const { tidemark } = await openRoom({ embed });
    await tidemark.idle();
    exporter.reset();
    const { id } = await tidemark.memory.save("The lighthouse keeper is Zephyrine.");
    await tidemark.idle();
    await tidemark.memory.update(id, { content: "The lighthouse keeper is Ottoline." });
    expect(await tidemark.memory.forget(id)).toBe(1);
    await tidemark.idle();
    expect(named("update_memory").map(({ attributes }) => attributes)).toEqual([
      { "gen_ai.operation.name": "update_memory" },
    ]);
    expect(named("delete_memory").map(({ attributes }) => attributes)).toEqual([
      { "gen_ai.operation.name": "delete_memory", "gen_ai.memory.record.count": 1 },
    ]);
    const embeddings = named("embeddings tiny");
    expect(embeddings.length).toBeGreaterThan(0);
    for (const { kind, attributes } of embeddings)
      expect([
        kind,
        attributes["gen_ai.operation.name"],
        attributes["gen_ai.request.model"],
      ]).toEqual([SpanKind.CLIENT, "embeddings", "tiny"]);
    await expect(tidemark.memory.update("nothing", { content: "x" })).rejects.toMatchObject({
      code: "not-found",
    });
    expect(named("update_memory").at(-1)!.attributes["error.type"]).toBe("not-found");
  });

  it("say what went wrong by its kind, and end", async () => {
    const { tidemark } = await openRoom({ window: { tokens: 2_000, reserve: 100 } });
    await expect(
      tidemark.begin({ model: "m", system: words(5_000, "s"), messages: [user("hi")] }),
    ).rejects.toMatchObject({ code: "window" });
    expect(
      named("tidemark.begin").map(({ attributes, status }) => [attributes["error.type"], status]),
    ).toEqual([["window", { code: SpanStatusCode.ERROR, message: "window" }]]);
    await expect(tidemark.memory.save("")).rejects.toMatchObject({ code: "config" });
    expect(named("upsert_memory")[0]!.attributes["error.type"]).toBe("config");
  });

  it("show a distiller's failure with the call that failed", async () => {
    await talkUntilFold(() => Promise.reject(new RangeError("the lighthouse is dark")));
    const failed = named("chat");
    expect(failed.length).toBeGreaterThan(0);
    for (const { attributes, status } of failed) {
      expect(attributes["error.type"]).toBe("RangeError");
      expect(status).toEqual({ code: SpanStatusCode.ERROR, message: "RangeError" });
    }
  });

  it("name a refusal by the provider's status, however it is wrapped", async () => {
    const { server, client, tidemark } = await setUp({
      window: { tokens: 8_000, patience: 5_000 },
      server: { fail: (body) => (distilAsk(body) === undefined ? undefined : "overloaded") },
    });
    const loop = loopOf(client);
    for (let turn = 0; turn < 40 && asked(server).length === 0; turn++) {
      await loop.say(`Of boat ${turn}. ${prose(300, turn)}`);
      await tidemark.idle();
    }
    const failed = named(`chat ${MODEL}`);
    expect(failed.length).toBeGreaterThan(0);
    for (const { attributes, status } of failed)
      expect([attributes["error.type"], status]).toEqual([
        "529",
        { code: SpanStatusCode.ERROR, message: "529" },
      ]);
    exporter.reset();
    await talkUntilFold(() =>
      Promise.reject(
        new Error("in vain", { cause: Object.assign(new Error("too many"), { statusCode: 429 }) }),
      ),
    );
    expect(new Set(named("chat").map(({ attributes }) => attributes["error.type"]))).toEqual(
      new Set(["429"]),
    );
  });

  it("hold no word of a conversation, a memory, a question or an error", async () => {
    const { room } = await talkUntilFold({ complete: well, model: "claude-haiku-5" });
    await room.tidemark.memory.recall("Who keeps the lighthouse?");
    await talkUntilFold(() => Promise.reject(new Error("the lighthouse is dark")));
    const spans = exporter.getFinishedSpans();
    expect(spans.length).toBeGreaterThan(20);
    for (const { name, attributes, events, status } of spans)
      expect(JSON.stringify({ name, attributes, events, status })).not.toMatch(
        /lighthouse|Zephyrine|q0|They spoke/,
      );
  });

  it("are begun by the caller's calls alone, though the distiller calls through the same wrapped client", async () => {
    const { server, tidemark, client } = await setUp({
      window: { tokens: 8_000, patience: 5_000 },
    });
    const loop = loopOf(client);
    for (let turn = 0; turn < 12; turn++)
      await loop.say(`Tell me of boat ${turn}. ${prose(450, turn)}`);
    await tidemark.idle();
    expect(named("tidemark.begin")).toHaveLength(12);
    expect(asked(server).length).toBeGreaterThan(0);
    const calls = named(`chat ${MODEL}`);
    expect(calls).toHaveLength(asked(server).length);
    expect(calls[0]!.attributes).toMatchObject({
      "gen_ai.request.model": MODEL,
      "gen_ai.usage.input_tokens": expect.any(Number) as number,
    });
    const { memory } = (await tidemark.stats()).ledger.total;
    expect(memory.distil.calls + memory.correct.calls).toBe(asked(server).length);
    expect(memory.distil).toMatchObject({ unpriced: 0, estimated: 0 });
  });

  it("go to whoever traces now: registered after the first of them, by another copy of the API, in place of another", async () => {
    const registered = (api: typeof trace): InMemorySpanExporter => {
      const heard = new InMemorySpanExporter();
      api.setGlobalTracerProvider(
        new BasicTracerProvider({ spanProcessors: [new SimpleSpanProcessor(heard)] }),
      );
      return heard;
    };
    const counts: number[] = [];
    const other = otherCopy();
    expect(other).not.toBe(trace);
    trace.disable();
    const spans = await openSpans();
    for (const api of [undefined, other, trace, trace]) {
      const heard = api && registered(api);
      expect(await spans.run({ name: "x", about: () => ({}) }, async () => 7)).toBe(7);
      counts.push(heard?.getFinishedSpans().length ?? 0);
      api?.disable();
    }
    expect(counts).toEqual([0, 1, 1, 1]);
    trace.setGlobalTracerProvider(provider);
  });

  it("tells of an API that is not whole, and traces nothing", async () => {
    const troubles: unknown[] = [];
    const broken = {} as Awaited<ReturnType<NonNullable<Parameters<typeof openSpans>[1]>>>;
    await openSpans(
      (thrown) => troubles.push(thrown),
      () => Promise.resolve(broken),
    );
    expect(troubles).toHaveLength(1);
  });

  it("are nothing at all where the API is not installed", async () => {
    const spans = await openSpans(undefined, () => Promise.reject(new Error("not installed")));
    let looked = 0;
    const about = () => ({ looked: (looked += 1) });
    const answer = {};
    expect(
      await spans.run({ name: "x", about }, (tell) => (tell(about), Promise.resolve(answer))),
    ).toBe(answer);
    await expect(
      spans.run({ name: "x", about }, () => Promise.reject(new Error("no"))),
    ).rejects.toThrow("no");
    expect(looked).toBe(0);
    expect(exporter.getFinishedSpans()).toEqual([]);
  });
});
