import { afterEach, describe, expect, it } from "vitest";
import { isCorrection } from "../../../src/distil/task/instruction.ts";
import type { Session } from "../../../src/model/history.ts";
import type { LedgerLine } from "../../../src/model/ledger.ts";
import type { Complete } from "../../../src/model/ports.ts";
import type { Message } from "../../../src/model/request.ts";
import { openHistory } from "../../../src/store/history/file.ts";
import { NOTHING } from "../../../src/engine/runtime/spending.ts";
import type { Tidemark } from "../../../src/engine/options/types.ts";
import { assistant, leaveRooms, openRoom, requestOf, user } from "../../support/talk.ts";

afterEach(leaveRooms);

const MODEL = "claude-sonnet-5-5"; // 2 $ in, 10 out, 2.5 written, 0.1 read
const words = (count: number, name: string): string =>
  Array.from({ length: count }, (_, index) => `${name}${index}`).join(" ");
const reply = (text: string, usage: Record<string, number>) => ({
  id: "msg_1",
  type: "message",
  model: MODEL,
  stop_reason: "end_turn",
  role: "assistant",
  content: text,
  usage,
});
const window = { tokens: 8_000, reserve: 100, patience: 5_000 };
const summed = (text = "They asked and answered.") => ({
  text: JSON.stringify({
    facts: [{ content: `Fact of ${text}`, category: "daily", importance: 0.5, from: [1] }],
    summary: text,
  }),
});

/** A loop whose provider caches all it reads and reports it; ended when so many folds were made. */
async function talk(
  tidemark: Tidemark,
  {
    folds = 1,
    conversation,
    model = MODEL,
  }: { folds?: number; conversation?: string; model?: string } = {},
) {
  const messages: Message[] = [];
  let [before, made, turns] = [0, 0, 0];
  const paid = { input: 0, cacheWrite: 0, cacheRead: 0, output: 0 };
  for (; turns < 80 && made < folds; turns++) {
    messages.push(user(`Question ${turns}: ${words(60, `q${turns}x`)}`));
    const turn = await tidemark.begin(
      requestOf(messages, { model }),
      conversation === undefined ? {} : { conversation },
    );
    if (turn.folded) made += 1;
    const read = turn.folded ? 0 : Math.min(before, turn.window.used);
    const usage = {
      input_tokens: 3,
      cache_creation_input_tokens: turn.window.used - read - 3,
      cache_read_input_tokens: read,
      output_tokens: 150,
    };
    before = turn.window.used;
    await turn.end(reply(`Answer ${turns}: ${words(60, `a${turns}x`)}`, usage));
    messages.push(assistant(`Answer ${turns}: ${words(60, `a${turns}x`)}`));
    paid.input += 3;
    paid.cacheWrite += usage.cache_creation_input_tokens;
    paid.cacheRead += read;
    paid.output += 150;
  }
  await tidemark.idle();
  return { messages, turns, paid };
}

