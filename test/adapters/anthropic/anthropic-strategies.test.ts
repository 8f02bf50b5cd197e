import {
  kindOf,
  clientOf,
  freshFolder,
  freshServer,
  freshTidemark,
  type Loop,
  loopOf,
  prose,
  setUp,
  typesOf,
  UNBOUND,
} from "../../support/anthropic.ts";
import type Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import type { Options } from "../../../src/index.ts";
import {
  COMPACT_BETA,
  type Json,
  type MessagesServer,
  type Received,
} from "../../support/messages-server/index.ts";

const adaptive = { thinking: { type: "adaptive" } } as const;
const DROP_BETA = "thinking-binding-controls-2026-08-01";
const server4 = {
  window: { tokens: 6_000 },
  advanced: { thinking: "server" },
} as const satisfies Options;

const isCompaction = ({ body }: Received): boolean => body.compaction !== undefined;
const compactions = (server: MessagesServer): Received[] => server.requests.filter(isCompaction);
const spoken = (server: MessagesServer): Received[] =>
  server.requests.filter((one) => !one.distil && !isCompaction(one));
const blocksIn = (body: Json, type: string): Json[] =>
  (body.messages as { content: unknown }[]).flatMap(({ content }) =>
    Array.isArray(content) ? (content as Json[]).filter((block) => block.type === type) : [],
  );
const firstBlock = ({ body }: Received): Json | undefined =>
  blocksIn({ messages: (body.messages as Json[]).slice(0, 1) }, "compaction")[0];
const betasOf = ({ headers }: Received): string => String(headers["anthropic-beta"] ?? "");

async function talk(loop: Loop, turns: number, from = 0): Promise<void> {
  for (let turn = from; turn < from + turns; turn++)
    await loop.say(`Turn ${turn}: ${prose(60, turn)}`);
}

