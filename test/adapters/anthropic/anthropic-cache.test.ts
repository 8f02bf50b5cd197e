import Anthropic, { type Middleware } from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { anthropicMiddleware } from "../../../src/adapters/anthropic.ts";
import {
  blocked,
  clientOf,
  freshFolder,
  freshServer,
  freshTidemark,
  loopOf,
  MODEL,
  prose,
  setUp,
  spoken,
  systemText,
  typesOf,
  words,
} from "../../support/anthropic.ts";
import type { Received } from "../../support/messages-server/index.ts";
import { readTokens } from "../../../src/core/request.ts";

type Params = Partial<Anthropic.MessageCreateParamsNonStreaming>;
type Marked = { cache_control?: Anthropic.CacheControlEphemeral };

const mark = { cache_control: { type: "ephemeral" as const } };
const rules = prose(1_500, 3);

const breakpoints = ({ body }: Received): number =>
  JSON.stringify(body).split('"cache_control"').length - 1;

/** What each request read from the cache, as a share of what the one before it held. */
function shares(requests: readonly Received[]): number[] {
  return requests.slice(1).map(({ usage }, index) => usage!.cacheRead / requests[index]!.tokens);
}

describe("the provider's cache", () => {
  const callers: [string, Params, (text: string) => Anthropic.MessageParam["content"]][] = [
    ["nothing marked", { system: rules }, (text) => text],
    [
      "every new message marked",
      { system: [{ type: "text", text: rules, ...mark }] },
      (text) => [{ type: "text", text, ...mark }],
    ],
  ];
  for (const [name, base, content] of callers)
    it(`is read as far as the last request wrote it, and no request has five breakpoints, with ${name}`, async () => {
      const { client, server, tidemark, events } = await setUp();
      await tidemark.memory.save("The harbour master is called Zephyrine.");
      const messages: Anthropic.MessageParam[] = [];
      for (let turn = 0; turn < 12; turn++) {
        // A caller that marks its newest message takes the mark off again, as the provider's examples do.
        messages.forEach(
          (message) =>
            Array.isArray(message.content) &&
            message.content.forEach((block) => delete (block as Marked).cache_control),
        );
        messages.push({ role: "user", content: content(`Turn ${turn}: ${prose(60, turn)}`) });
        const reply = await client.messages.create({
          model: MODEL,
          max_tokens: 500,
          ...base,
          messages,
        });
        messages.push({ role: "assistant", content: reply.content });
      }
      expect(server.refusals).toEqual([]);
      expect(spoken(server)).toHaveLength(12);
      for (const request of spoken(server)) expect(breakpoints(request)).toBeLessThanOrEqual(4);
      expect(typesOf(events)).not.toContain("folded");
      for (const share of shares(spoken(server))) expect(share).toBeGreaterThan(0.85);
    });

  it("is read in the same way when the process was started anew in between", async () => {
    const server = await freshServer();
    const workspace = freshFolder();
    const messages: Anthropic.MessageParam[] = [];
    for (let run = 0; run < 3; run++) {
      const { tidemark } = await freshTidemark({ workspace });
      const loop = loopOf(clientOf(server, tidemark), { system: rules }, messages);
      for (let turn = 0; turn < 4; turn++)
        await loop.say(`Turn ${run}.${turn}: ${prose(60, turn)}`);
      // What was learnt in between waits for the next epoch.
      await tidemark.memory.save(`Berth ${run} belongs to boat ${run}.`);
      await tidemark.close();
    }
    for (const share of shares(spoken(server))) expect(share).toBeGreaterThan(0.85);
    expect(new Set(server.requests.map(({ body }) => systemText(body))).size).toBe(1);
  });

  it("is left to the caller with cache: false", async () => {
    const { client, server } = await setUp({ cache: false });
    const loop = loopOf(client, { system: rules });
    for (let turn = 0; turn < 4; turn++) await loop.say(`Turn ${turn}: ${prose(60, turn)}`);
    expect(spoken(server).map(breakpoints)).toEqual([0, 0, 0, 0]);
    expect(server.usage.cacheWrite).toBe(0);
  });

  it("sees a system text that changes with a fold only", async () => {
    const { client, server, tidemark, events } = await setUp({
      window: { tokens: 5_000 },
      distil: "extractive",
    });
    await tidemark.memory.save("The harbour master is called Zephyrine.");
    const loop = loopOf(client, { system: "Be kind." });
    const epochs: string[][] = [[]];
    let folds = 0;
    for (let turn = 0; turn < 30; turn++) {
      await tidemark.memory.save(
        `Berth ${turn} belongs to boat ${turn}, ${words(3, `b${turn}x`)}.`,
      );
      await loop.say(`Turn ${turn}: ${prose(130, turn)}`);
      const now = typesOf(events).filter((type) => type === "folded").length;
      if (now > folds) epochs.push([]);
      folds = now;
      epochs.at(-1)!.push(systemText(spoken(server).at(-1)!.body));
    }
    expect(epochs.length).toBeGreaterThan(2);
    for (const texts of epochs) expect(new Set(texts).size).toBe(1);
    expect(new Set(epochs.map(([text]) => text)).size).toBe(epochs.length);
    // Inside an epoch each request goes on where the last one stopped.
    const bodies = spoken(server).map(({ body }) =>
      (body.messages as Record<string, unknown>[]).map((message) =>
        JSON.stringify(blocked(message)),
      ),
    );
    const breaks = bodies
      .slice(1)
      .filter((messages, index) =>
        bodies[index]!.some((message, at) => messages[at] !== message),
      ).length;
    expect(breaks).toBe(folds);
  });
});

