import type Anthropic from "@anthropic-ai/sdk";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { capabilitiesIn } from "../../../src/adapters/anthropic/ask-provider.ts";
import { capabilitiesOf } from "../../../src/dialect/models/capabilities.ts";
import {
  blocked,
  clientOf,
  freshFolder,
  freshServer,
  freshTidemark,
  type Loop,
  loopOf,
  MODEL,
  prose,
  setUp,
  typesOf,
} from "../../support/anthropic.ts";
import {
  COMPACT_BETA,
  type Json,
  type MessagesServer,
  modelInfo,
  type Received,
} from "../../support/messages-server/index.ts";
import { modelAnswer } from "../../support/messages-server/models.ts";

/** No table knows it. */
const HARBOUR = "harbour-large-1";
const adaptive = { thinking: { type: "adaptive" } } as const;
const signed = { window: { tokens: 6_000 }, advanced: { thinking: "server" } } as const;
const supported = (is: unknown) => ({ supported: is });
const writes = (is: unknown): Json => ({
  context_management: { supported: true, compact_20260112: is === null ? null : supported(is) },
});
const thinks = (is: boolean): Json => ({
  thinking: {
    supported: is,
    types: {
      adaptive: supported(is),
      enabled: supported(is),
      between_tools: supported(is),
      disabled: supported(true),
    },
  },
});

const isCompaction = ({ body }: Received): boolean => body.compaction !== undefined;
const compactions = (server: MessagesServer): Received[] => server.requests.filter(isCompaction);
const spoken = (server: MessagesServer): Received[] =>
  server.requests.filter((one) => !one.distil && !isCompaction(one));
const messagesOf = ({ body }: Received): Json[] => body.messages as Json[];
const blockOf = (one: Received): string | undefined => {
  const content = messagesOf(one)[0]?.content;
  return Array.isArray(content) && (content[0] as Json).type === "compaction"
    ? JSON.stringify(content[0])
    : undefined;
};
const thoughtsIn = ({ body }: Received): number =>
  JSON.stringify(body.messages).split('"type":"thinking"').length - 1;
const betasOf = ({ headers }: Received): string => String(headers["anthropic-beta"] ?? "");

async function talk(
  loop: Loop,
  turns: number,
  from = 0,
  idle?: () => Promise<void>,
): Promise<void> {
  for (let turn = from; turn < from + turns; turn++) {
    await loop.say(`Turn ${turn}: ${prose(60, turn)}`);
    await idle?.();
  }
}

/** Pairs of requests of which the later begins as the earlier, cache marks aside; where a fold came between it need not. */
function breaks(requests: readonly Received[]): number[] {
  const heads = requests.map((one) =>
    messagesOf(one).map((message) => JSON.stringify(blocked(message))),
  );
  return heads.flatMap((now, at) =>
    at > 0 &&
    heads[at - 1]?.[0] === now[0] &&
    heads[at - 1]?.some((message, place) => message !== now[place])
      ? [at]
      : [],
  );
}

