import {
  kindOf,
  clientOf,
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
import type { Json, MessagesServer, Received } from "../../support/messages-server/index.ts";

const adaptive = { thinking: { type: "adaptive" } } as const;
const DROP_BETA = "thinking-binding-controls-2026-08-01";
const spoken = (server: MessagesServer): Received[] => server.requests.filter((one) => !one.distil);
const blocksIn = (body: Json, type: string): Json[] =>
  (body.messages as { content: unknown }[]).flatMap(({ content }) =>
    Array.isArray(content) ? (content as Json[]).filter((block) => block.type === type) : [],
  );
const betasOf = ({ headers }: Received): string => String(headers["anthropic-beta"] ?? "");

async function talk(loop: Loop, turns: number, from = 0): Promise<void> {
  for (let turn = from; turn < from + turns; turn++)
    await loop.say(`Turn ${turn}: ${prose(60, turn)}`);
}

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
