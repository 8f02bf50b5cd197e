import type Anthropic from "@anthropic-ai/sdk";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { capabilitiesIn } from "../../../src/adapters/anthropic/ask-model.ts";
import { capabilitiesOf } from "../../../src/providers/common/models.ts";
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
import type { Json, MessagesServer, Received } from "../../support/messages-server/index.ts";

/** No table knows it. */
const HARBOUR = "harbour-large-1";
const adaptive = { thinking: { type: "adaptive" } } as const;
const supported = (is: unknown) => ({ supported: is });
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

const spoken = (server: MessagesServer): Received[] => server.requests.filter((one) => !one.distil);
const messagesOf = ({ body }: Received): Json[] => body.messages as Json[];
const thoughtsIn = ({ body }: Received): number =>
  JSON.stringify(body.messages).split('"type":"thinking"').length - 1;

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
    ["that it has no thoughts", { capabilities: thinks(false) }, { boundThinking: false }],
    ["that it thinks, not what its thoughts are bound to", { capabilities: thinks(true) }, {}],
    [
      "that it thinks in one way",
      { capabilities: { thinking: { supported: false, types: { enabled: supported(true) } } } },
      {},
    ],
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
        capabilities: { thinking: { supported: 0, types: null } },
        max_input_tokens: 1e999,
      },
      {},
    ],
    ["words", "no such model", {}],
  ])("%s", (_what, info, says) => {
    expect(capabilitiesIn(info)).toStrictEqual(says);
  });

  it("is read without an error whatever it is, and never says anything else", () => {
    const part = fc.oneof(fc.jsonValue(), fc.record({ supported: fc.jsonValue() }));
    const info = fc.oneof(
      fc.jsonValue(),
      fc.record({
        max_input_tokens: part,
        capabilities: fc.oneof(part, fc.record({ thinking: part })),
      }),
    );
    fc.assert(
      fc.property(info, (said) => {
        const { window = 1, boundThinking = false, ...rest } = capabilitiesIn(said);
        expect(window).toBeGreaterThan(0);
        expect([Number.isFinite(window), boundThinking, rest]).toEqual([true, false, {}]);
      }),
    );
  });

  it("outranks the table, and the host's word outranks it", () => {
    const said = { window: 300_000, boundThinking: false };
    expect(capabilitiesOf(MODEL, undefined, said)).toEqual({
      ...capabilitiesOf(MODEL),
      ...said,
      windowBy: "provider",
    });
    expect(capabilitiesOf(HARBOUR, {}, {})).toEqual({
      ...capabilitiesOf(HARBOUR),
      windowBy: "guess",
    });
    const own = { "sonnet-5": { window: 50_000, boundThinking: true } };
    expect(capabilitiesOf(MODEL, own, said)).toEqual({
      ...capabilitiesOf(MODEL),
      ...own["sonnet-5"],
      windowBy: "host",
    });
    expect(
      capabilitiesOf(MODEL, { "sonnet-5": { boundThinking: true } }, { window: 300_000 }),
    ).toMatchObject({ window: 300_000, windowBy: "provider" });
  });
});

describe("an answer that comes in the middle of a conversation", () => {
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

  it("that a model has no thoughts, where it refuses those that do not hold, gets nothing refused", async () => {
    const workspace = freshFolder();
    const server = await freshServer({
      models: {
        [MODEL]: {
          listed: {
            max_input_tokens: 6_000,
            capabilities: thinks(false),
          },
        },
        [HARBOUR]: { boundThinking: true },
      },
    });
    const messages: Anthropic.MessageParam[] = [];
    const told: string[] = [];
    for (let run = 0; run < 3; run++) {
      const { tidemark, events } = await freshTidemark({ workspace });
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
  });
});
