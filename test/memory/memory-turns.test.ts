import type { Storage } from "../../src/storage/port.ts";
import type { TurnRow } from "../../src/storage/rows.ts";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import type { TidemarkEvent } from "../../src/core/errors-and-events.ts";
import { searchTurns } from "../../src/memory/turns/search-turns.ts";
import { openStorage } from "../../src/storage/sqlite/sqlite-storage.ts";
import { runs } from "../support/runs.ts";

const DAY = 86_400_000;
const turn = (id: string, text: string, more: Partial<TurnRow> = {}): TurnRow => ({
  id,
  session: "s1",
  root: "ada",
  position: 0,
  role: "user",
  text,
  at: 0,
  ...more,
});
/** A conversation told as [speaker, text]. */
const talk = (
  session: string,
  lines: readonly (readonly [string, string])[],
  more: Partial<TurnRow> = {},
): TurnRow[] =>
  lines.map(([name, text], position) =>
    turn(`${session}#${position}`, text, { session, position, name, ...more }),
  );

const opened: Storage[] = [];
afterEach(() => Promise.all(opened.splice(0).map((store) => store.close())));

function open() {
  const store = openStorage(":memory:");
  opened.push(store);
  const events: TidemarkEvent[] = [];
  const search = (query: string, options: { root?: string; limit?: number } = {}) =>
    searchTurns({ store, listen: (event) => events.push(event) }, query, {
      root: "ada",
      ...options,
    });
  return {
    store,
    add: (rows: readonly TurnRow[]) => store.commit({ turns: { rows } }),
    events,
    search,
    ids: async (query: string, limit = 10) => (await search(query, { limit })).map(({ id }) => id),
  };
}

