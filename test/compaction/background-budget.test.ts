import {
  afterwards,
  asked,
  freshFolder,
  loopOf,
  prose,
  setUp,
  spoken,
  typesOf,
} from "../support/anthropic.ts";
import fc from "fast-check";
import { existsSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import { openTidemark, type Options, type Tidemark, type TidemarkEvent } from "../../src/index.ts";
import type { Message } from "../../src/core/request.ts";
import { createBudget, type SharedChange } from "../../src/session/own-calls.ts";
import { play } from "../support/talk.ts";

const HOUR = 3_600_000;

interface Set {
  readonly tidemark: Tidemark;
  readonly events: TidemarkEvent[];
  /** Messages of each call of the distiller. */
  readonly calls: number[];
  readonly clock: { now: number };
}

async function room(
  budget: number | false,
  { usage = 1_000, ...options }: Options & { usage?: number | undefined } = {},
): Promise<Set> {
  const events: TidemarkEvent[] = [];
  const calls: number[] = [];
  const clock = { now: Date.UTC(2026, 0, 1) };
  const tidemark = await openTidemark({
    workspace: false,
    cache: false,
    window: { tokens: 40_000 },
    now: () => clock.now,
    listen: (event) => events.push(event),
    distil: {
      complete: async ({ messages }) => {
        calls.push(messages.length);
        return {
          text: JSON.stringify({
            facts: [
              {
                content: `The boat number ${calls.length} is called Nixe.`,
                category: "core",
                importance: 0.9,
                from: [1],
              },
            ],
            summary: "They spoke of a boat.",
          }),
          ...(usage > 0 ? { usage: { input: usage, cacheWrite: 0, cacheRead: 0, output: 0 } } : {}),
        };
      },
    },
    advanced: { budget },
    ...options,
  });
  afterwards(() => tidemark.close());
  return { tidemark, events, calls, clock };
}

let line = 0;
const say = (tidemark: Tidemark, messages: Message[], words = 1_500) =>
  play(tidemark, {
    messages,
    calls: [`Note ${line++}. ${prose(words, line)}`],
    reply: () => `Noted ${line}.`,
  });

/** One distilling, and what it was asked. */
async function distilOnce({ tidemark, events }: Set, messages: Message[] = []): Promise<Message[]> {
  const before = events.filter(({ type }) => type === "distilled").length;
  while (events.filter(({ type }) => type === "distilled").length === before) {
    await say(tidemark, messages);
    await tidemark.idle();
  }
  return messages;
}

/** Entries that no other process shares. */
function bookedHere() {
  let held: Parameters<SharedChange<{ at: number; tokens: number }>>[0] = {};
  return {
    book: async (change: SharedChange<{ at: number; tokens: number }>) => {
      const next = change(held);
      held = next ?? held;
      return next !== undefined;
    },
  };
}

describe("the budget of calls behind the conversations", () => {
  it("is asked of by nobody below the marks: what a fold left to the queue is done from the flush mark on", async () => {
    const events: TidemarkEvent[] = [];
    let [calls, now, hangs] = [0, Date.UTC(2026, 0, 1), true];
    const tidemark = await openTidemark({
      ...{
        workspace: false,
        cache: false,
        window: { tokens: 12_000, patience: 1 },
        now: () => now,
        listen: (event) => events.push(event),
      },
      distil: async () => {
        calls += 1;
        if (hangs) throw new Error("overloaded");
        return {
          text: JSON.stringify({
            facts: [
              { content: `The boat number ${calls} is called Nixe.`, importance: 0.9, from: [1] },
            ],
            summary: "They spoke of a boat.",
          }),
        };
      },
    });
    afterwards(() => tidemark.close());
    const messages: Message[] = [];
    while (!typesOf(events).includes("folded")) {
      await say(tidemark, messages, 600);
      await tidemark.idle();
    }
    expect((await tidemark.stats()).queued).toBe(1);
    hangs = false;
    now += HOUR;
    const before = calls;
    let level = 0;
    for (let turns = 0; turns < 60; turns += 1) {
      level = (await say(tidemark, messages, 150)).window.level;
      await tidemark.idle();
      if (level >= 0.6) break;
      expect(calls).toBe(before);
    }
    expect(level).toBeGreaterThanOrEqual(0.6);
    expect(calls).toBeGreaterThan(before);
    expect((await tidemark.stats()).queued).toBe(0);
  });

  it("is free again within an hour and a minute of whatever clock there is, and never given more than twice for one change of it", async () => {
    const steps = fc.array(
      fc.record({
        wait: fc.integer({ min: 0, max: 900_000 }),
        tokens: fc.integer({ min: 1, max: 60 }),
      }),
      { minLength: 5, maxLength: 40 },
    );
    await fc.assert(
      fc.asyncProperty(
        steps,
        fc.nat(39),
        fc.integer({ min: -12 * HOUR, max: 12 * HOUR }),
        async (all, when, jump) => {
          const clock = { real: 0, ahead: 100 * HOUR };
          const budget = createBudget({
            ...bookedHere(),
            now: () => clock.real + clock.ahead,
            emit: () => {},
            tokens: 100,
          });
          const given: { at: number; tokens: number }[] = [];
          for (const [at, { wait, tokens }] of all.entries()) {
            if (at === when % all.length) clock.ahead += jump;
            clock.real += wait;
            const book = await budget.reserve("a", tokens);
            await book?.(tokens);
            if (book) given.push({ at: clock.real, tokens });
          }
          for (const { at } of given)
            expect(
              given
                .filter((one) => one.at >= at && one.at < at + HOUR)
                .reduce((sum, one) => sum + one.tokens, 0),
            ).toBeLessThanOrEqual(200);
          clock.real += HOUR + 60_000;
          expect(await budget.reserve("a", 100)).toBeDefined();
        },
      ),
    );
  });

  it("when it is spent no call is made, the built-in distiller folds, and the model's facts stay queued", async () => {
    const set = await room(10_000);
    const messages = await distilOnce(set);
    expect(set.calls).toHaveLength(0);
    expect(set.events).toContainEqual({
      type: "notice",
      about: "budget-spent",
      text: expect.any(String) as string,
      session: expect.any(String) as string,
      spent: 0,
      budget: 10_000,
    });
    expect(set.events.find(({ type }) => type === "distilled")).toMatchObject({ by: "extractive" });
    for (let turns = 0; turns < 40; turns++) await say(set.tidemark, messages);
    await set.tidemark.idle();
    expect(set.events.filter(({ type }) => type === "folded").length).toBeGreaterThan(0);
    expect(typesOf(set.events).filter((type) => type === "budget-spent")).toHaveLength(1);
    expect(set.calls).toHaveLength(0);
    expect((await set.tidemark.stats()).queued).toBeGreaterThan(0);
    // Queued work has the same bound.
    const { queued } = await set.tidemark.stats();
    set.clock.now += 24 * HOUR;
    await set.tidemark.tidy();
    expect([set.calls.length, (await set.tidemark.stats()).queued]).toEqual([0, queued]);
    expect(set.events.filter(({ type }) => type === "distil-failed")).toEqual([]);
  });
});

describe("the first call with the caller's key", () => {
  it("is said once a workspace, in plain words, with how to switch it off", async () => {
    const workspace = freshFolder();
    const set = await setUp({ workspace, window: { tokens: 20_000 } });
    const loop = loopOf(set.client);
    for (let turn = 0; turn < 60 && asked(set.server).length < 2; turn++)
      await loop.say(`Turn ${turn}: ${prose(400, turn)}`);
    const notices = set.events.filter(({ type }) => type === "notice");
    expect(notices).toEqual([
      {
        type: "notice",
        about: "background-calls",
        text: expect.stringMatching(
          /with your API key.+distil: "extractive" switches them off/,
        ) as string,
      },
    ]);
    expect(set.events.findIndex(({ type }) => type === "notice")).toBeLessThan(
      set.events.findIndex(({ type }) => type === "distilled"),
    );
    await set.tidemark.close();
    expect(existsSync(join(workspace, ".tidemark"))).toBe(true);
    const again = await setUp({ workspace, window: { tokens: 20_000 } });
    const other = loopOf(again.client);
    for (let turn = 0; turn < 60 && asked(again.server).length === 0; turn++)
      await other.say(`Another ${turn}: ${prose(400, turn)}`);
    await again.tidemark.idle();
    expect(asked(again.server).length).toBeGreaterThan(0);
    expect(typesOf(again.events)).not.toContain("notice");
  });

  it("is not said of a function of the host's own, nor where no call is made", async () => {
    const set = await room(false);
    await distilOnce(set);
    expect(set.calls.length).toBeGreaterThan(0);
    expect(typesOf(set.events)).not.toContain("notice");
    const below = await setUp({ window: { tokens: 100_000 } });
    const loop = loopOf(below.client);
    for (let turn = 0; turn < 3; turn++) await loop.say(`Turn ${turn}.`);
    expect(typesOf(below.events)).not.toContain("notice");
    expect(spoken(below.server)).toHaveLength(3);
  });
});