/** A reply nine tenths of whose prompt came from the cache, as its usage says. */
const cached: Middleware = async (request, next) => {
  const body = (await (await next(request)).json()) as { usage?: Anthropic.Usage };
  if (!body.usage) return Response.json(body);
  const { input_tokens: input, cache_read_input_tokens, cache_creation_input_tokens } = body.usage;
  const all = input + Number(cache_read_input_tokens) + Number(cache_creation_input_tokens);
  const read = Math.floor(all * 0.9);
  const told = { input_tokens: 3, cache_read_input_tokens: read };
  const usage = { ...body.usage, ...told, cache_creation_input_tokens: all - read - 3 };
  return Response.json({ ...body, usage });
};

it("the provider's count has each cached token once", async () => {
  const server = await freshServer();
  const { tidemark } = await freshTidemark();
  const middleware = [anthropicMiddleware(tidemark), cached];
  const loop = loopOf(new Anthropic({ baseURL: server.url, apiKey: "test", middleware }));
  for (let turn = 0; turn < 6; turn++) await loop.say(`Turn ${turn}: ${prose(400, turn)}`);
  const next = await tidemark.begin({
    ...{ model: MODEL, max_tokens: 500 },
    messages: [...(loop.messages as never[]), { role: "user", content: "And now?" }],
  });
  const last = server.requests.at(-1)!;
  const share = next.window.used / (last.tokens + (last.usage?.output ?? 0));
  expect(Math.abs(share - 1)).toBeLessThan(0.1);
  const read = server.requests.reduce((sum, { tokens }) => sum + tokens, 0);
  expect(readTokens((await tidemark.stats()).calls.turn)).toBe(read);
});

describe("the window", () => {
  const request = {
    model: "harbour-large-1",
    max_tokens: 500,
    messages: [{ role: "user" as const, content: "Hello." }],
  };

  it("is asked of the provider for a model no table knows, and counts from the second call on; nobody waits for it", async () => {
    const server = await freshServer({
      models: { "harbour-large-1": { max_input_tokens: 6_000 } },
    });
    const { tidemark, events } = await freshTidemark({ distil: "extractive" });
    const loop = loopOf(clientOf(server, tidemark), { model: request.model });
    for (let turn = 0; turn < 40; turn++) await loop.say(`Turn ${turn}: ${prose(80, turn)}`);
    expect(server.refusals).toEqual([]);
    expect(typesOf(events)).toContain("folded");
    expect(typesOf(events)).not.toContain("window-guessed");
  });

  it("is asked for once a model, however many calls, users and middlewares there are", async () => {
    const server = await freshServer({
      models: { "harbour-large-1": { max_input_tokens: 6_000 } },
    });
    const { tidemark } = await freshTidemark();
    const urls: string[] = [];
    const call = (user: string) =>
      clientOf(server, tidemark.as({ user }), {
        fetch: (url, init) => (
          urls.push(`${init?.method ?? "GET"} ${new URL(String(url)).pathname}`),
          fetch(url, init)
        ),
      }).messages.create(request);
    await Promise.all(["ada", "bob", "bob"].map(call));
    await call("ada");
    expect(urls.filter((url) => url === "GET /v1/models/harbour-large-1")).toHaveLength(1);
    expect(urls.filter((url) => url === "POST /v1/messages")).toHaveLength(4);
  });

  it.each<[string, () => Promise<Response>]>([
    ["is away", () => Promise.reject(new Error("no such thing"))],
    ["says junk", async () => Response.json({ max_input_tokens: "400000" })],
  ])("is guessed with an event, once, where the provider %s", async (_, answer) => {
    const { client, events } = await setUp({
      client: { fetch: (url, init) => (init?.method === "GET" ? answer() : fetch(url, init)) },
      server: { models: { "harbour-large-1": {} } },
    });
    for (let call = 0; call < 3; call++) await client.messages.create(request);
    expect(events.filter(({ type }) => type === "window-guessed")).toEqual([
      { type: "window-guessed", model: "harbour-large-1", tokens: 200_000 },
    ]);
  });

  it.each<Parameters<typeof setUp>[0]>([
    { window: { tokens: 50_000 } },
    { advanced: { models: { "harbour-large-1": { window: 9_000 } } } },
  ])("is not asked for when the host has said it: %j", async (said) => {
    const urls: string[] = [];
    const { client } = await setUp({
      ...said,
      client: { fetch: (url, init) => (urls.push(String(init?.method)), fetch(url, init)) },
      server: { models: { "harbour-large-1": {} } },
    });
    await client.messages.create(request);
    expect(urls).toEqual(["POST"]);
  });
});