describe("turns of history", () => {
  it("are found with the host's own reference, and without one when there is none", async () => {
    const { add, search } = open();
    await add([
      turn("t1", "I adopted a greyhound in Lisbon.", {
        name: "Ada",
        ref: "D1:1",
        session: "old/1",
      }),
      turn("t2", "My cat's name is Whiskerino."),
    ]);
    expect(await search("greyhound Lisbon")).toMatchObject([
      {
        id: "t1",
        from: "history",
        ref: "D1:1",
        source: "old/1",
        text: "I adopted a greyhound in Lisbon.",
        why: { recency: 0, meaning: 0 },
      },
    ]);
    const [cat] = await search("what is my cat called?");
    expect(cat).toMatchObject({ id: "t2" });
    expect("ref" in cat!).toBe(false);
    expect(cat!.why.words).toBeGreaterThanOrEqual(0.5);
    expect(cat!.score).toBeGreaterThanOrEqual(0.25);
  });

  it("of another root change nothing and are never seen", async () => {
    const alone = open();
    const crowded = open();
    for (const { add } of [alone, crowded])
      await add([turn("t1", "the blue river"), turn("t2", "a river")]);
    await crowded.add(
      Array.from({ length: 200 }, (_, n) => turn(`b${n}`, "the blue river again", { root: "bob" })),
    );
    expect(await crowded.search("blue river")).toEqual(await alone.search("blue river"));
    expect(await crowded.search("again")).toEqual([]);
    expect(await crowded.search("agai")).toEqual([]);
  });

  it("are ordered by how much of the question they hold, nothing related is nothing", async () => {
    const { add, search, ids } = open();
    await add([
      turn("a", "tea"),
      turn("b", "green tea from Kyoto"),
      turn("c", "Kyoto"),
      turn("d", "我们去京都喝茶", { session: "s2" }),
    ]);
    expect(await ids("green tea Kyoto")).toEqual(["b", "a", "c"]);
    expect(await ids("green tea Kyoto", 1)).toEqual(["b"]);
    expect(await ids("京都")).toEqual(["d"]);
    expect(await search("zebra")).toEqual([]);
    expect(await search("what is the")).toEqual([]);
    expect(await search("")).toEqual([]);
  });

  it("that answer stand before the question they answer", async () => {
    const { add, ids } = open();
    await add(
      talk("s1", [
        ["Ada", "Good morning!"],
        ["Bob", "What did you name the new boat?"],
        ["Ada", "Seagull, after my aunt."],
        ["Bob", "Lovely."],
      ]),
    );
    await add(
      talk("s2", [
        ["Bob", "The harbour was full today."],
        ["Ada", "Too many boats."],
      ]),
    );
    expect((await ids("What is the name of Ada's boat?"))[0]).toBe("s1#2");
  });

  it("of the one who is asked about come first, by name or as the one who searches", async () => {
    const { add, ids } = open();
    const lines = [
      ["Ada", "My sister plays chess."],
      ["Bob", "My sister plays chess as well!"],
    ] as const;
    await add(talk("s1", lines));
    expect((await ids("Which game does Bob's sister play?"))[0]).toBe("s1#1");
    expect((await ids("Which game does Ada's sister play?"))[0]).toBe("s1#0");
    const unnamed = open();
    await unnamed.add([
      turn("u", "Sugar, no milk", { role: "user" }),
      turn("a", "Sugar, no milk it is", { role: "assistant", position: 1 }),
    ]);
    expect((await unnamed.ids("What did I say about sugar and milk?"))[0]).toBe("u");
    expect((await unnamed.ids("What did you say about sugar and milk?"))[0]).toBe("a");
  });

  it("that hold a path, a name or a sentence word for word come first, though others hold its words more often", async () => {
    const { add, ids } = open();
    const noise = [
      "the store index of src and turns, store.ts, index.ts",
      "index turns: index the turns of the store at once",
      "cannot read properties: the store is undefined, read store properties",
    ];
    const told = [
      "I changed src/store/turns/index.ts today",
      "then indexTheStoreTurns came along, and then lunch",
      "It said Cannot read properties\nof undefined (reading store) and died",
    ];
    await add(
      talk(
        "s1",
        [...noise, ...told, ...noise.map((text) => `${text} again`)].map(
          (text) => ["Ada", text] as const,
        ),
      ),
    );
    expect((await ids("src/store/turns/index.ts"))[0]).toBe("s1#3");
    expect((await ids("What did I change in src/store/turns/index.ts?"))[0]).toBe("s1#3");
    expect((await ids("indexTheStoreTurns"))[0]).toBe("s1#4");
    expect((await ids("cannot read properties of undefined (reading store)"))[0]).toBe("s1#5");
  });

  it("that name a thing come before others where its kind is asked for", async () => {
    const { add, ids } = open();
    await add([
      ...talk("s1", [["Ada", "I play the lottery on Fridays."]]),
      ...talk("s2", [["Ada", "I play the piano on Fridays."]]),
      ...talk("s3", [["Ada", "I play for time on Fridays."]]),
    ]);
    expect((await ids("Which instrument does Ada play?"))[0]).toBe("s2#0");
    expect((await ids("Which game of chance does Ada play?"))[0]).toBe("s1#0");
  });

  it("of several conversations have their say where a list is asked for", async () => {
    const { add, ids } = open();
    await add(
      talk(
        "s1",
        Array.from(
          { length: 12 },
          (_, n) => ["Ada", `A book I read in summer was number ${n}`] as const,
        ),
      ),
    );
    for (const session of ["s2", "s3", "s4"])
      await add(
        talk(session, [["Ada", `In summer I read the book of ${session}, which is about the sea`]]),
      );
    const heard = async (question: string) =>
      (await ids(question, 15)).findIndex((id) => !id.startsWith("s1"));
    const [list, one] = [
      await heard("Which books did Ada read in summer?"),
      await heard("Where did Ada read the book in summer?"),
    ];
    expect(list).toBeGreaterThan(0);
    expect(list).toBeLessThan(one);
    expect(await heard("Which books might Ada read in summer?")).toBe(one);
  });

  it("are found by one word that they write with a hyphen", async () => {
    const { add, ids } = open();
    await add(
      talk("s1", [
        ["Ada", "The Wi-Fi of the cabin is called Bluebird."],
        ["Bob", "I left the pet in the car."],
      ]),
    );
    expect(await ids("Which wifi do we use?")).toContain("s1#0");
    expect((await ids("wifi"))[0]).toBe("s1#0");
    expect(await ids("carpet")).toEqual([]);
  });

  it("said near the date asked for come first, whatever the order of the conversations", async () => {
    const { add, ids } = open();
    const months = [2, 4, 8].map((month) => Date.UTC(2023, month, 9));
    for (const [index, at] of months.entries())
      await add(
        talk(
          `s${index}`,
          [["Ada", "We went sailing again."]].map(
            ([name = "", text = ""]) => [name, `${text} Day ${index}.`] as const,
          ),
          { at },
        ),
      );
    expect((await ids("Where did Ada go sailing in May 2023?"))[0]).toBe("s1#0");
    expect((await ids("Where did Ada go sailing on 10 September?"))[0]).toBe("s2#0");
    expect((await ids("Where did Ada go sailing on 2023-03-08?"))[0]).toBe("s0#0");
    expect((await ids("May Ada go sailing?")).length).toBe(3);
  });

  it("of the last conversations come first for a message, which goes on with something; a question does not care", async () => {
    const { add, ids } = open();
    for (let n = 0; n < 4; n += 1)
      await add(
        talk(`s${n}`, [["Ada", "The boat trip needs a plan."]], { at: n * 7 * DAY }).map((row) => ({
          ...row,
          text: `${row.text} Number ${n}.`,
        })),
      );
    const message = "Thanks for that. Let us go on with the plan of the boat trip.";
    expect(await ids(message)).toEqual(["s3#0", "s2#0", "s1#0", "s0#0"]);
    expect((await ids("What is the plan of the boat trip"))[0]).toBe("s0#0");
  });

  it("of equal text, as forks of a conversation copy them, are shown once", async () => {
    const { add, ids } = open();
    await add([
      ...talk("s1", [["Ada", "The password of the shed is sunflower"]]),
      ...talk("s2", [
        ["Ada", "The password of the shed is sunflower"],
        ["Bob", "The shed again"],
      ]),
    ]);
    expect(await ids("shed password")).toEqual(["s1#0", "s2#1"]);
  });

  it("are found by a part of their text when no word of the question is known", async () => {
    const { add, search } = open();
    await add([turn("a", "see src/memory/turn-signs.ts:74 for it")]);
    expect(await search("ry/turn-si")).toMatchObject([{ id: "a" }]);
    expect(await search("%")).toEqual([]);
  });

  it("are found by another form of a word, in a language without a stemmer too", async () => {
    const { add, ids } = open();
    await add([
      turn("de", "Wir haben jetzt einen Hund", { session: "de" }),
      turn("ru", "У меня есть кошка", { session: "ru" }),
      turn("en", "she plays the violin", { session: "en" }),
    ]);
    expect(await ids("Hunde")).toEqual(["de"]);
    expect(await ids("кошку")).toEqual(["ru"]);
    expect(await ids("violon")).toEqual(["en"]);
    expect(await ids("Hundertwasser")).toEqual([]);
  });

  it("that cannot be searched are told of, and the chat goes on", async () => {
    const { store, search, events } = open();
    await store.close();
    expect(await search("tea")).toEqual([]);
    expect(events).toMatchObject([{ type: "degraded", where: "search in history" }]);
  });
});

describe("laws of finding turns", () => {
  it("a score moves by no more than 0.05 when unrelated turns are added", async () => {
    const related = [
      ["Ada", "My violin teacher moved to Porto"],
      ["Bob", "When?"],
      ["Ada", "Last spring, sadly"],
    ] as const;
    const word = fc.stringMatching(/^[a-z]{4,9}$/).map((made) => `x${made}`);
    await fc.assert(
      fc.asyncProperty(
        fc.array(fc.array(word, { minLength: 1, maxLength: 12 }), { minLength: 1, maxLength: 300 }),
        fc.constantFrom("violin teacher", "Where did Ada's violin teacher move?", "Porto"),
        async (others, query) => {
          const { add, search } = open();
          await add(talk("s1", related));
          const [before] = await search(query);
          await add(
            others.map((words, n) =>
              turn(`o${n}`, words.join(" "), { session: `o${n % 7}`, position: n, name: "Eve" }),
            ),
          );
          const [after] = await search(query);
          expect(after?.id).toBe(before?.id);
          expect(Math.abs((after?.score ?? 0) - (before?.score ?? 0))).toBeLessThanOrEqual(0.05);
        },
      ),
      { numRuns: runs(12) },
    );
  });
});
