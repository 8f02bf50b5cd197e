import type Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import type { Timer } from "../../../src/session/options/background.ts";
import type { DistilMode } from "../../support/messages-server/index.ts";
import {
  asked,
  clientOf,
  freshFolder,
  freshServer,
  freshTidemark,
  loopOf,
  MODEL,
  prose,
  setUp,
  spoken,
  textOf,
  typesOf,
  UNBOUND,
  until,
  words,
} from "../../support/anthropic.ts";
import { distilBody } from "../../../src/adapters/anthropic/distil-calls.ts";

type Params = Partial<Anthropic.MessageCreateParamsNonStreaming>;
type Body = Record<string, unknown> & {
  messages: { role: string; content: unknown }[];
  max_tokens: number;
};

const tools: Anthropic.ToolUnion[] = [
  {
    name: "look",
    description: `Looks things up. ${words(20, "hint")}`,
    input_schema: { type: "object", properties: { place: { type: "string" } } },
  },
];
const AUTO = { type: "auto", disable_parallel_tool_use: true };
const bodyOf = (received: { body: unknown }): Body => received.body as Body;
/** Talks until the distiller was asked, or for so many turns. */
async function talk(
  set: Awaited<ReturnType<typeof setUp>>,
  base: Params = {},
  { turns = 60, size = 90 } = {},
) {
  const loop = loopOf(set.client, base);
  for (let turn = 0; turn < turns && asked(set.server).length === 0; turn++)
    await loop.say(`Turn ${turn}: ${prose(size, turn)}`);
  await set.tidemark.idle();
  const [first] = asked(set.server);
  if (!first) throw new Error("the distiller was never asked");
  return { loop, first, body: bodyOf(first) };
}

describe("of several customers in one process, each with a key of its own", () => {
  it("what is owed to one is never asked for under another's key", async () => {
    let later = 0;
    const server = await freshServer({ window: 8_000, distil: "fail" });
    const { tidemark, events } = await freshTidemark({
      recall: false,
      now: () => Date.now() + later,
      window: { patience: 0 },
    });
    const customers = ["anna", "boris"].map((user) => {
      const own = tidemark.as({ user });
      return {
        user,
        own,
        loop: loopOf(clientOf(server, own, { apiKey: `key-of-${user}` }), { max_tokens: 1_000 }),
      };
    });
    const turn = (at: number) =>
      Promise.all(
        customers.map(({ user, loop }) => loop.say(`Of ${user}, turn ${at}: ${prose(130, at)}`)),
      );
    const owed = async (): Promise<number[]> =>
      Promise.all(customers.map(async ({ own }) => (await own.stats()).queued));
    for (let at = 0; at < 60 && (await owed()).includes(0); at++) await turn(at);
    expect(await owed()).not.toContain(0);

    server.script({ distil: "well" });
    const before = asked(server).length;
    for (let at = 60; at < 120 && (await owed()).some((count) => count > 0); at++) {
      later += 48 * 3_600_000;
      await turn(at);
      await tidemark.idle();
    }
    expect(await owed()).toEqual([0, 0]);
    expect(typesOf(events)).not.toContain("degraded");
    const asks = asked(server)
      .slice(before)
      .map(({ headers, body }) => ({ key: headers.authorization, about: JSON.stringify(body) }));
    for (const { user } of customers) {
      const its = asks.filter(({ about }) => about.includes(`Of ${user}`));
      expect(its.length).toBeGreaterThan(0);
      expect(new Set(its.map(({ key }) => key))).toEqual(new Set([`Bearer key-of-${user}`]));
    }
  });
});

describe("in a window far below the usual", () => {
  it("a model named for it is asked in parts that fit its own, and writes a summary it has room for", async () => {
    const small = "claude-haiku-4-5";
    const { server, tidemark, client, events } = await setUp({
      server: { window: 30_000, models: { [small]: { max_input_tokens: 8_000 } } },
      advanced: { models: { [small]: { window: 8_000 } } },
      distil: { model: small },
    });
    const loop = loopOf(client, { max_tokens: 1_000 });
    for (let turn = 0; turn < 120 && !typesOf(events).includes("folded"); turn++)
      await loop.say(`Turn ${turn}: ${prose(300, turn)}`);
    await tidemark.idle();
    expect(asked(server).length).toBeGreaterThan(2);
    expect(asked(server).every(({ body }) => body.model === small)).toBe(true);
    expect(server.refusals).toEqual([]);
    expect(typesOf(events)).not.toContain("distil-failed");
    expect(events.find(({ type }) => type === "distilled")).toMatchObject({ by: "model" });
    expect(typesOf(events)).toContain("folded");
  });
});

