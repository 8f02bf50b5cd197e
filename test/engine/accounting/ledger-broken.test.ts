import {
  kindOf,
  asked,
  freshFolder,
  freshTidemark,
  loopOf,
  prose,
  setUp,
  typesOf,
} from "../../support/anthropic.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Complete } from "../../../src/model/ports.ts";
import { isUnpaid } from "../../../src/base/thrown.ts";
import {
  distilAsk,
  type Failure,
  type Json,
  type ServerOptions,
} from "../../support/messages-server/index.ts";
import { asReply, assistant, requestOf, user } from "../../support/talk.ts";

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
  const { memoryTotal, turns } = (await set.tidemark.stats()).ledger.total;
  return { ...set, memoryTotal, turns, calls: asked(set.server) };
}

describe("a call of memory whose answer broke", () => {
  const ways: [string, Parameters<typeof setUp>[0]][] = [
    ["on the wire", { server: { fail: forDistil({ cutAfter: 2 }) } }],
    ["on the wire, before it began", { server: { fail: forDistil("disconnect") } }],
    ["because it was no JSON", { server: { fail: forDistil("junk") } }],
    [
      "because it was an error behind good headers",
      {
        client: {
          fetch: changing(() =>
            JSON.stringify({
              type: "error",
              error: { type: "overloaded_error", message: "Overloaded" },
            }),
          ),
        },
      },
    ],
    [
      "because it was no message",
      {
        client: {
          fetch: changing(({ content: _, ...rest }) =>
            JSON.stringify({ ...rest, usage: undefined }),
          ),
        },
      },
    ],
    [
      "before its text",
      { client: { fetch: changing((answer) => broken(JSON.stringify(answer).slice(0, 20))) } },
    ],
    [
      "in the middle of its text",
      { client: { fetch: changing((answer) => broken(JSON.stringify(answer).slice(0, -30))) } },
    ],
  ];
  it.each(ways)("%s, is one failed line each, with its input by our count", async (_, options) => {
    const { memoryTotal, calls, events } = await until60(options);
    expect(calls.length).toBeGreaterThan(0);
    expect(memoryTotal).toMatchObject({
      calls: calls.length,
      failed: calls.length,
      estimated: calls.length,
      cacheRead: 0,
    });
    expect(memoryTotal.input).toBeGreaterThan(2_000 * calls.length);
    expect(memoryTotal.output).toBe(0);
    expect(memoryTotal.dollars).toBeGreaterThan(0);
    expect(typesOf(events)).toContain("distil-failed");
  });

  it("that only left out its usage is told apart: that one did not fail", async () => {
    const { memoryTotal, calls } = await until60({
      client: { fetch: changing(({ usage: _, ...rest }) => JSON.stringify(rest)) },
    });
    expect(memoryTotal).toMatchObject({ calls: calls.length, failed: 0, estimated: calls.length });
    expect(memoryTotal.output).toBeGreaterThan(20);
  });

  it("counts towards the budget, which stops such calls", async () => {
    let now = Date.UTC(2026, 0, 1);
    const { server, client, tidemark, events } = await setUp({
      server: { window: 30_000, fail: forDistil({ cutAfter: 2 }) },
      now: () => now,
      window: { tokens: 30_000, patience: 5_000 },
      distil: {},
      advanced: { budget: { tokensPerHour: 60_000 } },
    });
    const loop = loopOf(client);
    for (let turn = 0; turn < 80; turn++) {
      now += 30_000;
      await loop.say(`Boat ${turn}. ${prose(230, turn)}`);
      await tidemark.idle();
    }
    const billed = asked(server).reduce(
      (sum, { usage }) =>
        sum + (usage ? usage.input + usage.cacheRead + usage.cacheWrite + usage.output : 0),
      0,
    );
    expect(asked(server).length).toBeGreaterThan(0);
    expect(billed).toBeLessThanOrEqual(60_000);
    expect(events.find((event) => kindOf(event) === "budget-spent")).toMatchObject({
      of: "hour",
      budget: 60_000,
    });
    // Our own count stands for what was not reported: near what was billed.
    const { input, output } = (await tidemark.stats()).ledger.total.memoryTotal;
    expect(Math.abs(input + output - billed) / billed).toBeLessThan(0.2);
  });
});

