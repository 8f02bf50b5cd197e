import {
  asked,
  freshTidemark,
  loopOf,
  MODEL,
  prose,
  setUp,
  typesOf,
} from "../support/anthropic.ts";
import { describe, expect, it } from "vitest";
import type { Complete } from "../../src/core/request.ts";
import { isUnpaid } from "../../src/core/errors-and-events.ts";
import {
  distilAsk,
  type Failure,
  type Json,
  type ServerOptions,
} from "../support/messages-server/index.ts";
import { asReply, assistant, requestOf, user } from "../support/talk.ts";

const window = { tokens: 8_000, patience: 5_000 };
const forDistil =
  (failure: Failure): NonNullable<ServerOptions["fail"]> =>
  (body) =>
    distilAsk(body) === undefined ? undefined : failure;

/** The provider's answer to a request to distil, changed on its way; all else goes as it is. */
const changing =
  (change: (answer: Json) => string | ReadableStream<Uint8Array>): typeof fetch =>
  async (url, init) => {
    const response = await fetch(url, init);
    if (typeof init?.body !== "string" || distilAsk(JSON.parse(init.body) as Json) === undefined)
      return response;
    return new Response(change((await response.json()) as Json), {
      status: response.status,
      headers: { "content-type": "application/json" },
    });
  };

/** A stream that gives so many characters and then breaks. */
const broken = (text: string): ReadableStream<Uint8Array> => {
  const parts = [new TextEncoder().encode(text)];
  return new ReadableStream({
    pull: (to) =>
      ((part) => (part ? to.enqueue(part) : to.error(new TypeError("terminated"))))(parts.shift()),
  });
};

async function until60(options: Parameters<typeof setUp>[0]) {
  const set = await setUp({ window, ...options });
  const loop = loopOf(set.client);
  for (
    let turn = 0;
    turn < 30 &&
    asked(set.server).length +
      typesOf(set.events).filter((type) => type === "distil-failed").length ===
      0;
    turn++
  ) {
    await loop.say(`Tell me of boat ${turn}. ${prose(450, turn)}`);
    await set.tidemark.idle();
  }
  const { distil } = (await set.tidemark.stats()).calls;
  return { ...set, distil, calls: asked(set.server) };
}

describe("a call of memory whose answer broke", () => {
  const ways: [string, Parameters<typeof setUp>[0]][] = [
    ["on the wire", { server: { fail: forDistil({ cutAfter: 2 }) } }],
    [
      "in the middle of its text",
      { client: { fetch: changing((answer) => broken(JSON.stringify(answer).slice(0, -30))) } },
    ],
  ];
  it.each(ways)("%s, is counted with its input by our count", async (_, options) => {
    const { distil, calls, events } = await until60(options);
    expect(calls.length).toBeGreaterThan(0);
    expect(distil).toMatchObject({ calls: calls.length, cacheRead: 0, output: 0 });
    expect(distil.input).toBeGreaterThan(2_000 * calls.length);
    expect(distil.dollars).toBeGreaterThan(0);
    expect(typesOf(events)).toContain("distil-failed");
  });
});

describe("a call of memory that nobody pays for", () => {
  it("is known by its status, or by a line that never was, however it is wrapped", () => {
    const coded = (code: string): Error => Object.assign(new TypeError("fetch failed"), { code });
    const wrapped = (thrown: unknown) =>
      new Error("o", { cause: new Error("i", { cause: thrown }) });
    const unpaid = [{ status: 429 }, { statusCode: 503 }, { response: { status: 400 } }];
    for (const thrown of [...unpaid, coded("ECONNREFUSED"), coded("ENOTFOUND")])
      expect([isUnpaid(thrown), isUnpaid(wrapped(thrown))]).toEqual([true, true]);
    const paid = [coded("ECONNRESET"), coded("ETIMEDOUT"), new Error("no"), { status: 200 }];
    for (const thrown of [...paid, "no", undefined, null])
      expect([isUnpaid(thrown), isUnpaid(wrapped(thrown))]).toEqual([false, false]);
    const circle = new Error("round");
    circle.cause = circle;
    expect(isUnpaid(circle)).toBe(false);
  });
});

describe("a host's own function", () => {
  const refusal = Object.assign(new Error("no"), { status: 503 });
  const ways: [string, () => unknown, { input: boolean; output: boolean }][] = [
    ["rejects", () => Promise.reject(new Error("no")), { input: true, output: false }],
    ["passes on a refusal", () => Promise.reject(refusal), { input: false, output: false }],
    ["answers no text", () => Promise.resolve({ text: 7 }), { input: true, output: false }],
    ["answers junk", () => Promise.resolve({ text: "Certainly!" }), { input: true, output: true }],
  ];
  it.each(ways)("that %s is counted each time it was asked", async (_, answer, taken) => {
    let calls = 0;
    const complete = () => (calls++, answer()) as ReturnType<Complete>;
    const { tidemark } = await freshTidemark({ window, distil: { complete, model: MODEL } });
    await talk(tidemark, () => calls > 0);
    const { distil } = (await tidemark.stats()).calls;
    expect(distil.calls).toBe(calls);
    expect(distil.input > 1_000).toBe(taken.input);
    expect(distil.output > 0).toBe(taken.output);
  });
});

type Of = Awaited<ReturnType<typeof freshTidemark>>["tidemark"];

async function say(tidemark: Of, messages: ReturnType<typeof user>[]): Promise<void> {
  messages.push(user(`Note ${messages.length}. ${prose(450, messages.length)}`));
  const reply = assistant("Noted.");
  await (await tidemark.begin(requestOf(messages))).end(asReply(reply));
  messages.push(reply);
  await new Promise((resolve) => setImmediate(resolve));
}

async function talk(tidemark: Of, done: () => boolean) {
  const messages: ReturnType<typeof user>[] = [];
  do {
    await say(tidemark, messages);
    if (!done()) await tidemark.idle();
  } while (!done());
  return messages;
}