describe("what a provider's list says of a model", () => {
  it.each<[string, unknown, object]>([
    ["the window", { max_input_tokens: 400_000 }, { window: 400_000 }],
    [
      "that it writes summaries",
      { capabilities: writes(true) },
      { serverCompaction: COMPACT_BETA },
    ],
    ["that it writes none", { capabilities: writes(false) }, { serverCompaction: undefined }],
    ["that it has no thoughts", { capabilities: thinks(false) }, { boundThinking: false }],
    ["that it thinks, not what its thoughts are bound to", { capabilities: thinks(true) }, {}],
    [
      "that it thinks in one way",
      { capabilities: { thinking: { supported: false, types: { enabled: supported(true) } } } },
      {},
    ],
    ["nothing of strategies", { capabilities: writes(null), max_input_tokens: null }, {}],
    ["nothing", { capabilities: null, max_input_tokens: null }, {}],
    [
      "junk",
      {
        capabilities: { context_management: 7, thinking: [{ supported: false }] },
        max_input_tokens: "400000",
      },
      {},
    ],
    [
      "junk one floor down",
      {
        capabilities: { ...writes("no"), thinking: { supported: 0, types: null } },
        max_input_tokens: 1e999,
      },
      {},
    ],
    ["words", "no such model", {}],
  ])("%s", (_what, info, says) => {
    expect(capabilitiesIn(info, HARBOUR)).toStrictEqual(says);
  });

  it("is read without an error whatever it is, and never says anything else", () => {
    const part = fc.oneof(fc.jsonValue(), fc.record({ supported: fc.jsonValue() }));
    const info = fc.oneof(
      fc.jsonValue(),
      fc.record({
        max_input_tokens: part,
        capabilities: fc.oneof(
          part,
          fc.record({
            thinking: part,
            context_management: fc.oneof(part, fc.record({ compact_20260112: part })),
          }),
        ),
      }),
    );
    fc.assert(
      fc.property(info, fc.string(), (said, model) => {
        const {
          window = 1,
          boundThinking = false,
          serverCompaction = COMPACT_BETA,
          ...rest
        } = capabilitiesIn(said, model);
        expect(window).toBeGreaterThan(0);
        expect([Number.isFinite(window), boundThinking, serverCompaction, rest]).toEqual([
          true,
          false,
          COMPACT_BETA,
          {},
        ]);
      }),
    );
  });

  it("is the table's word, where a list in the provider's shape and the table know the same model", () => {
    for (const model of [
      MODEL,
      "claude-opus-4-8",
      "claude-sonnet-4-6",
      "claude-haiku-4-5",
      "claude-opus-4-1",
      "claude-3-5-sonnet-20241022",
      "claude-fable-5-1",
      "claude-haiku-5-5",
    ]) {
      const { window: _window, ...said } = capabilitiesIn(modelAnswer(modelInfo(model)), model);
      expect(said).toEqual(
        expect.objectContaining({ serverCompaction: capabilitiesOf(model).serverCompaction }),
      );
      expect(said).toEqual({
        serverCompaction: capabilitiesOf(model).serverCompaction,
        ...(model.startsWith("claude-3-5") ? { boundThinking: false } : {}),
      });
      expect(said.boundThinking ?? capabilitiesOf(model).boundThinking).toBe(
        capabilitiesOf(model).boundThinking,
      );
    }
  });

  it("outranks the table, and the host's word outranks it", () => {
    const said = { window: 300_000, serverCompaction: undefined, boundThinking: false };
    expect(capabilitiesOf(MODEL, undefined, said)).toEqual({
      ...capabilitiesOf(MODEL),
      ...said,
      windowBy: "provider",
    });
    expect(capabilitiesOf(HARBOUR, {}, {})).toEqual({
      ...capabilitiesOf(HARBOUR),
      windowBy: "guess",
    });
    const own = {
      "sonnet-5": { window: 50_000, serverCompaction: COMPACT_BETA, boundThinking: true },
    };
    expect(capabilitiesOf(MODEL, own, said)).toEqual({
      ...capabilitiesOf(MODEL),
      ...own["sonnet-5"],
      windowBy: "host",
    });
    expect(
      capabilitiesOf(
        MODEL,
        { "sonnet-5": { serverCompaction: undefined } },
        { serverCompaction: COMPACT_BETA },
      ).serverCompaction,
    ).toBeUndefined();
    expect(
      capabilitiesOf(MODEL, { "sonnet-5": { boundThinking: true } }, { window: 300_000 }),
    ).toMatchObject({ window: 300_000, windowBy: "provider" });
  });
});