describe("the request to distil", () => {
  it("is the last request and one user message, to the byte, and reads the provider's cache", async () => {
    const set = await setUp({ window: { tokens: 12_000 } });
    await set.tidemark.memory.save("The harbour master is called Zephyrine.");
    const { first, body } = await talk(
      set,
      { system: `Be kind. ${words(40, "rule")}`, tools },
      { turns: 80 },
    );
    const same = spoken(set.server)
      .map(bodyOf)
      .find(({ messages }) => messages.length === body.messages.length - 1);
    expect(JSON.stringify(body.messages.slice(0, -1))).toBe(JSON.stringify(same!.messages));
    expect(JSON.stringify([body.system, body.tools])).toBe(
      JSON.stringify([same!.system, same!.tools]),
    );
    expect(body.messages.at(-1)).toMatchObject({
      role: "user",
      content: expect.stringMatching(/^\[tidemark\] distil\n/) as string,
    });
    expect(first.tokens).toBeGreaterThan(4_000);
    expect(first.usage!.cacheRead / first.tokens).toBeGreaterThan(0.8);
    expect(body.model).toBe(MODEL);
  });

  it("drops what would end, shape or stream the answer, and keeps what the prefix was made with", async () => {
    const set = await setUp({
      window: { tokens: 8_000 },
      client: { defaultHeaders: { "anthropic-beta": "context-management-2025-06-27" } },
    });
    const create = (asked: Anthropic.MessageStreamParams) =>
      set.client.messages.stream(asked).finalMessage();
    const streamed = { ...set, client: { messages: { create } } as never };
    const { first } = await talk(streamed, {
      tools,
      stop_sequences: ["STOP", "facts"],
      temperature: 0.4,
      metadata: { user_id: "ada" },
      output_config: { effort: "low", format: { type: "json_schema", schema: { type: "object" } } },
      context_management: {
        edits: [{ type: "clear_tool_uses_20250919" }, { type: "compact_20260112" }],
      },
    } as Params);
    const {
      messages: _messages,
      tools: _tools,
      max_tokens: _most,
      system: _system,
      ...rest
    } = bodyOf(first);
    expect(rest).toEqual({
      model: MODEL,
      temperature: 0.4,
      metadata: { user_id: "ada" },
      output_config: { effort: "low" },
      context_management: { edits: [{ type: "clear_tool_uses_20250919" }] },
    });
    expect(first.headers).toMatchObject({
      accept: "application/json",
      "anthropic-beta": "context-management-2025-06-27",
    });
    expect(first.headers["x-stainless-helper-method"]).toBeUndefined();
    expect(typesOf(set.events)).toContain("distilled");
  });

  it.each<[string, unknown, unknown, object[]?]>([
    ["any tool is forced", { type: "any" }, { type: "none" }],
    ["one tool is forced", { type: "tool", name: "look" }, { type: "none" }],
    ["nothing is forced, for the cache's sake", AUTO, AUTO],
    ["the caller's program runs them all", undefined, undefined, [{ type: "bash_20250124" }]],
    [
      "the provider would run a tool itself",
      undefined,
      { type: "none" },
      [{ type: "web_search_20250305" }],
    ],
  ])(
    "is told to call nothing, or keeps the caller's choice, where %s",
    (_, given, sent, more = []) => {
      const request = { model: MODEL, tool_choice: given, messages: [] };
      const ask = { system: undefined, model: undefined, maxTokens: 300, messages: [] };
      const body = distilBody(request, { ...ask, tools: [...tools, ...more] });
      expect(body["tool_choice"]).toEqual(sent);
    },
  );

  it("is written out without the prefix when the request has MCP servers, and names none", async () => {
    const set = await setUp({ window: { tokens: 8_000 } });
    const base = {
      tools: [...tools, { type: "mcp_toolset", mcp_server_name: "docs" }],
      mcp_servers: [{ type: "url", name: "docs", url: "https://mcp.example/sse" }],
    } as Params;
    const client = { messages: set.client.beta.messages } as never;
    const betas = ["mcp-client-2025-11-20"];
    const { body } = await talk({ ...set, client }, { ...base, betas } as Params);
    const { messages, ...rest } = body;
    expect(messages).toHaveLength(1);
    expect(rest).toEqual({ model: MODEL, max_tokens: rest.max_tokens });
    expect(typesOf(set.events)).toContain("distilled");
  });

  it("leaves manual thinking its budget, and room for the answer beside it", async () => {
    const set = await setUp({ window: { tokens: 12_000 } });
    const { body, first } = await talk(set, {
      model: UNBOUND,
      max_tokens: 4_000,
      thinking: { type: "enabled", budget_tokens: 2_000 },
    });
    expect(body.thinking).toEqual({ type: "enabled", budget_tokens: 2_000 });
    expect(body.max_tokens).toBeGreaterThan(2_000 + 500);
    expect(first.status).toBe(200);
    expect(typesOf(set.events)).toContain("distilled");
  });

  it("goes to the cheaper model of the host's choice with the conversation written out", async () => {
    const set = await setUp({ window: { tokens: 8_000 }, distil: { model: "claude-haiku-5-5" } });
    const { body } = await talk(set, {
      tools,
      system: "Be kind.",
      metadata: { user_id: "ada" },
      thinking: { type: "adaptive" },
      cache_control: { type: "ephemeral" },
    });
    const { messages, ...rest } = body;
    expect(rest).toEqual({ model: "claude-haiku-5-5", max_tokens: rest.max_tokens });
    expect(messages).toHaveLength(1);
    const text = String(messages[0]!.content);
    expect(text).toMatch(/^\[tidemark\] distil\n/);
    expect(text).toContain(`[#1 user] Turn 0: ${prose(90, 0)}`);
    expect(typesOf(set.events)).toContain("distilled");
  });

  it("ends before the client's own timeout would abort the caller's stream", async () => {
    const main: AbortSignal[] = [];
    const set = await setUp({
      window: { tokens: 8_000 },
      server: { distil: "hang" },
      client: {
        timeout: 400,
        maxRetries: 0,
        fetch: (url, init) => (
          String(init?.body).includes("[tidemark] distil") ||
            main.push(init!.signal as AbortSignal),
          fetch(url, init)
        ),
      },
    });
    const loop = loopOf(set.client);
    for (let turn = 0; turn < 60 && asked(set.server).length === 0; turn++)
      await loop.say(`Turn ${turn}: ${prose(90, turn)}`);
    await until(() => typesOf(set.events).includes("distil-failed"));
    expect(set.events.find(({ type }) => type === "distil-failed")).toMatchObject({
      error: expect.stringContaining("timeout of 400 ms") as string,
    });
    expect(main.at(-1)!.aborted).toBe(false);
  });
});

