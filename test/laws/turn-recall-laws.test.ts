import type Anthropic from "@anthropic-ai/sdk";
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
import { validOpenAI } from "../support/histories.ts";
import { type Chance, chance } from "../support/histories-random.ts";
import {
  type Json,
  type MessagesServer,
  type Received,
  refusalOf,
} from "../support/messages-server/index.ts";
import { runs } from "../support/runs.ts";

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

const CASES: readonly Case[] = [
  {
    name: "shown for one turn, through create",
    model: MODEL,
    tools: false,
    way: "create",
    window: 200_000,
  },
  {
    name: "shown for one turn, streaming, with folds",
    model: MODEL,
    tools: false,
    way: "stream",
    window: 1_700,
  },
  {
    name: "as system messages beside tools, streaming",
    model: MODEL,
    tools: true,
    way: "stream",
    window: 200_000,
  },
  {
    name: "as system messages beside tools, through create, with folds",
    model: MODEL,
    tools: true,
    way: "create",
    window: 2_600,
  },
  {
    name: "as system messages, by begin and end, with folds",
    model: MODEL,
    tools: true,
    way: "begin",
    window: 2_600,
  },
  {
    name: "in the user's own turn, through create, with folds",
    model: UNBOUND,
    tools: true,
    way: "create",
    window: 2_600,
  },
  {
    name: "in the user's own turn of a model that binds thinking, by begin and end",
    model: "us.anthropic.claude-sonnet-5-5",
    tools: true,
    way: "begin",
    window: 200_000,
  },
];

/** A model that thinks, and calls its tool now and then. */
const replies = (random: Chance, tools: boolean) => (request: Json) => {
  const last = (request.messages as Json[]).findLast(({ role }) => role === "user");
  const inLoop = JSON.stringify(last?.content).includes("tool_result");
  const thinking = random.maybe(0.8) ? [{ type: "thinking", thinking: random.text(60) }] : [];
  return tools && random.maybe(inLoop ? 0.3 : 0.4)
    ? [...thinking, { type: "tool_use", name: "look", input: random.input() }]
    : [...thinking, { type: "text", text: `So it is. ${prose(30, random.nat(50))}` }];
};

const bodyOf = ({ body }: Received): Json => body;
const written = (body: Json): string[] =>
  (body.messages as Json[]).map(
    (message) => JSON.stringify(blocked(message)) + String(message.clear_at ?? ""),
  );
const holds = (message: unknown): boolean => JSON.stringify(message).includes("<tidemark-recall>");

async function play(
  given: Case,
  seed: number,
): Promise<{ recalls: number; folds: number; dropped: number }> {
  const random = chance(seed);
  const server: MessagesServer = await freshServer({
    reply: replies(random, given.tools),
    models: { "us.anthropic.claude-sonnet-5-5": { boundThinking: true, systemMessages: false } },
  });
  const workspace = freshFolder();
  const options = {
    workspace,
    inject: false as const,
    recall: { tokens: 200 },
    ...(given.way === "begin" || random.maybe(0.5) ? { distil: "extractive" as const } : {}),
    window: { tokens: given.window, reserve: 300 },
  };
  let { tidemark, events } = await freshTidemark(options);
  for (let at = 0; at < FACTS; at++) await tidemark.memory.save(fact(at));
  const messages: Anthropic.Beta.BetaMessageParam[] = [];
  const all = [...events];
  const base = {
    model: given.model,
    max_tokens: 400,
    thinking: { type: "adaptive" as const },
    ...(given.tools ? { tools: [look] } : {}),
  };

  const send = async (): Promise<Anthropic.Message> => {
    const before = JSON.stringify(messages);
    const reply = await (async () => {
      if (given.way === "begin") {
        const turn = await tidemark.begin({ ...base, messages: messages as never });
        const response = await fetch(`${server.url}/v1/messages`, {
          method: "POST",
          headers: {
            "x-api-key": "test",
            "anthropic-version": "2023-06-01",
            "content-type": "application/json",
          },
          body: JSON.stringify(turn.request),
        });
        const answer = (await response.json()) as Anthropic.Message;
        if (!response.ok) throw new Error(JSON.stringify(answer));
        await turn.end(answer);
        return answer;
      }
      const client = clientOf(server, tidemark);
      if (given.way === "create")
        return client.messages.create({ ...base, messages: messages as never });
      return client.messages.stream({ ...base, messages: messages as never }).finalMessage();
    })();
    expect(JSON.stringify(messages)).toBe(before);
    return reply;
  };

  for (let turn = 0; turn < 16; turn++) {
    if (random.maybe(0.15)) {
      await tidemark.close();
      all.push(...events);
      ({ tidemark, events } = await freshTidemark(options));
      // A host that keeps its conversation in a file has it back as other objects.
      messages.splice(
        0,
        messages.length,
        ...(JSON.parse(JSON.stringify(messages)) as typeof messages),
      );
    }
    // What memory learns meanwhile changes nothing of what was sent.
    if (random.maybe(0.3))
      await tidemark.memory.save(`${fact(random.nat(FACTS))} So it was said on day ${turn}.`);
    const about = random.nat(FACTS);
    messages.push({
      role: "user",
      content: random.maybe(0.6)
        ? question(about)
        : random.maybe(0.5)
          ? [{ type: "text", text: question(about) }]
          : `Tell me of the sea. ${prose(40, turn)}`,
    });
    // A call that fails is made again; another time its reply is not liked.
    if (random.maybe(0.1)) await send();
    let reply = await send();
    for (
      let round = 0;
      reply.content.some(({ type }) => type === "tool_use") && round < 4;
      round++
    ) {
      messages.push({ role: "assistant", content: reply.content as never });
      const results = reply.content.flatMap((block) =>
        block.type === "tool_use"
          ? [{ type: "tool_result" as const, tool_use_id: block.id, content: prose(60, round) }]
          : [],
      );
      messages.push({ role: "user", content: results });
      reply = await send();
    }
    if (reply.content.some(({ type }) => type === "tool_use")) {
      messages.push({ role: "assistant", content: reply.content as never });
      messages.push({
        role: "user",
        content: reply.content.flatMap((block) =>
          block.type === "tool_use"
            ? [{ type: "tool_result" as const, tool_use_id: block.id, content: "done" }]
            : [],
        ),
      });
      messages.push({ role: "assistant", content: "Enough of looking." });
    } else messages.push({ role: "assistant", content: reply.content as never });
  }
  await tidemark.idle();
  const [conversation] = await tidemark.history.list();
  const archived = (await tidemark.history.read({ conversation: conversation!.id })).messages;
  expect(holds(archived)).toBe(false);
  await tidemark.close();
  all.push(...events);

  // Valid: nothing was refused, by the strict server or for its form.
  expect(server.refusals).toEqual([]);
  expect(typesOf(all)).not.toContain("degraded");
  for (const { body } of spoken(server))
    expect(
      refusalOf(body, server.model(given.model), {
        betas: ["mid-conversation-system-clear-at-2026-08-21"],
      }),
    ).toBeUndefined();
  // Stable: between folds each request goes on where the last one stopped.
  const bodies = spoken(server).map(bodyOf);
  let breaks = 0;
  for (let at = 1; at < bodies.length; at++) {
    const [before, now] = [written(bodies[at - 1]!), written(bodies[at]!)];
    if (before.some((message, place) => now[place] !== message)) breaks++;
  }
  const folds = typesOf(all).filter((type) => type === "folded").length;
  expect(breaks).toBeLessThanOrEqual(folds);
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
    folds,
    dropped: typesOf(all).filter((type) => type === "thinking-dropped").length,
  };
}