describe("a call of memory that nobody pays for", () => {
  const refused: [string, Failure][] = [
    ["429", "rate-limit"],
    ["529", "overloaded"],
    ["500", "error"],
    ["400", { status: 400, type: "invalid_request_error", message: "no" }],
  ];
  it.each(refused)(
    "because the provider answered %s, is one failed line of nothing",
    async (_, failure) => {
      const { memoryTotal, calls } = await until60({ server: { fail: forDistil(failure) } });
      expect(calls.length).toBeGreaterThan(0);
      expect(memoryTotal).toMatchObject({
        calls: calls.length,
        failed: calls.length,
        estimated: 0,
        input: 0,
        cacheWrite: 0,
        cacheRead: 0,
        output: 0,
        dollars: 0,
      });
    },
  );

  it("is known by its status, or by a line that never was, however it is wrapped; and nothing else is", () => {
    const wrapped = (thrown: unknown, depth: number): unknown =>
      depth === 0 ? thrown : wrapped(new Error("outer", { cause: thrown }), depth - 1);
    const coded = (code: string): Error => Object.assign(new TypeError("fetch failed"), { code });
    const unpaid = fc.oneof(
      fc
        .integer({ min: 400, max: 599 })
        .chain((status) =>
          fc.constantFrom<unknown>(
            { status },
            Object.assign(new Error("no"), { statusCode: status }),
            { response: { status } },
          ),
        ),
      fc
        .constantFrom("ECONNREFUSED", "ENOTFOUND", "EAI_AGAIN", "UND_ERR_CONNECT_TIMEOUT")
        .map(coded),
    );
    const paid = fc.oneof(
      fc
        .constantFrom("ECONNRESET", "UND_ERR_SOCKET", "UND_ERR_BODY_TIMEOUT", "ETIMEDOUT")
        .map(coded),
      fc.constantFrom<unknown>(
        new Error("out of order"),
        new SyntaxError("Unexpected token"),
        { status: 200 },
        "no",
        undefined,
        null,
        new DOMException("aborted", "AbortError"),
      ),
    );
    const depth = fc.integer({ min: 0, max: 3 });
    fc.assert(
      fc.property(
        unpaid,
        depth,
        (thrown, deep) => void expect(isUnpaid(wrapped(thrown, deep))).toBe(true),
      ),
    );
    fc.assert(
      fc.property(
        paid,
        depth,
        (thrown, deep) => void expect(isUnpaid(wrapped(thrown, deep))).toBe(false),
      ),
    );
    const circle = new Error("round");
    circle.cause = circle;
    expect(isUnpaid(circle)).toBe(false);
  });
});

describe("a host's own function", () => {
  const said = JSON.stringify({ facts: [], summary: "They spoke." });
  const refusal = Object.assign(new Error("no"), { status: 503 });
  const ways: [
    string,
    (request: Parameters<Complete>[0]) => unknown,
    { input: boolean; output?: boolean; failed: boolean },
  ][] = [
    ["rejects", () => Promise.reject(new Error("out of order")), { input: true, failed: true }],
    [
      "throws before it answers",
      () => {
        throw new SyntaxError("Unexpected token");
      },
      { input: true, failed: true },
    ],
    [
      "rejects with a provider's refusal",
      () => Promise.reject(refusal),
      { input: false, failed: true },
    ],
    [
      "wraps one",
      () => Promise.reject(new Error("asked in vain", { cause: refusal })),
      { input: false, failed: true },
    ],
    ["answers nothing", () => Promise.resolve(undefined), { input: true, failed: true }],
    ["answers no text", () => Promise.resolve({ text: 7 }), { input: true, failed: true }],
    [
      "answers junk",
      () => Promise.resolve({ text: "Certainly!" }),
      { input: true, output: true, failed: false },
    ],
    [
      "answers well",
      () => Promise.resolve({ text: said }),
      { input: true, output: true, failed: false },
    ],
  ];
  it.each(ways)(
    "that %s leaves one line for each time it was asked",
    async (_, answer, { input, output = false, failed }) => {
      let calls = 0;
      const complete = (request: Parameters<Complete>[0]) =>
        (calls++, answer(request)) as ReturnType<Complete>;
      const { tidemark } = await freshTidemark({
        window,
        distil: { complete, model: "claude-sonnet-5-5" },
      });
      await talk(tidemark, () => calls > 0);
      const { memoryTotal } = (await tidemark.stats()).ledger.total;
      expect(memoryTotal).toMatchObject({
        calls,
        failed: failed ? calls : 0,
        estimated: input ? calls : 0,
      });
      expect(memoryTotal.input > 1_000).toBe(input);
      expect(memoryTotal.output > 0).toBe(output);
    },
  );

  it("that hears no signal is in the books when nobody waits for it any longer: at close", async () => {
    const workspace = freshFolder();
    let calls = 0;
    const open = () =>
      freshTidemark({
        workspace,
        window,
        distil: {
          complete: () => (calls++, new Promise<never>(() => undefined)),
          model: "claude-sonnet-5-5",
        },
      });
    const { tidemark } = await open();
    const messages = await talk(tidemark, () => true);
    while (calls === 0) await say(tidemark, messages);
    await tidemark.close();
    const { memoryTotal } = (await (await open()).tidemark.stats()).ledger.total;
    expect(memoryTotal).toMatchObject({ calls: 1, failed: 1, estimated: 1 });
    expect(memoryTotal.input).toBeGreaterThan(1_000);
  });

  it("stays in the sum when its conversation was forgotten meanwhile", async () => {
    const asking = Promise.withResolvers<undefined>();
    let calls = 0;
    const complete: Complete = async () => {
      calls++;
      await asking.promise;
      return { text: said, usage: { input: 700, cacheWrite: 0, cacheRead: 0, output: 30 } };
    };
    const { tidemark } = await freshTidemark({
      window,
      distil: { complete, model: "claude-sonnet-5-5" },
    });
    const messages = await talk(tidemark, () => true);
    while (calls === 0) await say(tidemark, messages);
    const [conversation] = await tidemark.history.list();
    expect(await tidemark.history.forget({ conversation: conversation!.id })).toBe(1);
    asking.resolve(undefined);
    await tidemark.idle();
    expect((await tidemark.stats()).ledger).toMatchObject({
      total: { memoryTotal: { calls, input: 700 * calls, output: 30 * calls, failed: 0 } },
      conversations: [],
    });
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