describe("the books of calls", () => {
  it("hold what the provider reported of each turn, per conversation and in total, after a restart too", async () => {
    const room = await openRoom({ window, inject: false });
    const desk = await talk(room.tidemark, { conversation: "desk" });
    const dock = await talk(room.tidemark, { conversation: "dock" });
    const check = async (tidemark: Tidemark) => {
      const { total, conversations } = (await tidemark.stats()).ledger;
      expect(conversations.map(({ label }) => label)).toEqual(["dock", "desk"]);
      expect(conversations[1]!.turns).toMatchObject({
        ...desk.paid,
        calls: desk.turns,
        failed: 0,
        estimated: 0,
        unpriced: 0,
      });
      expect(conversations[0]!.turns).toMatchObject({ ...dock.paid, calls: dock.turns });
      expect(total.turns.calls).toBe(desk.turns + dock.turns);
      const { input, cacheWrite, cacheRead, output } = desk.paid;
      expect(conversations[1]!.turns.dollars).toBeCloseTo(
        (2 * input + 2.5 * cacheWrite + 0.1 * cacheRead + 10 * output) / 1e6,
        9,
      );
      expect(total.turns.dollars).toBeCloseTo(
        conversations[0]!.turns.dollars + conversations[1]!.turns.dollars,
        9,
      );
      return total;
    };
    const before = await check(room.tidemark);
    expect(await check(await room.reopen())).toEqual(before);
  });

  it("say what the whole history would have taken: the same until a fold, more after it", async () => {
    const { tidemark } = await openRoom({ window, inject: false });
    const { turns } = await talk(tidemark);
    const { total } = (await tidemark.stats()).ledger;
    expect(total.unfolded.calls).toBe(turns);
    const read = total.unfolded.input + total.unfolded.cacheWrite + total.unfolded.cacheRead;
    const paid = total.turns.input + total.turns.cacheWrite + total.turns.cacheRead;
    expect(read).toBeGreaterThan(paid);
    expect(total.saved.tokens).toBe(read - paid);
    // One fold has just been written to the cache anew, and nothing was won by it yet.
    expect(total.saved.dollars).toBeLessThan(0);
    expect(total.saved.dollars).toBeCloseTo(total.unfolded.dollars - total.turns.dollars, 9);
  });

  it("know of a branch what its line had in the cache: the whole history would have been read there too", async () => {
    const { tidemark } = await openRoom({ window, inject: false });
    const { messages } = await talk(tidemark);
    // An edit two questions ago, behind the fold: nearly all is read, of what is sent and of what would have been.
    const turn = await tidemark.begin(
      requestOf([...messages.slice(0, -4), user("And something else?")], { model: MODEL }),
    );
    const read = Math.round(turn.window.used * 0.9);
    await turn.end(
      reply("Something else.", {
        input_tokens: 3,
        cache_creation_input_tokens: turn.window.used - read - 3,
        cache_read_input_tokens: read,
        output_tokens: 5,
      }),
    );
    const { conversations } = (await tidemark.stats()).ledger;
    expect(conversations.map(({ turns }) => turns.calls)[0]).toBe(1);
    const { unfolded, turns } = conversations[0]!;
    expect(unfolded.input + unfolded.cacheWrite + unfolded.cacheRead).toBeGreaterThan(
      2 * turn.window.used,
    );
    expect(unfolded.cacheRead).toBeGreaterThan(2 * turns.cacheRead);
  });

  it("hold each call of Tidemark's own: what for, tokens, money, time", async () => {
    const complete: Complete = () =>
      new Promise((resolve) =>
        setImmediate(() =>
          resolve({
            ...summed(),
            usage: { input: 10, cacheWrite: 200, cacheRead: 3_000, output: 100 },
          }),
        ),
      );
    const { tidemark } = await openRoom({ window, distil: { complete, model: MODEL } });
    await talk(tidemark);
    const { total, conversations } = (await tidemark.stats()).ledger;
    const { distil } = total.memory;
    expect(distil.calls).toBeGreaterThan(0);
    expect(distil).toMatchObject({
      input: 10 * distil.calls,
      cacheWrite: 200 * distil.calls,
      cacheRead: 3_000 * distil.calls,
      output: 100 * distil.calls,
      failed: 0,
      estimated: 0,
      unpriced: 0,
    });
    expect(distil.dollars).toBeCloseTo(
      (distil.calls * (2 * 10 + 2.5 * 200 + 0.1 * 3_000 + 10 * 100)) / 1e6,
      9,
    );
    expect(distil.ms).toBeGreaterThanOrEqual(0);
    expect(conversations[0]!.memory.distil).toEqual(distil);
    expect(total.memoryTotal.calls).toBe((await tidemark.stats()).session.memoryCalls);
    expect(total.saved.dollars).toBeCloseTo(
      total.unfolded.dollars - total.turns.dollars - total.memoryTotal.dollars,
      9,
    );
  });

  it("count for themselves where nobody reports, and say so; of a model nobody knows they name no money", async () => {
    const { tidemark } = await openRoom({ window, distil: () => Promise.resolve(summed()) });
    await talk(tidemark);
    const turn = await tidemark.begin(requestOf([user("hi")], { model: MODEL }));
    await turn.end({ ...reply("Hello.", {}), usage: undefined });
    const { total } = (await tidemark.stats()).ledger;
    expect(total.memory.distil).toMatchObject({
      estimated: total.memory.distil.calls,
      unpriced: total.memory.distil.calls,
      dollars: 0,
    });
    expect(total.memory.distil.input).toBeGreaterThan(1_000);
    expect(total.turns.estimated).toBe(1);
    expect(total.saved.dollars).toBeUndefined();
    expect(total.saved.tokens).toEqual(expect.any(Number));
  });

  it("hold calls that failed, and those that made up for them later", async () => {
    let broken = true;
    const complete: Complete = () =>
      broken
        ? Promise.reject(new Error("out of order"))
        : Promise.resolve({
            ...summed(),
            usage: { input: 500, cacheWrite: 0, cacheRead: 0, output: 50 },
          });
    const { tidemark } = await openRoom({ window, distil: { complete, model: MODEL } });
    // Nothing but the brim folds, without the model; its facts are owed.
    await talk(tidemark);
    expect((await tidemark.stats()).ledger.total.memory.distil).toMatchObject({
      failed: expect.any(Number) as number,
      output: 0,
    });
    expect((await tidemark.stats()).ledger.total.memory.distil.failed).toBeGreaterThan(0);
    broken = false;
    expect((await tidemark.tidy()).caughtUp).toBeGreaterThan(0);
    const { memory } = (await tidemark.stats()).ledger.total;
    expect(memory["catch-up"]).toMatchObject({ calls: memory["catch-up"].input / 500, failed: 0 });
    expect(memory["catch-up"].calls).toBeGreaterThan(0);
  });

  it("know a call that mends a summary from one that makes it", () => {
    const ask =
      "[tidemark] distil\nThe summary of your last reply leaves out points that still seem to hold and stand in none of your facts:";
    expect(isCorrection([user("a"), assistant("b"), user(ask)])).toBe(true);
    expect(isCorrection([user("a"), assistant("b"), user([{ type: "text", text: ask }])])).toBe(
      true,
    );
    for (const messages of [
      [],
      [user("a")],
      [user("a"), assistant("b"), user("[tidemark] distil\nRange: messages 1 to 2.")],
      [user("a"), assistant("b"), {}],
    ])
      expect(isCorrection(messages)).toBe(false);
  });

  it("are each identity's own; those of the embedder stand with the identity that opened", async () => {
    const embed = {
      model: "tiny",
      dimensions: 2,
      embed: (texts: readonly string[]) => Promise.resolve(texts.map((text) => [text.length, 1])),
    };
    const room = await openRoom({ window, embed, identity: { user: "ada" } });
    const bob = room.tidemark.as({ user: "bob" });
    await talk(room.tidemark);
    await bob.memory.save("The gate opens at seven.");
    await room.tidemark.idle();
    await bob.memory.recall("When does the gate open?");
    expect((await bob.stats()).ledger).toMatchObject({
      conversations: [],
      total: { turns: NOTHING, memoryTotal: NOTHING, saved: { tokens: 0, dollars: 0 } },
    });
    const { embed: spent } = (await room.tidemark.stats()).ledger.total.memory;
    expect(spent).toMatchObject({ estimated: spent.calls, unpriced: spent.calls, failed: 0 });
    expect(spent.calls).toBeGreaterThan(1);
    expect(
      (await (await room.reopen()).stats()).ledger.total.memory.embed.calls,
    ).toBeGreaterThanOrEqual(spent.calls);
  });

  it("keep the sum of a conversation that is forgotten, and nothing that names it", async () => {
    const room = await openRoom({ window, inject: false });
    await talk(room.tidemark, { conversation: "desk" });
    const before = (await room.tidemark.stats()).ledger;
    const { conversation } = before.conversations[0]!;
    await room.tidemark.history.forget({ conversation });
    expect((await room.tidemark.stats()).ledger).toEqual({
      total: before.total,
      conversations: [],
    });
    await talk(room.tidemark, { conversation: "dock" });
    await room.tidemark.history.forget({ conversation: "dock" });
    expect((await room.tidemark.stats()).ledger.total.turns.calls).toBeGreaterThan(
      before.total.turns.calls,
    );
    const root = await room.inspect(async (history) =>
      history.ledger((await history.sessions(""))[0]?.root ?? ""),
    );
    expect(JSON.stringify(root)).not.toContain(conversation);
  });
});

