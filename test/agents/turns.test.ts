import { expect, it } from "vitest";
import { openTidemark, type TurnInfo } from "../../src/index.ts";
import { memoryStorage } from "../support/memory-storage.ts";
import { assistant, openRoom, play, requestOf, user } from "../support/talk.ts";

const MODEL = "claude-sonnet-4-5";
const USAGE = { input_tokens: 10, cache_read_input_tokens: 90, output_tokens: 7 };
const reply = { role: "assistant", content: "Yes.", usage: USAGE };
const latest = async (history: { turns(id: string): Promise<TurnInfo[]> }) => {
  const [turn] = await history.turns("desk");
  return turn;
};
const asked = (text: string) => requestOf([user(text)], { model: MODEL });
const DESK = { conversation: "desk" };

it("tells of a turn what it read and cost, and what it was told and recalled, after a restart too", async () => {
  const room = await openRoom({ recall: true });
  const told = await room.tidemark.memory.save({
    ...{ content: "Always answer in French.", category: "preference" },
  });
  const { id } = await room.tidemark.memory.save({ content: "The boat Wren lies at pier 9." });
  for (let nth = 0; nth < 40; nth += 1)
    await room.tidemark.memory.save(
      `Room ${nth} is painted in colour number ${nth * 7}, long ago.`,
    );
  const said = [user("Where does the boat Wren lie?")];
  const first = await room.tidemark.begin(requestOf(said, { model: MODEL }), DESK);
  await first.end(reply);
  const whole = await latest(room.tidemark.history);
  expect(whole).toMatchObject({
    ...{ model: MODEL, used: Math.round(first.window.used), limit: first.window.limit },
    ...{ mark: "below", read: 100, cached: 90, written: 7, waited: 0 },
  });
  expect(whole?.ms).toBeGreaterThanOrEqual(0);
  expect(whole?.dollars).toBeCloseTo((10 * 3 + 90 * 0.3 + 7 * 15) / 1e6, 9);
  expect(whole?.told).toContain(told.id);
  const shown = [...(whole?.told ?? []), ...(whole?.recalled ?? []).map((one) => one.id)];
  expect(shown).toContain(id);
  const { history } = await room.reopen();
  const next = await room.tidemark.begin(
    requestOf([...said, assistant("Yes."), user("Thanks.")], { model: MODEL }),
    DESK,
  );
  await next.end({ ...reply, content: "Oui." });
  const [again, before, ...none] = await history.turns("desk");
  expect([before, none]).toEqual([whole, []]);
  expect(again).toMatchObject({ told: whole?.told, conversation: whole?.conversation });
  expect(await history.turns("desk", { after: again?.id ?? "" })).toEqual([whole]);
});

it("names past turns that went with a message by their conversation and place", async () => {
  const { tidemark } = await openRoom({ recall: true, inject: false });
  const heron = "We moved the launch of Heron to 12 June because the auditors are late.";
  await (await tidemark.begin(asked(heron), { conversation: "then" })).end(reply);
  await tidemark.idle();
  await (await tidemark.begin(asked("When is the launch of Heron?"), DESK)).end(reply);
  const [then] = (await tidemark.history.list()).filter(({ label }) => label === "then");
  const { recalled = [] } = (await latest(tidemark.history)) ?? {};
  const turns = recalled.filter(({ id }) => id.startsWith(`${then?.id}#`));
  expect(turns).toContainEqual({ id: `${then?.id}#0`, score: expect.any(Number) });
  expect(turns.every(({ score }) => score > 0 && score <= 1)).toBe(true);
});

it("leaves a row for a turn that folds, for one that recovers, and in observe mode", async () => {
  const { tidemark, events } = await openRoom({ window: { tokens: 4_000 } });
  const words = (nth: number): string => `Line ${nth}. ${"the tide comes in slowly ".repeat(40)}`;
  const folded = await play(tidemark, { calls: words, until: (turn) => turn.folded, ...DESK });
  const rows = await tidemark.history.turns("desk");
  const { fold, mark, used } = rows.find((row) => row.fold !== undefined) ?? {};
  expect(fold).toBe(folded.folded?.id);
  expect(used).toBe(Math.round(folded.window.used));
  expect(mark).toBe(folded.window.mark);
  expect(rows.length).toBeGreaterThan(1);
  const full = await tidemark.begin(
    requestOf(Array.from({ length: 9 }, (_, nth) => (nth % 2 ? assistant : user)(words(nth)))),
    { conversation: "brim" },
  );
  const error = new Error("prompt is too long: 3900 tokens > 3000 maximum");
  const smaller = await full.recover(Object.assign(error, { status: 400 }));
  await smaller?.end(reply);
  const [row, ...none] = await tidemark.history.turns("brim");
  expect(row?.used, JSON.stringify(events.at(-1))).toBe(Math.round(smaller?.window.used ?? 0));
  expect(none).toEqual([]);
  const observing = await openRoom({ mode: "observe" });
  await (await observing.tidemark.begin(asked("Hello"), DESK)).end(reply);
  expect(await latest(observing.tidemark.history)).toMatchObject({ read: 100, told: [] });
});