describe("a distiller that answers", () => {
  const [PATIENCE, TURNS] = [40, 28];
  /** A turn's patience with what hangs is over at once; nothing else's ever. */
  const timer: Timer = (ms, work) => {
    if (ms > PATIENCE) return () => undefined;
    const due = setImmediate(work);
    return () => clearImmediate(due);
  };

  for (const mode of ["well", "junk", "fail", "hang", "cut", "refuse", "tool_use"] as (
    DistilMode | "fail" | "hang"
  )[])
    it(`${mode}: the conversation goes on, every request is valid, nothing is lost`, async () => {
      const hurried = mode === "hang" ? { timer, client: { hurries: true } } : {};
      const set = await setUp({
        workspace: freshFolder(),
        recall: false,
        window: { tokens: 5_000, patience: PATIENCE },
        server: { distil: mode },
        ...hurried,
      });
      const { client, server, tidemark, events } = set;
      const loop = loopOf(client, { tools, system: "Be kind." });
      for (let turn = 0; turn < TURNS; turn++) {
        const reply = await loop.say(
          `Turn ${turn}: please note crate C-${turn}${turn}. ${prose(70, turn)}`,
        );
        expect(textOf(reply)).toContain(`Turn ${turn}:`);
      }
      expect(server.refusals).toEqual([]);
      expect(spoken(server)).toHaveLength(TURNS);
      expect(spoken(server).every(({ tokens }) => tokens + 500 <= 5_000)).toBe(true);
      expect(typesOf(events).filter((type) => type === "folded").length).toBeGreaterThan(0);
      expect(
        events.some(
          (event) =>
            event.type === "distilled" && event.by === (mode === "well" ? "model" : "extractive"),
        ),
      ).toBe(true);
      if (mode !== "well")
        expect(typesOf(events)).toContain(mode === "hang" ? "queued" : "distil-failed");
      const sessions = await tidemark.history.list();
      expect(sessions).toMatchObject([{ messages: 2 * TURNS }]);
      expect((await tidemark.history.read({ conversation: sessions[0]!.id })).messages).toEqual(
        loop.messages,
      );
      // What was folded first is still known.
      expect(
        (await tidemark.memory.search("crate C-00", { limit: 3 })).some(({ text }) =>
          text.includes("C-00"),
        ),
      ).toBe(true);
      await server.close();
    });
});