describe("a model the list says more of than the table", () => {
  it("is asked for signed summaries, and they go out under the beta the table has for others", async () => {
    const { server, client, tidemark } = await setUp({
      ...signed,
      server: { models: { [HARBOUR]: { compaction: true, boundThinking: true } } },
    });
    await talk(loopOf(client, { ...adaptive, model: HARBOUR }), 40, 0, () => tidemark.idle());
    expect(compactions(server).length).toBeGreaterThan(1);
    for (const one of spoken(server).slice(-10))
      expect([blockOf(one) !== undefined, betasOf(one).includes(COMPACT_BETA)]).toEqual([
        true,
        true,
      ]);
    expect(server.refusals).toEqual([]);
  });

  it("folds by our own text where the list promised more than the model takes", async () => {
    const { server, client, tidemark, events } = await setUp({
      ...signed,
      server: {
        models: { [HARBOUR]: { compaction: false, listed: { capabilities: writes(true) } } },
      },
    });
    await talk(loopOf(client, { ...adaptive, model: HARBOUR }), 40, 0, () => tidemark.idle());
    expect(server.refusals.length).toBeGreaterThan(0);
    expect(new Set(server.refusals.map(({ message }) => message))).toEqual(
      new Set([`compaction: not supported on ${HARBOUR}`]),
    );
    expect(spoken(server).map(({ status }) => status)).toEqual(spoken(server).map(() => 200));
    expect(typesOf(events)).toContain("folded");
  });

  it.each<[string, object, Json | undefined]>([
    ["the list says it writes none", signed.advanced, { capabilities: writes(false) }],
    [
      "the host says so, whatever the list says",
      { thinking: "server", models: { "sonnet-5": { serverCompaction: undefined } } },
      undefined,
    ],
  ])("is not asked for them where %s", async (_why, advanced, listed) => {
    const { server, client, tidemark, events } = await setUp({
      ...signed,
      advanced,
      server: { models: { [MODEL]: { ...(listed ? { listed } : {}) } } },
    });
    await talk(loopOf(client, adaptive), 40, 0, () => tidemark.idle());
    expect([compactions(server), server.refusals, typesOf(events).includes("folded")]).toEqual([
      [],
      [],
      true,
    ]);
  });

  it.each<[string, object, Json]>([
    ["the list says nothing", signed.advanced, { capabilities: null }],
    [
      "the list is junk",
      signed.advanced,
      { capabilities: { context_management: "yes" }, max_input_tokens: -1 },
    ],
    [
      "the host says it writes them, whatever the list says",
      { thinking: "server", models: { "sonnet-5": { serverCompaction: COMPACT_BETA } } },
      { capabilities: writes(false) },
    ],
  ])("is asked for them where %s", async (_why, advanced, listed) => {
    const { server, client, tidemark } = await setUp({
      ...signed,
      advanced,
      server: { models: { [MODEL]: { listed } } },
    });
    await talk(loopOf(client, adaptive), 40, 0, () => tidemark.idle());
    expect([
      compactions(server).length > 1,
      server.refusals,
      blockOf(spoken(server).at(-1)!) !== undefined,
    ]).toEqual([true, [], true]);
  });
});

describe("the asking", () => {
  const asks = async (options: Parameters<typeof setUp>[0]): Promise<string[]> => {
    const urls: string[] = [];
    const { client } = await setUp({
      ...options,
      client: {
        fetch: (url, init) => (
          urls.push(`${init?.method ?? "GET"} ${new URL(String(url)).pathname}`),
          fetch(url, init)
        ),
      },
    });
    for (let call = 0; call < 3; call++)
      await client.messages.create({
        model: MODEL,
        max_tokens: 100,
        messages: [{ role: "user", content: "Hello." }],
      });
    return urls.filter((url) => url.startsWith("GET"));
  };

  it("is done once, also where the host has named the window but wants the provider's summaries", async () => {
    expect(await asks({})).toEqual([`GET /v1/models/${MODEL}`]);
    expect(await asks(signed)).toEqual([`GET /v1/models/${MODEL}`]);
    expect(
      await asks({ advanced: { thinking: "server", models: { "sonnet-5": { window: 9_000 } } } }),
    ).toEqual([`GET /v1/models/${MODEL}`]);
    expect(await asks({ window: { tokens: 9_000 } })).toEqual([]);
  });

  it("keeps nobody waiting: a conversation folds, by our own text, while the list never comes", async () => {
    const { server, client, tidemark, events } = await setUp({
      ...signed,
      client: {
        fetch: (url, init) =>
          init?.method === "GET"
            ? new Promise((_, fail) =>
                init.signal?.addEventListener("abort", () => fail(new Error("late"))),
              )
            : fetch(url, init),
      },
      server: { models: { [HARBOUR]: { compaction: true, boundThinking: true } } },
    });
    await talk(loopOf(client, { ...adaptive, model: HARBOUR }), 40, 0, () => tidemark.idle());
    expect([compactions(server), server.refusals, typesOf(events).includes("folded")]).toEqual([
      [],
      [],
      true,
    ]);
  });
});