it("tells how long a turn waited for a summary", async () => {
  const { tidemark, events } = await openRoom({
    window: { tokens: 4_000, patience: 5_000 },
    distil: async () => {
      await new Promise((answer) => setTimeout(answer, 20));
      return { text: JSON.stringify({ facts: [], summary: "They talked of the tide." }) };
    },
  });
  const words = (nth: number): string => `Line ${nth}. ${"the tide comes in slowly ".repeat(40)}`;
  await play(tidemark, { calls: words, until: (turn) => turn.folded, ...DESK });
  const told = events.flatMap((one) =>
    one.type === "notice" && one.about === "waited" ? one.ms : [],
  );
  const rows = await tidemark.history.turns("desk");
  expect(told.length).toBeGreaterThan(0);
  expect(rows.map(({ waited }) => waited).filter((ms) => ms > 0)).toEqual(told.toReversed());
  expect(rows.every(({ ms, waited }) => ms >= waited)).toBe(true);
});

it("keeps the turns of one identity from another, and forgets them with their conversation", async () => {
  const { tidemark } = await openRoom();
  await (await tidemark.as({ user: "ada" }).begin(asked("Hello"), DESK)).end(reply);
  const mine = tidemark.as({ user: "ada" }).history;
  const { conversation = "" } = (await latest(mine)) ?? {};
  expect(conversation).not.toBe("");
  const others = tidemark.as({ user: "bob" }).history;
  expect([await others.turns(conversation), await others.turns("desk")]).toEqual([[], []]);
  await mine.forget({ conversation });
  expect(await mine.turns(conversation)).toEqual([]);
});

it("reads a page of a conversation, with the place of each message", async () => {
  const { tidemark } = await openRoom();
  await play(tidemark, { calls: ["a", "b", "c"], ...DESK });
  const { history } = tidemark;
  const page = await history.read({ conversation: "desk", from: 2, limit: 3 });
  const whole = await history.read(DESK);
  expect(page.messages).toEqual(whole.messages.slice(2, 5));
  expect(page.places?.map(({ position, role }) => [position, role])).toEqual([
    ...[
      [2, "user"],
      [3, "assistant"],
      [4, "user"],
    ],
  ]);
  expect((await history.read({ conversation: "desk", from: 99 })).messages).toEqual([]);
});

it("says in one sentence what cannot be meant, and goes on with a store that keeps no turns", async () => {
  const { ended: _, ...store } = memoryStorage();
  const tidemark = await openTidemark({ workspace: false, store, distil: "extractive" });
  await (await tidemark.begin(asked("Hello"), DESK)).end(reply);
  expect(await tidemark.history.turns("desk")).toEqual([]);
  await expect(tidemark.history.turns("desk", { after: "x" })).rejects.toThrow(
    /"?after"? must be the id of a turn/,
  );
  await tidemark.close();
});

it("sums turns by day, model or conversation, since a moment", async () => {
  let now = Date.UTC(2026, 4, 1, 12);
  const { tidemark } = await openRoom({ now: () => now, zone: "UTC" });
  const say = async (conversation: string, model: string): Promise<void> => {
    const turn = await tidemark.begin(requestOf([user("Hello")], { model }), { conversation });
    await turn.end(reply);
  };
  await say("desk", MODEL);
  now += 86_400_000;
  await say("boat", MODEL);
  await say("pier", "m");
  const day = { turns: 2, read: 200, cached: 180, written: 14, folds: 0, ms: expect.any(Number) };
  const dollars = (10 * 3 + 90 * 0.3 + 7 * 15) / 1e6;
  expect((await tidemark.stats()).turns).toBeUndefined();
  expect((await tidemark.stats({ since: "2026-05-02T00:00Z" })).turns).toEqual([
    { name: "2026-05-02", ...day, dollars: expect.closeTo(dollars, 9) },
  ]);
  const names = async (by: "day" | "model" | "conversation") =>
    (await tidemark.stats({ by })).turns?.map(({ name, turns }) => [name, turns]);
  expect(await names("day")).toEqual([
    ["2026-05-02", 2],
    ["2026-05-01", 1],
  ]);
  expect(await names("model")).toEqual([
    [MODEL, 2],
    ["m", 1],
  ]);
  expect((await names("conversation"))?.length).toBe(3);
  await expect(tidemark.stats({ by: "week" as never })).rejects.toThrow(/"?by"? must be/);
});
