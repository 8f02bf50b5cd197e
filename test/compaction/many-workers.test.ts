import { setImmediate as breath } from "node:timers/promises";
import { describe, expect, it } from "vitest";
import type { TidemarkEvent } from "../../src/core/errors-and-events.ts";
import type { Message } from "../../src/core/request.ts";
import type { Options, Tidemark } from "../../src/session/options/tidemark-api.ts";
import { openWith } from "../../src/tidemark/open-tidemark.ts";
import { postgresStorage } from "../../src/storage/postgres/postgres-storage.ts";
import { afterwards, freshFolder } from "../support/afterwards.ts";
import { prose } from "../support/anthropic.ts";
import { counted } from "../support/counted-distiller.ts";
import { handTimer } from "../support/hand-timer.ts";
import { pglite } from "../support/pglite.ts";
import { play } from "../support/talk.ts";

const { server, schema } = pglite();
const stores: [string, () => () => Promise<Options>][] = [
  [
    "a SQLite file",
    () => {
      const workspace = freshFolder();
      return () => Promise.resolve({ workspace });
    },
  ],
  [
    "PostgreSQL",
    () => {
      const name = schema();
      return async () => ({ store: await postgresStorage(server, name) });
    },
  ],
];

const until = async (what: string, holds: () => boolean): Promise<void> => {
  for (let rounds = 0; !holds(); rounds += 1) {
    if (rounds > 20_000) throw new Error(`It did not come to it: ${what}`);
    await breath();
  }
};

/** Workers on one store, each with timers that go off when the test says so; the clock is one. */
async function workers(open: () => Promise<Options>, how: Options = {}) {
  const clock = { now: Date.UTC(2026, 0, 1) };
  const worker = async () => {
    const hand = handTimer();
    const model = counted();
    const events: TidemarkEvent[] = [];
    const own = await open();
    const tidemark = await openWith(
      {
        ...{ cache: false, recall: false, distil: model.complete, now: () => clock.now },
        ...{ window: { tokens: 12_000, patience: 0 }, listen: (event) => events.push(event) },
        ...how,
        ...own,
      },
      hand.timer,
    );
    afterwards(async () => {
      const closing = tidemark.close();
      model.answerAll();
      await closing;
    });
    const looks = () => hand.all.filter(({ ms }) => ms === 1_000);
    return {
      ...{ tidemark, hand, events, ...model },
      waits: (many = 1) => until("it waits", () => looks().length === many),
      /** It looks once more whether there is room. */
      look: () => looks().forEach(hand.fire),
      done: (type: TidemarkEvent["type"], times = 1) =>
        until(type, () => events.filter((event) => event.type === type).length >= times),
      /** It neither waits nor works. */
      idle: () => until("idle", () => !hand.all.some(({ ms }) => ms === 1_000 || ms === 4_000)),
      tells: () => hand.all.filter(({ ms }) => ms === 4_000).forEach(hand.fire),
    };
  };
  return { clock, a: await worker(), b: await worker() };
}

/** Turns of a conversation up to a level, by these workers in turn; of each message a fact could be made. */
async function talk(all: readonly Tidemark[], of: string, level: number, messages: Message[] = []) {
  for (let turn = messages.length / 2; ; turn += 1) {
    const { window } = await play(all[turn % all.length]!, {
      ...{ messages, conversation: of, reply: () => `Noted ${turn}.` },
      calls: [`«${of}» ${turn} ${prose(900, turn)}`],
    });
    if (window.level >= level) return messages;
  }
}

const factsOf = async ({ tidemark }: { tidemark: Tidemark }): Promise<number> =>
  (await tidemark.memory.list({ limit: 99 })).filter(({ content }) => content.includes("Nixe"))
    .length;

