import Anthropic from "@anthropic-ai/sdk";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import {
  blocked,
  clientOf,
  freshFolder,
  freshServer,
  freshTidemark,
  MODEL,
  prose,
  spoken,
  typesOf,
  UNBOUND,
} from "../support/anthropic.ts";
import type { Message } from "../../src/core/request.ts";
import type { Options, TidemarkEvent } from "../../src/index.ts";
import { validOpenAI } from "../support/histories.ts";
import { type Chance, chance } from "../support/histories-random.ts";
import { type Json, type MessagesServer, refusalOf } from "../support/messages-server/index.ts";
import { runs } from "../support/runs.ts";
import { asReply, copied } from "../support/talk.ts";

const look: Anthropic.Tool = {
  name: "look",
  description: "Looks.",
  input_schema: { type: "object" },
};
const FACTS = 24;
const fact = (at: number): string =>
  `Berth ${at} belongs to the boat Zephyr${at}, painted in colour${at}.`;
const question = (at: number): string =>
  `Which boat does berth ${at} belong to, is it Zephyr${at}?`;

interface Case {
  readonly name: string;
  readonly model: string;
  readonly tools: boolean;
  readonly way: "create" | "stream" | "begin";
  readonly window: number;
}

const BOUND_ELSEWHERE = "us.anthropic.claude-sonnet-5-5";
const CASES: readonly Case[] = (
  [
    ["shown for one turn, through create", MODEL, false, "create", 200_000],
    ["shown for one turn, streaming, with folds", MODEL, false, "stream", 1_700],
    ["as system messages beside tools, streaming", MODEL, true, "stream", 200_000],
    ["as system messages beside tools, through create, with folds", MODEL, true, "create", 2_600],
    ["in the user's own turn, through create, with folds", UNBOUND, true, "create", 2_600],
    ["in the user's own turn where thinking is bound", BOUND_ELSEWHERE, true, "begin", 200_000],
  ] as const
).map(([name, model, tools, way, window]) => ({ name, model, tools, way, window }));

/** A model that thinks, and calls its tool now and then. */
const replies = (random: Chance, tools: boolean) => (request: Json) => {
  const last = (request.messages as Json[]).findLast(({ role }) => role === "user");
  const inLoop = JSON.stringify(last?.content).includes("tool_result");
  const thinking = random.maybe(0.8) ? [{ type: "thinking", thinking: random.text(60) }] : [];
  return tools && random.maybe(inLoop ? 0.3 : 0.4)
    ? [...thinking, { type: "tool_use", name: "look", input: random.input() }]
    : [...thinking, { type: "text", text: `So it is. ${prose(30, random.nat(50))}` }];
};

const written = (body: Json): string[] =>
  (body.messages as Json[]).map(
    (message) => JSON.stringify(blocked(message)) + String(message.clear_at ?? ""),
  );
const holds = (message: unknown): boolean => JSON.stringify(message).includes("<tidemark-recall>");

/** A workspace that knows where each boat lies, closed and opened again as chance has it. */
async function openBerths(random: Chance, options: Options) {
  const given = {
    workspace: freshFolder(),
    inject: false,
    recall: { tokens: 200 },
    ...options,
  } as const;
  let { tidemark, events } = await freshTidemark(given);
  const all: TidemarkEvent[] = [];
  for (let at = 0; at < FACTS; at++) await tidemark.memory.save(fact(at));
  return {
    get tidemark() {
      return tidemark;
    },
    mayRestart: async (): Promise<boolean> => {
      if (!random.maybe(0.15)) return false;
      await tidemark.close();
      all.push(...events);
      ({ tidemark, events } = await freshTidemark(given));
      return true;
    },
    /** What was told, once it is closed; nothing recalled is archived. */
    leave: async (): Promise<string[]> => {
      await tidemark.idle();
      const [conversation] = await tidemark.history.list();
      const { messages } = await tidemark.history.read({ conversation: conversation!.id });
      expect(holds(messages)).toBe(false);
      await tidemark.close();
      return typesOf([...all, ...events]);
    },
  };
}
const times = (kinds: readonly string[], kind: string): number =>
  kinds.filter((one) => one === kind).length;

/** Between folds each request goes on where the last one stopped. */
function expectStable(sent: readonly (readonly string[])[], kinds: readonly string[]): void {
  const breaks = sent
    .slice(1)
    .filter((now, at) => sent[at]!.some((message, place) => now[place] !== message)).length;
  expect(breaks).toBeLessThanOrEqual(times(kinds, "folded"));
}

