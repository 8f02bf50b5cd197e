import { describe, expect, it } from "vitest";
import { type TidemarkEvent } from "../src/model/events.ts";
import { type TurnRow } from "../src/model/store.ts";
import { searchTurns } from "../src/memory/turns.ts";
import { openSqliteStore } from "../src/store/sqlite.ts";

const turn = (id: string, text: string, more: Partial<TurnRow> = {}): TurnRow => ({ id, session: "s1", root: "ada", position: 0, role: "user", text, at: 0, ...more });

function open() {
  const { turns, close } = openSqliteStore(":memory:");
  const events: TidemarkEvent[] = [];
  return { turns, close, events, search: (query: string, options: { root?: string; limit?: number } = {}) => searchTurns({ turns, listen: (event) => events.push(event) }, query, { root: "ada", ...options }) };
}

describe("turns of history", () => {
  it("are found with the host's own reference, and without one when there is none", async () => {
    const { turns, search } = open();
    await turns.add([turn("t1", "I adopted a greyhound in Lisbon.", { name: "Ada", ref: "D1:1", session: "old/1" }), turn("t2", "My cat's name is Whiskerino.")]);
    expect(await search("greyhound Lisbon")).toMatchObject([{ id: "t1", from: "history", ref: "D1:1", source: "old/1", text: "I adopted a greyhound in Lisbon.", why: { recency: 0, meaning: 0 } }]);
    const [cat] = await search("what is my cat called?");
    expect(cat).toMatchObject({ id: "t2" });
    expect("ref" in cat!).toBe(false);
    expect(cat!.why.words).toBeGreaterThanOrEqual(0.5);
    expect(cat!.score).toBeGreaterThanOrEqual(0.25);
  });

  it("of another root change nothing and are never seen", async () => {
    const alone = open();
    const crowded = open();
    for (const { turns } of [alone, crowded]) await turns.add([turn("t1", "the blue river"), turn("t2", "a river")]);
    await crowded.turns.add(Array.from({ length: 200 }, (_, n) => turn(`b${n}`, "the blue river again", { root: "bob" })));
    expect(await crowded.search("blue river")).toEqual(await alone.search("blue river"));
    expect(await crowded.search("again")).toEqual([]);
  });

  it("are ordered by how much of the question they hold, nothing related is nothing", async () => {
    const { turns, search } = open();
    await turns.add([turn("a", "tea"), turn("b", "green tea from Kyoto"), turn("c", "Kyoto"), turn("d", "我们去京都喝茶", { session: "s2" })]);
    expect((await search("green tea Kyoto")).map(({ id }) => id)).toEqual(["b", "a", "c"]);
    expect((await search("green tea Kyoto", { limit: 1 })).map(({ id }) => id)).toEqual(["b"]);
    expect((await search("京都")).map(({ id }) => id)).toEqual(["d"]);
    expect(await search("zebra")).toEqual([]);
    expect(await search("what is the")).toEqual([]);
  });

  it("that cannot be searched are told of, and the chat goes on", async () => {
    const { close, search, events } = open();
    await close();
    expect(await search("tea")).toEqual([]);
    expect(events).toMatchObject([{ type: "degraded", where: "search in history" }]);
  });
});