describe("whatever a conversation does, with recall on every turn", () => {
  it.each(CASES)(
    "nothing is refused, no prefix changes but by a fold, nothing recalled is archived: $name",
    async (given) => {
      let recalls = 0;
      let folds = 0;
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
  const workspace = freshFolder();
  const options = {
    workspace,
    inject: false as const,
    recall: { tokens: 200 },
    distil: "extractive" as const,
    window: { tokens: random.pick([200_000, 2_600]), reserve: 300 },
  };
  let { tidemark, events } = await freshTidemark(options);
  for (let at = 0; at < FACTS; at++) await tidemark.memory.save(fact(at));
  const messages: Message[] = random.maybe(0.5)
    ? [{ role: random.pick(["system", "developer"]), content: "Be kind." }]
    : [];
  const sent: string[][] = [];
  let folds = 0;
  let recalls = 0;
  for (let turn = 0; turn < 16; turn++) {
    if (random.maybe(0.15)) {
      await tidemark.close();
      folds += typesOf(events).filter((type) => type === "folded").length;
      ({ tidemark, events } = await freshTidemark(options));
    }
    messages.push({
      role: "user",
      content: random.maybe(0.7)
        ? question(random.nat(FACTS))
        : [{ type: "text", text: prose(40, turn) }],
    });
    for (let round = 0; round < 4; round++) {
      const before = JSON.stringify(messages);
      const { request, end } = await tidemark.begin(
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
      const message: Message = calls
        ? {
            role: "assistant",
            content: null,
            tool_calls: [{ id, type: "function", function: { name: "look", arguments: "{}" } }],
          }
        : { role: "assistant", content: prose(30, random.nat(50)) };
      await end({ choices: [{ message, finish_reason: "stop" }] });
      messages.push(message);
      if (!calls) break;
      messages.push({ role: "tool", tool_call_id: id, content: prose(40, round) });
    }
  }
  await tidemark.idle();
  const [conversation] = await tidemark.history.list();
  expect(holds((await tidemark.history.read({ conversation: conversation!.id })).messages)).toBe(
    false,
  );
  await tidemark.close();
  folds += typesOf(events).filter((type) => type === "folded").length;
  const breaks = sent
    .slice(1)
    .filter((now, at) => sent[at]!.some((message, place) => now[place] !== message)).length;
  expect(breaks).toBeLessThanOrEqual(folds);
  return recalls;
}

describe("whatever a conversation of OpenAI's form does, with recall on every turn", () => {
  it.each(["gpt-5", "qwen3-32b"])(
    "it stays valid and goes on where it stopped: %s",
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
});
