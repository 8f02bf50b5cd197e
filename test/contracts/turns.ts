import { NOW, weighted } from "./made.ts";
import { type Closable, opening, type Runner } from "./runner.ts";
import type { TurnIndex, TurnRow } from "../../src/model/store.ts";
import { PAUSE, STRETCH } from "../../src/model/turns.ts";

const turn = (id: string, text: string, more: Partial<TurnRow> = {}): TurnRow => ({
  id,
  session: "s1",
  root: "ada",
  position: 0,
  role: "user",
  text,
  at: NOW,
  ...more,
});

interface Kept extends Closable {
  readonly turns: TurnIndex;
}

/** What every index of past turns must do, whatever it is made of. */
export function turnsContract(
  { describe, it, expect, beforeEach, afterEach }: Runner,
  name: string,
  open: () => Promise<Kept>,
): void {
  describe(`the contract of turns: ${name}`, () => {
    const fresh = opening({ afterEach }, open);
    let turns: TurnIndex;
    beforeEach(async () => {
      ({ turns } = await fresh());
    });

    /** Turns of a root that hold any of the terms, as root/id. */
    const turnsHolding = async (root: string, ...terms: string[]) => {
      const stretches = await turns.stretches({ root, terms: weighted(...terms), limit: 9 });
      const keys = stretches.flatMap(({ number, lengths, places }) =>
        [...lengths].flatMap((_, place) =>
          places.some((held) => Math.floor(held / 2 ** place) % 2 === 1)
            ? [{ stretch: number, place }]
            : [],
        ),
      );
      return (await turns.turns(root, keys)).map(({ id, root: owner }) => `${owner}/${id}`);
    };

    it("names the roots that have turns, those whose latest stretch began last first", async () => {
      expect(await turns.roots()).toEqual([]);
      await turns.add([turn("t1", "A greyhound."), turn("t2", "Lovely!", { position: 1 })]);
      await turns.add([turn("t1", "A kite.", { root: "bob", session: "s2", at: NOW + 1 })]);
      expect(await turns.roots()).toEqual(["bob", "ada"]);
      await turns.remove(["s2"]);
      expect(await turns.roots()).toEqual(["ada"]);
      await turns.add([
        turn("t3", "A goose.", { root: "eve", session: "s3", at: NOW + PAUSE }),
        turn("t4", "A swan.", { position: 2, at: NOW + PAUSE + 1 }),
        turn("t5", "A duck.", { root: "eve", session: "s3", position: 1, at: NOW + PAUSE + 2 }),
      ]);
      expect({
        "one with an old stretch and a new one, and one that goes on": await turns.roots(),
      }).toEqual({
        "one with an old stretch and a new one, and one that goes on": ["ada", "eve"],
      });
    });

    it("finds turns of one root only, by any of their words or their speaker, and forgets a session", async () => {
      const greyhound = turn("t1", "I adopted a greyhound in Lisbon.", {
        name: "Ada",
        ref: "D1:1",
      });
      await turns.add([greyhound, turn("t2", "Lovely!", { position: 1 })], 12);
      await turns.add([turn("t1", "A greyhound, too.", { root: "bob", session: "s2" })]);
      expect(await turnsHolding("ada", "greyhound", "lisbon")).toEqual(["ada/t1"]);
      expect(await turnsHolding("bob", "greyhound")).toEqual(["bob/t1"]);
      expect(await turnsHolding("ada", "@ada")).toEqual(["ada/t1"]);
      expect(await turnsHolding("eve", "greyhound")).toEqual([]);
      expect(await turns.frequencies("ada", ["greyhound", "love"])).toEqual({
        documents: 2,
        holding: [1, 1],
        words: 7,
        stretches: 1,
      });
      const [stretch] = await turns.stretches({
        root: "ada",
        terms: weighted("lisbon"),
        limit: 5,
      });
      const key = { stretch: stretch!.number, place: 0 };
      expect(await turns.turns("ada", [key])).toEqual([greyhound]);
      expect(await turns.turns("bob", [key])).toEqual([]);
      expect(await turns.wordsOf("bob", [key])).toEqual([[]]);
      expect(await turns.wordsOf("ada", [key])).toEqual([
        ["adopt", "greyhound", "lisbon"].map((term) => ({ term, holding: 1, first: true })),
      ]);
      expect(stretch).toMatchObject({ opens: true, later: 0 });
      expect((await turns.frequencies("ada", ["greyhound"], "s1")).holding).toEqual([0]);
      const lisbon = { root: "ada", terms: weighted("lisbon"), limit: 5 };
      expect(await turns.stretches({ ...lisbon, besides: "s1" })).toEqual([]);
      expect(await turns.stretches({ ...lisbon, besides: "s2" })).toEqual([stretch]);
      expect(await turns.beginning({ root: "ada", start: "greyh", limit: 5 })).toEqual([
        { term: "greyhound", holding: 1 },
      ]);
      expect(await turns.beginning({ root: "eve", start: "greyh", limit: 5 })).toEqual([]);
      expect(
        (await turns.containing({ root: "ada", text: "REYHOUND IN", limit: 5 })).map(
          ({ id }) => id,
        ),
      ).toEqual(["t1"]);
      expect(await turns.containing({ root: "eve", text: "greyhound", limit: 5 })).toEqual([]);
      expect(await turns.remove(["s1", "s3"])).toBe(2);
      expect(await turnsHolding("ada", "greyhound")).toEqual([]);
      expect(await turns.frequencies("ada", ["greyhound"])).toEqual({
        documents: 0,
        holding: [0],
        words: 0,
        stretches: 0,
      });
    });

    it("shows of a stretch which turn holds which term, how long each is and what it looks like", async () => {
      await turns.add([
        turn("t1", "Do you like tea?"),
        turn("t2", "Green tea, yes", { position: 1, role: "assistant" }),
        turn("t3", "Good", { position: 2 }),
      ]);
      const [stretch, ...rest] = await turns.stretches({
        root: "ada",
        terms: [
          ...weighted("tea", "green"),
          { term: "good", weight: 0 },
          { term: "zebra", weight: 1 },
        ],
        limit: 5,
      });
      expect(rest).toEqual([]);
      expect(stretch).toMatchObject({ at: NOW, places: [0b011, 0b010, 0b100, 0] });
      expect([...stretch!.lengths]).toEqual([4, 3, 1]);
      expect([...stretch!.cues].map((cues) => cues & 0b11)).toEqual([0b11, 0, 0]);
      expect(
        await turns.stretches({ root: "ada", terms: [{ term: "tea", weight: 0 }], limit: 5 }),
      ).toEqual([]);
    });

    it("puts before others what weighs more, a term that stands in several turns by less than as often, then the earlier", async () => {
      const said = (session: string, ...texts: string[]) =>
        turns.add(
          texts.map((text, position) =>
            turn(`${session} ${position}`, text, { session, position }),
          ),
        );
      await said("y", "tea", "green");
      await said("x", "tea", "tea", "tea");
      await said("z", "tea and beans");
      await said("later", "tea", "green");
      const found = await turns.stretches({
        ...{ root: "ada", limit: 9 },
        terms: [
          { term: "tea", weight: 1 },
          { term: "green", weight: 0.4 },
          { term: "bean", weight: 0.6 },
        ],
      });
      const keys = found.map(({ number: stretch }) => ({ stretch, place: 0 }));
      expect({
        "weights 1.6, 1.5, 1.4 and 1.4": (await turns.turns("ada", keys)).map((one) => one.session),
      }).toEqual({ "weights 1.6, 1.5, 1.4 and 1.4": ["z", "x", "y", "later"] });
    });

    it("cuts a conversation into stretches where it grows long or pauses for a night", async () => {
      await turns.add(
        Array.from({ length: STRETCH + 1 }, (_, position) =>
          turn(`t${position}`, "tea", { position }),
        ),
      );
      const [late, later] = [NOW + PAUSE - 1, NOW + 2 * PAUSE - 1];
      await turns.add([turn("late", "tea", { position: 60, at: late })]);
      await turns.add([turn("next day", "tea", { position: 61, at: later })]);
      const stretches = await turns.stretches({
        root: "ada",
        terms: weighted("tea"),
        limit: 9,
      });
      expect(stretches.map(({ lengths }) => lengths.length)).toEqual([STRETCH, 2, 1]);
      expect({ "which open": stretches.map(({ opens }) => opens) }).toEqual({
        "which open": [true, false, true],
      });
      expect(stretches[0]?.places).toEqual([2 ** STRETCH - 1]);
      expect((await turnsHolding("ada", "tea")).length).toBe(STRETCH + 3);
    });

    it("replaces a turn that is added again and remembers how far history was read", async () => {
      expect(await turns.cursor()).toBe(0);
      await turns.add([turn("t1", "a first draft"), turn("t3", "behind it", { position: 1 })], 3);
      await turns.add([turn("t1", "the last word")], 9);
      await turns.add([
        turn("t2", "no cursor", { session: "s2" }),
        turn("t2", "no cursor at all", { session: "s2" }),
      ]);
      expect(await turns.cursor()).toBe(9);
      expect(await turnsHolding("ada", "draft")).toEqual([]);
      expect(await turnsHolding("ada", "word")).toEqual(["ada/t1"]);
      expect(await turnsHolding("ada", "word", "behind")).toEqual(["ada/t1", "ada/t3"]);
      expect(await turns.frequencies("ada", ["draft", "cursor"])).toEqual({
        documents: 3,
        holding: [0, 1],
        words: 9,
        stretches: 2,
      });
    });
  });
}