async function play(given: Case, seed: number) {
  const random = chance(seed);
  const server: MessagesServer = await freshServer({
    reply: replies(random, given.tools),
    models: { [BOUND_ELSEWHERE]: { boundThinking: true, systemMessages: false } },
  });
  const berths = await openBerths(random, {
    ...(given.way === "begin" || random.maybe(0.5) ? { distil: "extractive" } : {}),
    window: { tokens: given.window, reserve: 300 },
  });
  const bare = new Anthropic({ baseURL: server.url, apiKey: "test" });
  let messages: Anthropic.MessageParam[] = [];
  const send = async (): Promise<Anthropic.Message> => {
    const before = JSON.stringify(messages);
    const client = clientOf(server, berths.tidemark);
    const asked = {
      ...{ model: given.model, max_tokens: 400, messages },
      thinking: { type: "adaptive" as const },
      ...(given.tools ? { tools: [look] } : {}),
    };
    const turn = given.way === "begin" ? await berths.tidemark.begin(asked) : undefined;
    const reply = turn
      ? await bare.messages.create(turn.request)
      : given.way === "create"
        ? await client.messages.create(asked)
        : await client.messages.stream(asked).finalMessage();
    await turn?.end(reply);
    expect(JSON.stringify(messages)).toBe(before);
    return reply;
  };

  for (let turn = 0; turn < 16; turn++) {
    // A host that keeps its conversation in a file has it back as other objects.
    if (await berths.mayRestart()) messages = copied(messages);
    // What memory learns meanwhile changes nothing of what was sent.
    if (random.maybe(0.3))
      await berths.tidemark.memory.save(
        `${fact(random.nat(FACTS))} So it was said on day ${turn}.`,
      );
    const text = random.maybe(0.8) ? question(random.nat(FACTS)) : `Of the sea. ${prose(40, turn)}`;
    messages.push({ role: "user", content: random.maybe(0.7) ? text : [{ type: "text", text }] });
    // A call that fails is made again; another time its reply is not liked.
    if (turn > 0 && random.maybe(0.1)) await send();
    for (let round = 0; ; round++) {
      const { content } = await send();
      messages.push({ role: "assistant", content });
      const results = content.flatMap((block) =>
        block.type === "tool_use"
          ? [{ type: "tool_result" as const, tool_use_id: block.id, content: prose(60, round) }]
          : [],
      );
      if (results.length === 0) break;
      messages.push({ role: "user", content: results });
      if (round < 4) continue;
      messages.push({ role: "assistant", content: "Enough of looking." });
      break;
    }
  }
  const kinds = await berths.leave();

  // Valid: nothing was refused, by the strict server or for its form.
  expect(server.refusals).toEqual([]);
  expect(kinds).not.toContain("degraded");
  const bodies = spoken(server).map(({ body }) => body);
  const betas = ["mid-conversation-system-clear-at-2026-08-21"];
  for (const body of bodies)
    expect(refusalOf(body, server.model(given.model), { betas })).toBeUndefined();
  expectStable(bodies.map(written), kinds);
  // A memory stands in view once: what an earlier turn showed and still shows is not shown again.
  for (const body of bodies) {
    const standing = (body.messages as Json[]).filter(
      (message) => message.clear_at === undefined && holds(message),
    );
    const lines = standing.flatMap(
      (message) =>
        JSON.stringify(message).match(
          /Berth \d+ belongs to the boat Zephyr\d+, painted in colour\d+\.(?: So it was said on day \d+\.)? \(/g,
        ) ?? [],
    );
    expect(new Set(lines).size).toBe(lines.length);
  }
  return {
    recalls: bodies.filter((body) => holds(body)).length,
    folds: times(kinds, "folded"),
    dropped: times(kinds, "thinking-dropped"),
  };
}

describe("whatever a conversation does, with recall on every turn", () => {
  it.each(CASES)(
    "nothing is refused, no prefix changes but by a fold, nothing recalled is archived: $name",
    async (given) => {
      let [recalls, folds] = [0, 0];
      await fc.assert(
        fc.asyncProperty(fc.noShrink(fc.nat()), async (seed) => {
          const played = await play(given, seed);
          recalls += played.recalls;
          folds += played.folds;
          if (given.window === 200_000) expect(played.dropped).toBe(0);
        }),
        { numRuns: runs(2), seed: 7 },
      );
      expect(recalls).toBeGreaterThan(10);
      expect(folds > 0).toBe(given.window < 200_000);
    },
  );
});

/** The same by OpenAI's rules, where every message is a message of its own. */
async function playChat(model: string, seed: number): Promise<number> {
  const random = chance(seed);
  const berths = await openBerths(random, {
    distil: "extractive",
    window: { tokens: random.pick([200_000, 2_600]), reserve: 300 },
  });
  const messages: Message[] = random.maybe(0.5)
    ? [{ role: random.pick(["system", "developer"]), content: "Be kind." }]
    : [];
  const sent: string[][] = [];
  let recalls = 0;
  for (let turn = 0; turn < 16; turn++) {
    await berths.mayRestart();
    const content = random.maybe(0.7)
      ? question(random.nat(FACTS))
      : [{ type: "text", text: prose(40, turn) }];
    messages.push({ role: "user", content });
    for (let round = 0; round < 4; round++) {
      const before = JSON.stringify(messages);
      const { request, end } = await berths.tidemark.begin(
        { model, max_tokens: 300, messages },
        { format: "openai-chat" },
      );
      expect(JSON.stringify(messages)).toBe(before);
      expect(validOpenAI(request.messages)).toBeUndefined();
      if (model !== "gpt-5")
        expect(request.messages.slice(1).map(({ role }) => role)).not.toContain("system");
      sent.push(request.messages.map((message) => JSON.stringify(message)));
      recalls += holds(request.messages) ? 1 : 0;
      const id = random.id("call_");
      const calls = round < 3 && random.maybe(0.4);
      const used = { id, type: "function", function: { name: "look", arguments: "{}" } };
      const message: Message = calls
        ? { role: "assistant", content: null, tool_calls: [used] }
        : { role: "assistant", content: prose(30, random.nat(50)) };
      await end(asReply(message, "openai-chat"));
      messages.push(message);
      if (!calls) break;
      messages.push({ role: "tool", tool_call_id: id, content: prose(40, round) });
    }
  }
  expectStable(sent, await berths.leave());
  return recalls;
}

it.each(["gpt-5", "qwen3-32b"])(
  "whatever a conversation of OpenAI's form does, it stays valid and goes on where it stopped: %s",
  async (model) => {
    let recalls = 0;
    await fc.assert(
      fc.asyncProperty(
        fc.noShrink(fc.nat()),
        async (seed) => void (recalls += await playChat(model, seed)),
      ),
      { numRuns: runs(2), seed: 7 },
    );
    expect(recalls).toBeGreaterThan(10);
  },
);