describe("a fold by the provider's own summary", () => {
  it("keeps what was thought in the turns kept, and asks once a fold, for exactly the messages that were sent before a reply", async () => {
    const { server, client, events } = await setUp(server4);
    const loop = loopOf(client, { ...adaptive, system: "Be kind." });
    await talk(loop, 60);
    expect(server.refusals).toEqual([]);
    const folds = typesOf(events).filter((type) => type === "folded").length;
    expect(folds).toBeGreaterThan(2);
    expect(typesOf(events)).not.toContain("thinking-dropped");
    expect(typesOf(events)).not.toContain("distil-failed");
    const asked = compactions(server);
    expect(asked.length).toBeGreaterThanOrEqual(folds);
    expect(asked.length).toBeLessThanOrEqual(folds + 1);
    for (const { body } of asked) {
      expect(body).not.toHaveProperty("stop_sequences");
      expect((body.messages as Json[]).at(-1)?.role).toBe("user");
    }
    // All thinking since the summary goes out with every request.
    for (const one of spoken(server).slice(-20)) {
      const block = firstBlock(one);
      expect(block).toBeDefined();
      expect(betasOf(one)).toContain(COMPACT_BETA);
      expect(blocksIn(one.body, "thinking")).toHaveLength(
        (one.body.messages as Json[]).filter(({ role }) => role === "assistant").length - 1,
      );
    }
  });

  it("takes the first request after it came, and drops exactly the messages it was written over", async () => {
    const { server, client, tidemark } = await setUp(server4);
    const loop = loopOf(client, { ...adaptive });
    let turn = 0;
    while (compactions(server).length === 0) await talk(loop, 1, turn++);
    await tidemark.idle();
    const [compaction] = compactions(server);
    const summarized = (compaction?.body.messages as Json[]).length;
    await talk(loop, 1, turn++);
    const next = spoken(server).at(-1)!;
    expect(firstBlock(next)).toEqual((compaction?.reply?.content as Json[])[0]);
    expect((next.body.messages as Json[]).length).toBe(1 + loop.messages.length - 1 - summarized);
    expect((next.body.messages as Json[]).length).toBeGreaterThanOrEqual(1 + 4);
    expect(server.refusals).toEqual([]);
  });

  it("stores what the messages taught, and our own text of them, before they go", async () => {
    const { server, client, tidemark, events } = await setUp(server4);
    const loop = loopOf(client, { ...adaptive });
    await loop.say("My name is Zephyrine and the harbour code is 7Q-4417.");
    await talk(loop, 40);
    expect(firstBlock(spoken(server).at(-1)!)).toBeDefined();
    expect(typesOf(events).indexOf("flushed")).toBeLessThan(typesOf(events).indexOf("folded"));
    expect((await tidemark.memory.recall("harbour code"))[0]?.text).toContain("7Q-4417");
    const { id } = events.find((event) => event.type === "folded")!;
    expect((await tidemark.history.read({ fold: id })).messages.length).toBeGreaterThan(0);
  });

  it("is replayed byte for byte after a restart, and the next fold starts from it", async () => {
    const server = await freshServer();
    const workspace = freshFolder();
    const messages: Anthropic.MessageParam[] = [];
    const signatures = new Set<unknown>();
    for (let run = 0; run < 3; run++) {
      const { tidemark } = await freshTidemark({ ...server4, workspace });
      const loop = loopOf(
        clientOf(server, tidemark),
        { ...adaptive, system: "Be kind." },
        JSON.parse(JSON.stringify(messages)) as Anthropic.MessageParam[],
      );
      const before = firstBlock(
        spoken(server).at(-1) ?? ({ body: { messages: [] } } as unknown as Received),
      );
      await talk(loop, 1, run * 20);
      if (run > 0 && compactions(server).length > 0)
        expect(JSON.stringify(firstBlock(spoken(server).at(-1)!))).toBe(JSON.stringify(before));
      await talk(loop, 19, run * 20 + 1);
      signatures.add(firstBlock(spoken(server).at(-1)!)?.signature);
      messages.splice(0, messages.length, ...(loop.messages as Anthropic.MessageParam[]));
      await tidemark.close();
    }
    expect(server.refusals).toEqual([]);
    expect(signatures.size).toBeGreaterThan(1);
    expect(compactions(server).some((one) => firstBlock(one) !== undefined)).toBe(true);
  });

  it.each([
    "null",
    "max_tokens",
    "refusal",
    "tool_use",
    "end_turn",
    "unavailable",
    "too_many_tool_references",
  ] as const)(
    "that does not come (%s) keeps the history, says so, and folds by our own text",
    async (compact) => {
      const { server, client, events } = await setUp({ ...server4, server: { compact } });
      const loop = loopOf(client, {
        ...adaptive,
        stop_sequences: ["END"],
        tools: [{ name: "look", input_schema: { type: "object" } }],
        tool_choice: { type: "auto" },
      });
      await talk(loop, 40);
      expect(server.refusals).toEqual([]);
      expect(compactions(server).length).toBeGreaterThan(0);
      expect(events).toContainEqual(
        expect.objectContaining({
          type: "distil-failed",
          error: expect.stringMatching(/^The provider's own summary: .{20,}/),
        }),
      );
      expect(typesOf(events)).toContain("folded");
      expect(spoken(server).some((one) => firstBlock(one) !== undefined)).toBe(false);
      expect(JSON.stringify(spoken(server).at(-1)!.body)).toContain("<tidemark-summary");
    },
  );

  it("is not asked for with pins, manual thinking, a distiller without a model, an MCP server or a model that has none", async () => {
    const cases: [string, Options, object][] = [
      ["pins", {}, {}],
      ["extractive", { distil: "extractive" }, {}],
      ["manual", {}, { thinking: { type: "enabled", budget_tokens: 1_024 }, max_tokens: 1_500 }],
      ["no model", {}, { model: "claude-opus-4-5" }],
      [
        "told",
        {
          advanced: {
            thinking: "server",
            models: { "sonnet-5-5": { serverCompaction: undefined } },
          },
        },
        {},
      ],
    ];
    for (const [name, options, base] of cases) {
      const { server, client, tidemark, events } = await setUp({
        ...server4,
        window: { tokens: 7_000 },
        ...options,
      });
      if (name === "pins") await tidemark.pin("The gate is green.");
      await talk(loopOf(client, { ...adaptive, ...base }), 36);
      expect([
        name,
        compactions(server).length,
        server.refusals,
        typesOf(events).includes("folded"),
      ]).toEqual([name, 0, [], true]);
    }
  });

  it("stands aside for our own text where the host changes its mind, the system text or the model", async () => {
    const server = await freshServer();
    const workspace = freshFolder();
    const one = await freshTidemark({ ...server4, workspace });
    const loop = loopOf(clientOf(server, one.tidemark), { ...adaptive, system: "Be kind." });
    await talk(loop, 30);
    expect(firstBlock(spoken(server).at(-1)!)).toBeDefined();
    await loop.say("Other instructions.", { system: "Be brief." });
    await loop.say("Another model.", { model: "claude-haiku-4-5" });
    expect(firstBlock(spoken(server).at(-1)!)).toBeUndefined();
    await one.tidemark.close();
    const two = await freshTidemark({ window: { tokens: 6_000 }, workspace });
    await loopOf(
      clientOf(server, two.tidemark),
      { ...adaptive, system: "Be kind." },
      loop.messages as Anthropic.MessageParam[],
    ).say("And now?");
    expect(firstBlock(spoken(server).at(-1)!)).toBeUndefined();
    expect(JSON.stringify(spoken(server).at(-1)!.body)).toContain("<tidemark-summary");
    expect(server.refusals).toEqual([]);
  });

  it("goes through tool rounds and streams", async () => {
    const { server, client, tidemark, events } = await setUp({
      ...server4,
      server: {
        reply: (_request, { index }) => [
          { type: "thinking", thinking: `Thought ${index}: ${prose(20, index)}` },
          ...(index % 4 === 3
            ? [{ type: "text", text: `Done ${index}. ${prose(30, index)}` }]
            : [{ type: "tool_use", name: "look", input: { at: index } }]),
        ],
      },
    });
    const messages: Anthropic.MessageParam[] = [{ role: "user", content: "Begin." }];
    for (let call = 0; call < 60; call++) {
      const reply = await client.messages
        .stream({
          model: "claude-opus-5-5",
          max_tokens: 500,
          ...adaptive,
          tools: [{ name: "look", input_schema: { type: "object" } }],
          messages,
        })
        .finalMessage();
      await tidemark.idle();
      const use = reply.content.find((block) => block.type === "tool_use");
      messages.push(
        { role: "assistant", content: reply.content },
        {
          role: "user",
          content: use
            ? [{ type: "tool_result", tool_use_id: use.id, content: prose(120, call) }]
            : `And then, ${call}?`,
        },
      );
    }
    expect(server.refusals).toEqual([]);
    expect(typesOf(events).filter((type) => type === "folded").length).toBeGreaterThan(1);
    expect(spoken(server).some((one) => firstBlock(one) !== undefined)).toBe(true);
    expect(typesOf(events)).not.toContain("thinking-dropped");
  });

  it("counts against the budget of background calls, and never comes where that is spent", async () => {
    const { server, client, events } = await setUp({
      ...server4,
      distil: {},
      advanced: { thinking: "server", budget: { tokensPerSession: 1_000 } },
    });
    await talk(loopOf(client, adaptive), 40);
    expect(compactions(server)).toEqual([]);
    expect(typesOf(events)).toContain("folded");
    expect(server.refusals).toEqual([]);
  });
});

describe("thinking the provider drops", () => {
  const dropsIn = ({ body }: Received): boolean =>
    JSON.stringify(body.thinking ?? {}).includes("drop_block");

  it("is asked for only where some of it may not hold, and nothing is left out then", async () => {
    const { server, client, events } = await setUp({
      window: { tokens: 6_000 },
      advanced: { thinking: "drop-block" },
    });
    const loop = loopOf(client, { ...adaptive, system: "Be kind." });
    await talk(loop, 50);
    expect(server.refusals).toEqual([]);
    const folded = spoken(server).findIndex(dropsIn);
    expect(folded).toBeGreaterThan(4);
    expect(typesOf(events)).toContain("thinking-dropped");
    for (const one of spoken(server).filter(dropsIn)) {
      expect(betasOf(one)).toContain(DROP_BETA);
      const replies = (one.body.messages as Json[]).filter(
        ({ role }) => role === "assistant",
      ).length;
      expect(blocksIn(one.body, "thinking")).toHaveLength(replies);
      expect((one.reply?.input_transformations as Json[]).length).toBeGreaterThan(0);
    }
    // What was thought since a fold still holds: between two of them no request loses more than the one before.
    const lost = spoken(server)
      .filter(dropsIn)
      .map(({ body, reply }) => ({
        fold: JSON.stringify((body.messages as Json[])[0]?.content).replace(
          /,"cache_control":\{[^}]*\}/,
          "",
        ),
        count: (reply?.input_transformations as Json[]).length,
      }));
    for (const [index, { fold, count }] of lost.entries())
      if (fold === lost[index - 1]?.fold) expect(count).toBe(lost[index - 1]!.count);
    expect(
      spoken(server)
        .slice(0, folded)
        .every((one) => !betasOf(one).includes(DROP_BETA)),
    ).toBe(true);
  });

  it("is certain for the provider itself with a key and adaptive thinking, and only there", async () => {
    const drops = async (
      client: (server: MessagesServer) => object,
      base: object,
      options: Options = {},
    ): Promise<boolean> => {
      const server = await freshServer();
      const { tidemark } = await freshTidemark({ window: { tokens: 6_000 }, ...options });
      await talk(loopOf(clientOf(server, tidemark, client(server)), base), 32);
      expect(server.refusals).toEqual([]);
      return spoken(server).some(dropsIn);
    };
    const firstParty = (server: MessagesServer) => ({
      baseURL: "https://api.anthropic.com",
      fetch: (url: unknown, init: RequestInit) =>
        fetch(String(url).replace("https://api.anthropic.com", server.url), init),
    });
    expect(await drops(firstParty, adaptive)).toBe(true);
    expect(await drops(firstParty, adaptive, { advanced: { thinking: "leave-out" } })).toBe(false);
    expect(
      await drops(firstParty, adaptive, {
        advanced: { models: { "claude-*": { dropBlock: undefined } } },
      }),
    ).toBe(false);
    expect(
      await drops(
        (server) => ({
          ...firstParty(server),
          defaultHeaders: { "anthropic-beta": "oauth-2025-04-20" },
        }),
        adaptive,
      ),
    ).toBe(false);
    expect(await drops(() => ({}), adaptive)).toBe(false);
    expect(await drops(firstParty, { ...adaptive, model: UNBOUND })).toBe(false);
    expect(
      await drops(firstParty, {
        thinking: { type: "enabled", budget_tokens: 1_024 },
        max_tokens: 1_500,
      }),
    ).toBe(false);
  });
});