describe("the table of the books", () => {
  const session = (revision: number): Session => ({
    id: "s",
    root: "r",
    imported: false,
    at: 1,
    updatedAt: 1,
    confirmed: 0,
    watermark: 0,
    noted: 0,
    state: {},
    revision,
  });
  const line = (input: number): LedgerLine => ({
    session: "s",
    purpose: "turn",
    model: "m",
    spent: { ...NOTHING, calls: 1, input, dollars: 0.5 },
  });

  it("is written with the change it belongs to, or not at all, and never grows beyond a line for each use", async () => {
    const store = openHistory(":memory:");
    expect(
      await store.write({ session: session(1), from: 0, entries: [], ledger: [line(1)] }),
    ).toBe(true);
    expect(
      await store.write({ session: session(1), from: 0, entries: [], ledger: [line(100)] }),
    ).toBe(false);
    const circle: Record<string, unknown> = {};
    circle.self = circle;
    const bad = {
      chain: "c",
      content: "c",
      said: "c",
      role: "user",
      reply: false,
      at: 1,
      body: circle,
    };
    await expect(
      store.write({ session: session(2), from: 0, entries: [bad], ledger: [line(100)] }),
    ).rejects.toMatchObject({ code: "history" });
    for (let revision = 2; revision < 50; revision++)
      await store.write({ session: session(revision), from: 0, entries: [], ledger: [line(1)] });
    await store.account("r", [line(1), { ...line(3), session: "" }]);
    expect(await store.ledger("r")).toEqual([
      { ...line(3), session: "" },
      { ...line(0), spent: { ...NOTHING, calls: 50, input: 50, dollars: 25 } },
    ]);
    expect(await store.ledger("another")).toEqual([]);
    await store.forget(["s"]);
    expect(await store.ledger("r")).toEqual([
      { ...line(0), session: "", spent: { ...NOTHING, calls: 51, input: 53, dollars: 25.5 } },
    ]);
    await store.close();
  });
});
