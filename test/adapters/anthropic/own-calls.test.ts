import type Anthropic from "@anthropic-ai/sdk";
import fc from "fast-check";
import { expect, it } from "vitest";
import type { Complete } from "../../../src/core/request.ts";
import {
  asked,
  clientOf,
  freshServer,
  freshTidemark,
  loopOf,
  MODEL,
  prose,
  setUp,
  systemText,
  textOf,
} from "../../support/anthropic.ts";

const LINE = "[tidemark] distil";
const SAID = JSON.stringify({ facts: [], summary: "They talked of a boat." });

/** A talk whose distiller is a function that sends through the wrapped client, in whatever way. */
async function talkThrough(
  send: (client: Anthropic, request: Parameters<Complete>[0]) => Promise<Anthropic.Message>,
) {
  const server = await freshServer({ window: 60_000 });
  const held: { client?: Anthropic } = {};
  const distil: Complete = async (request) => {
    if (held.client === undefined) throw new Error("no client yet");
    return { text: textOf(await send(held.client, request)) };
  };
  const set = await freshTidemark({ distil, window: { tokens: 60_000 } });
  const client = (held.client = clientOf(server, set.tidemark));
  const loop = loopOf(client);
  for (let turn = 0; turn < 5; turn++) await loop.say(`Turn ${turn}: ${prose(200, turn)}`);
  return { ...set, server, client, loop };
}

const create = (client: Anthropic, { messages, maxTokens, signal }: Parameters<Complete>[0]) =>
  client.messages.create(
    { model: MODEL, max_tokens: maxTokens, messages: messages as never },
    { signal },
  );

const say = (client: Anthropic, content: string | Anthropic.ContentBlockParam[]) =>
  client.messages.create({ model: MODEL, max_tokens: 500, messages: [{ role: "user", content }] });

const worded = (reply: Anthropic.Message): Anthropic.Message => ({
  ...reply,
  content: [{ type: "text", text: SAID, citations: null }],
});

/** One worker that was started before anything was asked of it: no context reaches what it runs. */
function workerQueue() {
  const jobs: (() => Promise<void>)[] = [];
  let wake = (): void => undefined;
  const next = () => new Promise<void>((resolve) => (wake = resolve));
  let over = false;
  const ended = (async () => {
    for (let idle = next(); !over; await idle, idle = next())
      for (const job of jobs.splice(0)) await job();
  })();
  return {
    add: <T>(work: () => Promise<T>): Promise<T> =>
      new Promise((resolve, reject) => {
        jobs.push(() => work().then(resolve, reject));
        wake();
      }),
    stop: () => ((over = true), wake(), ended),
  };
}

it("a message that reads like our instruction is a turn like any other", async () => {
  const { client, server, tidemark } = await setUp();
  await tidemark.memory.save("The harbour master is called Zephyrine.");
  const uuid = fc.uuid().map((id) => `\nCall: ${id}`);
  const rest = fc.oneof(
    fc.constant(""),
    uuid,
    fc.string().map((text) => `\n${text}`),
  );
  const inBlocks = fc.boolean();
  let turns = 0;
  await fc.assert(
    fc.asyncProperty(rest, inBlocks, async (behind, blocks) => {
      const text = `${LINE}${behind}`;
      const texts = ["Hello.", text].map((one) => ({ type: "text" as const, text: one }));
      await say(client, blocks ? texts : text);
      turns++;
      const sent = server.requests.at(-1)?.body ?? {};
      expect(systemText(sent)).toContain("Zephyrine");
      expect(JSON.stringify(sent.messages)).toContain(LINE);
    }),
    { numRuns: 25 },
  );
  expect((await tidemark.stats()).calls.turn.calls).toBe(turns);
});

it("a call of ours is known by the mark in it where a queue has lost its context", async () => {
  const queue = workerQueue();
  const { tidemark, server } = await talkThrough((client, request) =>
    queue.add(() => create(client, request)),
  );
  expect(await tidemark.fold()).toMatchObject({ messages: expect.any(Number) as number });
  await tidemark.idle();
  expect(asked(server).length).toBeGreaterThan(0);
  expect(await tidemark.history.list()).toHaveLength(1);
  await queue.stop();
});

it("a call of ours is known by its context where the host words the request anew", async () => {
  const { tidemark, server } = await talkThrough(async (client) =>
    worded(await say(client, "Sum it up, please.")),
  );
  expect(await tidemark.fold()).toMatchObject({ messages: expect.any(Number) as number });
  expect(JSON.stringify(server.requests.at(-1)?.body)).toContain("Sum it up, please.");
  expect(await tidemark.history.list()).toHaveLength(1);
});

it("a turn that a queue runs in our context is a turn, and a mark is of no use again", async () => {
  const held: { other?: () => Promise<unknown>; mark?: string } = {};
  const { tidemark, client } = await talkThrough(async (wrapped, request) => {
    held.mark = /Call: \S+/.exec(JSON.stringify(request.messages.at(-1)))?.[0].slice(0, 42);
    const reply = await create(wrapped, request);
    await held.other?.();
    return worded(reply);
  });
  held.other = () => say(client, "Somebody else's turn.");
  await tidemark.fold();
  expect(await tidemark.history.list()).toHaveLength(2);
  expect(held.mark).toMatch(/^Call: [0-9a-f-]{36}$/);
  await say(client, `${LINE}\n${held.mark}`);
  expect(await tidemark.history.list()).toHaveLength(3);
});