describe("thinking that is refused after all", () => {
  /** A conversation whose provider is another one in the middle: nothing it signed before holds any more. */
  async function changed(base: object, options: Options = {}) {
    const one = await freshServer({ secret: "one" });
    const two = await freshServer({ secret: "another" });
    const { tidemark, events } = await freshTidemark(options);
    const loop = loopOf(clientOf(one, tidemark), base);
    await talk(loop, 6);
    const other = loopOf(clientOf(two, tidemark), base, loop.messages as Anthropic.MessageParam[]);
    return { two, events, other };
  }

  it("goes out once more without, and never again; what is thought from then on holds", async () => {
    const { two, events, other } = await changed({ ...adaptive, system: "Be kind." });
    await talk(other, 5, 6);
    expect(two.refusals).toHaveLength(1);
    expect(typesOf(events).filter((type) => type === "thinking-refused")).toHaveLength(1);
    expect(blocksIn(spoken(two).at(-1)!.body, "thinking")).toHaveLength(4);
    expect(other.messages).toHaveLength(22);
  });

  it("is the host's to know where the host sends by itself", async () => {
    const { tidemark } = await freshTidemark();
    const turn = await tidemark.begin({
      model: "claude-sonnet-5-5",
      max_tokens: 10,
      messages: [
        { role: "user", content: "Hi." },
        {
          role: "assistant",
          content: [
            { type: "thinking", thinking: "Hm.", signature: "x" },
            { type: "text", text: "Yes." },
          ],
        },
        { role: "user", content: "And?" },
      ],
    });
    expect(
      await turn.recover({
        status: 400,
        message: "messages.1.content.0: Invalid `signature` in `thinking` block",
      }),
    ).toBeUndefined();
  });

  it("is told where nothing of it can be taken away", async () => {
    const { client, server } = await setUp({
      server: {
        fail: [
          {
            status: 400,
            type: "invalid_request_error",
            message: "messages.1: Invalid `signature` in `thinking` block",
          },
        ],
      },
    });
    await expect(loopOf(client, adaptive).say("Hello.")).rejects.toMatchObject({ status: 400 });
    expect(server.requests).toHaveLength(1);
  });

  it("so is a summary of the provider's that it no longer takes: our own text goes instead", async () => {
    const one = await freshServer({ secret: "one" });
    const two = await freshServer({ secret: "another" });
    const { tidemark, events } = await freshTidemark(server4);
    const loop = loopOf(clientOf(one, tidemark), adaptive);
    await talk(loop, 30);
    expect(firstBlock(spoken(one).at(-1)!)).toBeDefined();
    const other = loopOf(
      clientOf(two, tidemark),
      adaptive,
      loop.messages as Anthropic.MessageParam[],
    );
    await talk(other, 3, 30);
    expect(two.refusals.map(({ code }) => code)).toEqual(["compaction_signature_invalid"]);
    expect(typesOf(events)).toContain("thinking-refused");
    expect(JSON.stringify(spoken(two).at(-1)!.body)).toContain("<tidemark-summary");
  });

  it("goes on without a beta the provider does not know", async () => {
    const unknown = {
      status: 400,
      type: "invalid_request_error",
      message:
        "Unexpected value(s) `thinking-binding-controls-2026-08-01` for the `anthropic-beta` header.",
    };
    const { server, client, events } = await setUp({
      window: { tokens: 6_000 },
      advanced: { thinking: "drop-block" },
      server: {
        fail: (request) =>
          JSON.stringify(request.thinking ?? {}).includes("drop_block") ? unknown : undefined,
      },
    });
    await talk(loopOf(client, adaptive), 50);
    expect(events.filter((event) => kindOf(event) === "thinking-refused")).toEqual([
      expect.objectContaining({ error: unknown.message }),
    ]);
    expect(typesOf(events).filter((type) => type === "folded").length).toBeGreaterThan(1);
    expect(server.refusals).toEqual([]);
  });
});
