import { describe, expect, it } from "vitest";
import type { Complete, Message } from "../../src/core/request.ts";

import type { Tidemark } from "../../src/session/options/tidemark-api.ts";
import { assistant, openRoom, requestOf, user } from "../support/talk.ts";
import { NOTHING } from "../../src/session/metered-and-spent.ts";

const MODEL = "claude-sonnet-5-5"; // 2 $ in, 10 out, 2.5 written, 0.1 read
const words = (count: number, name: string): string =>
  Array.from({ length: count }, (_, index) => `${name}${index}`).join(" ");
const window = { tokens: 8_000, reserve: 100, patience: 5_000 };
const summed = {
  text: JSON.stringify({
    facts: [{ content: "They asked.", category: "daily", importance: 0.5, from: [1] }],
    summary: "They asked and answered.",
  }),
};
const usage = { input: 10, cacheWrite: 200, cacheRead: 3_000, output: 100 };

/** A loop whose provider reports a usage with each reply; ended with the first fold. */
async function talk(tidemark: Tidemark, conversation = "desk") {
  const messages: Message[] = [];
  for (let turns = 1; ; turns++) {
    messages.push(user(`Question ${turns}: ${words(60, `q${turns}x`)}`));
    const turn = await tidemark.begin(requestOf(messages, { model: MODEL }), { conversation });
    const answer = assistant(`Answer ${turns}: ${words(60, `a${turns}x`)}`);
    const usage = {
      input_tokens: 3,
      cache_creation_input_tokens: 50,
      cache_read_input_tokens: turn.window.used,
      output_tokens: 150,
    };
    await turn.end({ ...answer, type: "message", model: MODEL, stop_reason: "end_turn", usage });
    messages.push(answer);
    await tidemark.idle();
    if (turn.folded) return turns;
  }
}

describe("the sums of calls", () => {
  it("hold what the provider reported, by purpose, at its price, after a restart too", async () => {
    const complete: Complete = () => Promise.resolve({ ...summed, usage });
    const room = await openRoom({ window, distil: { complete, model: MODEL } });
    const turns = await talk(room.tidemark);
    const { calls } = await room.tidemark.stats();
    expect(calls.turn).toMatchObject({
      ...{ calls: turns, input: 3 * turns, cacheWrite: 50 * turns, output: 150 * turns },
      unpriced: 0,
    });
    expect(calls.turn.dollars).toBeCloseTo(
      (turns * (2 * 3 + 2.5 * 50 + 10 * 150) + 0.1 * calls.turn.cacheRead) / 1e6,
      9,
    );
    const own = calls.distil.calls;
    expect(own).toBeGreaterThan(0);
    expect(calls.distil).toMatchObject({ input: 10 * own, cacheRead: 3_000 * own, unpriced: 0 });
    expect(calls.distil.dollars).toBeCloseTo((own * (20 + 500 + 300 + 1_000)) / 1e6, 9);
    expect((await (await room.reopen()).stats()).calls).toEqual(calls);
  });

  it("are our own count where nobody reports; of an unknown model they name no money", async () => {
    const { tidemark } = await openRoom({ window, distil: () => Promise.resolve(summed) });
    await talk(tidemark);
    const before = (await tidemark.stats()).calls;
    expect(before.distil).toMatchObject({ unpriced: before.distil.calls, dollars: 0 });
    expect(before.distil.input).toBeGreaterThan(1_000);
    const turn = await tidemark.begin(requestOf([user("hi")], { model: MODEL }));
    await turn.end(assistant("Hello."));
    const { input } = (await tidemark.stats()).calls.turn;
    expect(input - before.turn.input).toBe(turn.window.used);
  });

  it("tell the reading of short sessions from what folds ask", async () => {
    let broken = true;
    const complete: Complete = () =>
      broken ? Promise.reject(new Error("no")) : Promise.resolve({ ...summed, usage });
    const { tidemark } = await openRoom({ window, distil: { complete, model: MODEL } });
    await talk(tidemark);
    expect((await tidemark.stats()).calls.read).toEqual(NOTHING);
    broken = false;
    expect((await tidemark.tidy()).caughtUp).toBeGreaterThan(0);
    const { read } = (await tidemark.stats()).calls;
    expect(read).toMatchObject({ calls: read.input / 10 });
    expect(read.calls).toBeGreaterThan(0);
  });

  it("are each identity's own; those of the embedder stand with the one that opened", async () => {
    const embed = {
      model: "tiny",
      embed: (texts: readonly string[]) => Promise.resolve(texts.map((text) => [text.length, 1])),
    };
    const room = await openRoom({ window, embed, identity: { user: "ada" } });
    const bob = room.tidemark.as({ user: "bob" });
    await talk(room.tidemark);
    await bob.memory.save("The gate opens at seven.");
    await room.tidemark.idle();
    await bob.memory.recall("When does the gate open?");
    expect(new Set(Object.values((await bob.stats()).calls))).toEqual(new Set([NOTHING]));
    const { embed: spent } = (await room.tidemark.stats()).calls;
    expect(spent.calls).toBeGreaterThan(1);
    expect(spent.unpriced).toBe(spent.calls);
    expect((await (await room.reopen()).stats()).calls.embed.calls).toBeGreaterThanOrEqual(
      spent.calls,
    );
  });

  it("keep what a forgotten conversation took", async () => {
    const { tidemark } = await openRoom({ window, inject: false });
    await talk(tidemark);
    const { calls } = await tidemark.stats();
    const [conversation] = await tidemark.history.list();
    await tidemark.history.forget({ conversation: conversation!.id });
    expect((await tidemark.stats()).calls).toEqual(calls);
  });
});