describe.each(stores)("workers on %s", (_name, store) => {
  it("distil a range once, and one folds with what another has prepared", async () => {
    const { a, b } = await workers(store());
    const messages = await talk([a.tidemark], "c", 0.6);
    await until("the first is asked", () => a.asks.length === 1);
    // The second crosses the mark as well, and waits for the first.
    await play(b.tidemark, { messages, conversation: "c", calls: ["«c» And now?"] });
    await b.waits();
    b.look();
    await b.waits();
    a.asks[0]!.answer();
    await a.done("distilled");
    b.look();
    await b.idle();
    while (!b.events.some(({ type }) => type === "folded"))
      await talk([b.tidemark], "c", 0, messages);
    const summaries = [...a.asks, ...b.asks].filter(({ summary }) => summary);
    const [{ folds } = { folds: 0 }] = await a.tidemark.history.list();
    expect([summaries.length, folds, await factsOf(b)]).toEqual([1, 1, 1]);
  });

  it("take over from one that is dead within 15 s, and what it says late is stored nowhere", async () => {
    const { a, b, clock } = await workers(store());
    const messages = await talk([a.tidemark], "c", 0.6);
    await until("the first is asked", () => a.asks.length === 1);
    await play(b.tidemark, { messages, conversation: "c", calls: ["«c» And now?"] });
    await b.waits();
    // As long as it tells of itself it is left alone.
    clock.now += 11_000;
    a.tells();
    // The store is asked in turn, so it has heard by then.
    await a.tidemark.memory.save("The boat is in the harbour.");
    clock.now += 11_000;
    b.look();
    await b.waits();
    expect(b.asks).toHaveLength(0);
    clock.now += 4_000;
    b.look();
    await until("the second is asked", () => b.asks.length === 1);
    b.asks[0]!.answer();
    await b.done("distilled");
    a.asks[0]!.answer();
    await a.idle();
    expect([a.asks.length, b.asks.length, await factsOf(b)]).toEqual([1, 1, 1]);
    expect((await b.tidemark.stats()).queued).toBe(0);
  });

  it("read what waits in the queue once, and for one that is dead within 15 s", async () => {
    const { a, b, clock } = await workers(store());
    await play(a.tidemark, { conversation: "c", calls: [`«c» ${prose(60, 1)}`] });
    clock.now += 300_000;
    for (const ms of [270_000, 3_240_000]) {
      await until("it rests", () => a.hand.all.some((timer) => timer.ms === ms));
      a.hand.fire(a.hand.all.find((timer) => timer.ms === ms)!);
    }
    await until("the first is asked", () => a.asks.length === 1);
    clock.now += 11_000;
    expect([(await b.tidemark.tidy()).caughtUp, b.asks.length]).toEqual([0, 0]);
    clock.now += 4_000;
    const tidied = b.tidemark.tidy();
    await until("the second is asked", () => b.asks.length === 1);
    b.asks[0]!.answer();
    expect((await tidied).caughtUp).toBe(1);
    a.asks[0]!.answer();
    await a.idle();
    expect([await factsOf(a), (await a.tidemark.stats()).queued]).toEqual([1, 0]);
  });

  it("ask four things at once, all together", async () => {
    const { a, b } = await workers(store());
    for (const of of ["c", "d", "e"]) await talk([a.tidemark], of, 0.6);
    for (const of of ["f", "g"]) await talk([b.tidemark], of, 0.6);
    await until("four are asked", () => a.open().length + b.open().length === 4);
    await b.waits();
    b.look();
    await b.waits();
    expect(b.asks).toHaveLength(1);
    a.asks[0]!.answer();
    await a.done("distilled");
    b.look();
    await until("the fifth is asked", () => b.asks.length === 2);
  });

  it("have one budget", async () => {
    const { a, b, clock } = await workers(store(), { advanced: { budget: 12_000 } });
    await talk([a.tidemark], "c", 0.6);
    await until("the first is asked", () => a.asks.length === 1);
    a.asks[0]!.answer();
    await a.done("distilled");
    await talk([b.tidemark], "d", 0.6);
    await b.done("distilled");
    expect(b.asks).toHaveLength(0);
    expect(b.events).toContainEqual(
      expect.objectContaining({ type: "notice", about: "budget-spent", budget: 12_000 }),
    );
    clock.now += 3_600_000;
    await talk([b.tidemark], "e", 0.6);
    await until("an hour later it is asked", () => b.asks.length === 1);
  });
});