describe("an answer that comes in the middle of a conversation", () => {
  /** A conversation with signed folds, left and taken up again by a process that has not heard the list yet. */
  async function takenUp({ model, before, after }: { model: string; before: Json; after: Json }) {
    const behaves = { compaction: true, boundThinking: true };
    const workspace = freshFolder();
    const one = await freshServer({
      models: { [model]: { ...behaves, listed: { capabilities: before } } },
    });
    const first = await freshTidemark({ ...signed, workspace });
    const loop = loopOf(clientOf(one, first.tidemark), { ...adaptive, model });
    await talk(loop, 30, 0, () => first.tidemark.idle());
    while (blockOf(spoken(one).at(-1)!) === undefined)
      await talk(loop, 1, 90, () => first.tidemark.idle());
    await first.tidemark.close();
    const two = await freshServer({
      models: { [model]: { ...behaves, listed: { capabilities: after } } },
    });
    const second = await freshTidemark({ ...signed, workspace });
    const again = loopOf(
      clientOf(two, second.tidemark),
      { ...adaptive, model },
      JSON.parse(JSON.stringify(loop.messages)) as Anthropic.MessageParam[],
    );
    for (let turn = 0; turn < 3; turn++) await again.say(`Short ${turn}.`);
    return {
      requests: [spoken(one).at(-1)!, ...spoken(two)],
      refusals: [...one.refusals, ...two.refusals],
    };
  }

  it.each([
    [
      "learns that a model the table has no summaries of writes them",
      { model: HARBOUR, before: writes(true), after: writes(true) },
    ],
    [
      "learns that a model is not listed to write them any more",
      { model: MODEL, before: writes(true), after: writes(false) },
    ],
    ["hears nothing of them", { model: HARBOUR, before: writes(true), after: writes(null) }],
  ])("leaves the summary where it stood in the prefix: %s", async (_what, given) => {
    const { requests, refusals } = await takenUp(given);
    expect(refusals).toEqual([]);
    expect(requests).toHaveLength(4);
    expect(new Set(requests.map(blockOf))).toHaveLength(1);
    expect(blockOf(requests[0]!)).toBeDefined();
    for (const one of requests) expect(betasOf(one)).toContain(COMPACT_BETA);
    expect(breaks(requests)).toEqual([]);
  });

  it("that a model has no thoughts sends again none of those that were left out, and none less of those that hold", async () => {
    const play = async (after: Json | null) => {
      const workspace = freshFolder();
      const server = await freshServer({
        secret: "one",
        models: { [MODEL]: { listed: { capabilities: null } } },
      });
      const first = await freshTidemark({ workspace, window: { tokens: 6_000 } });
      const loop = loopOf(clientOf(server, first.tidemark), adaptive);
      while (!typesOf(first.events).includes("thinking-dropped"))
        await talk(loop, 1, loop.messages.length, () => first.tidemark.idle());
      await talk(loop, 2, loop.messages.length, () => first.tidemark.idle());
      await first.tidemark.close();
      const other = await freshServer({
        secret: "one",
        models: { [MODEL]: { listed: { max_input_tokens: 6_000, capabilities: after } } },
      });
      const second = await freshTidemark({ workspace });
      const again = loopOf(
        clientOf(other, second.tidemark),
        {},
        JSON.parse(JSON.stringify(loop.messages)) as Anthropic.MessageParam[],
      );
      for (let turn = 0; turn < 4; turn++) await again.say(`Short ${turn}.`);
      const requests = [spoken(server).at(-1)!, ...spoken(other)];
      return {
        thoughts: requests.map(thoughtsIn),
        breaks: breaks(requests),
        refusals: [...server.refusals, ...other.refusals],
      };
    };
    const none = await play(thinks(false));
    expect(none).toMatchObject({ breaks: [], refusals: [] });
    expect(none.thoughts[1]).toBeGreaterThan(0);
    expect(none).toEqual(await play(null));
  });

  it("that a model has no thoughts holds those it has all the same to nothing, from then on", async () => {
    const play = async (listed: Json): Promise<number[]> => {
      const { server, client } = await setUp({
        server: { models: { [MODEL]: { listed: { capabilities: listed } } } },
      });
      await talk(loopOf(client, adaptive), 12);
      expect([server.refusals, breaks(spoken(server))]).toEqual([[], []]);
      return spoken(server).map(thoughtsIn);
    };
    const held = await play(thinks(false));
    // The first reply at least came before the answer did.
    expect(held[1]).toBe(1);
    expect(held.slice(-3)).toEqual([held[9], held[9], held[9]]);
    expect((await play(thinks(true))).at(-1)).toBe(11);
  });

  it("that a model has no thoughts leaves those of another as they were for that other", async () => {
    const { server, client, tidemark, events } = await setUp({
      server: {
        models: {
          [MODEL]: { max_input_tokens: 6_000 },
          [HARBOUR]: { max_input_tokens: 6_000, thinks: false, boundThinking: false },
        },
      },
    });
    const loop = loopOf(client, {});
    for (let turn = 0; turn < 60; turn++)
      await loop.say(
        `Turn ${turn}: ${prose(60, turn)}`,
        turn % 5 === 4 ? { model: HARBOUR } : adaptive,
      );
    await tidemark.idle();
    expect(server.refusals).toEqual([]);
    expect(typesOf(events)).toContain("folded");
    const last = spoken(server).at(-2)!;
    expect(last.body.model).toBe(MODEL);
    expect(JSON.stringify(last.body.messages)).toContain('"type":"thinking"');
  });

  it.each([undefined, "leave-out", "drop-block", "server"] as const)(
    "that a model has no thoughts, where it refuses those that do not hold, gets nothing refused (%s)",
    async (thinking) => {
      const workspace = freshFolder();
      const server = await freshServer({
        models: {
          [MODEL]: {
            listed: {
              max_input_tokens: 6_000,
              capabilities: { ...writes(true), ...thinks(false) },
            },
          },
          [HARBOUR]: { boundThinking: true },
        },
      });
      const messages: Anthropic.MessageParam[] = [];
      const told: string[] = [];
      for (let run = 0; run < 3; run++) {
        const { tidemark, events } = await freshTidemark({
          workspace,
          ...(thinking ? { advanced: { thinking } } : {}),
        });
        const loop = loopOf(
          clientOf(server, tidemark),
          { ...adaptive, system: `Be kind, ${run === 2 ? "and brief" : "please"}.` },
          JSON.parse(JSON.stringify(messages)) as Anthropic.MessageParam[],
        );
        await talk(loop, 30, run * 40, () => tidemark.idle());
        await loop.say("Another model.", { model: HARBOUR });
        await loop.say("And back.");
        messages.splice(0, messages.length, ...(loop.messages as Anthropic.MessageParam[]));
        told.push(...typesOf(events));
        await tidemark.close();
      }
      expect(server.refusals).toEqual([]);
      expect(told).not.toContain("thinking-refused");
      expect(told.filter((type) => type === "folded").length).toBeGreaterThan(2);
    },
  );
});
