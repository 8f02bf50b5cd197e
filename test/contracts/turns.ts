import type { Storage } from "../../src/storage/port.ts";
import { PAUSE, STRETCH, type TurnRow } from "../../src/storage/rows.ts";
import { NOW, shorthands, weighted } from "./made.ts";
import { opening, type Runner } from "./runner.ts";

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

/** What every index of past turns must do, whatever it is made of. */
export function turnsContract(
  { describe, it, expect, beforeEach, afterEach }: Runner,
  name: string,
  open: () => Promise<Storage>,
): void {
  describe(`the contract of turns: ${name}`, () => {
    const fresh = opening({ afterEach }, open);
    let store: Storage;
    const { add } = shorthands(() => store);
    beforeEach(async () => {
      store = await fresh();
    });

    /** Turns of a root that hold any of the terms, as root/id. */
    const turnsHolding = async (root: string, ...terms: string[]) => {
      const stretches = await store.candidates("turns", {
        root,
        terms: weighted(...terms),
        limit: 9,
      });
      const keys = stretches.flatMap(({ number, lengths, places }) =>
        [...lengths].flatMap((_, place) =>
          places.some((held) => Math.floor(held / 2 ** place) % 2 === 1)
            ? [{ stretch: number, place }]
            : [],
        ),
      );
      return (await store.turns(root, keys)).map(({ id, root: owner }) => `${owner}/${id}`);
    };

    it("finds turns of one root only, by any of their words or their speaker, and forgets a session", async () => {
      const greyhound = turn("t1", "I adopted a greyhound in Lisbon.", {
        name: "Ada",
        ref: "D1:1",
      });
      await store.commit({
        turns: { rows: [greyhound, turn("t2", "Lovely!", { position: 1 })], read: 12 },
      });
      await add([turn("t1", "A greyhound, too.", { root: "bob", session: "s2" })]);
      expect(await turnsHolding("ada", "greyhound", "lisbon")).toEqual(["ada/t1"]);
      expect(await turnsHolding("bob", "greyhound")).toEqual(["bob/t1"]);
      expect(await turnsHolding("ada", "@ada")).toEqual(["ada/t1"]);
      expect(await turnsHolding("eve", "greyhound")).toEqual([]);
      expect(
        await store.frequencies("turns", { root: "ada", terms: ["greyhound", "love"] }),
      ).toEqual({
        documents: 2,
        holding: [1, 1],
        words: 7,
        stretches: 1,
      });
      const [stretch] = await store.candidates("turns", {
        root: "ada",
        terms: weighted("lisbon"),
        limit: 5,
      });
      const key = { stretch: stretch!.number, place: 0 };
      expect(await store.turns("ada", [key])).toEqual([{ ...greyhound, ...key }]);
      expect(await store.turns("bob", [key])).toEqual([]);
      expect((await store.turns("ada", [key], true)).map(({ words }) => words)).toEqual([
        ["adopt", "greyhound", "lisbon"].map((term) => ({ term, holding: 1, first: true })),
      ]);
      expect(stretch).toMatchObject({ opens: true, later: 0 });
      expect(
        (await store.frequencies("turns", { root: "ada", terms: ["greyhound"], besides: "s1" }))
          .holding,
      ).toEqual([0]);
      const lisbon = { root: "ada", terms: weighted("lisbon"), limit: 5 };
      expect(await store.candidates("turns", { ...lisbon, besides: "s1" })).toEqual([]);
      expect(await store.candidates("turns", { ...lisbon, besides: "s2" })).toEqual([stretch]);
      expect(await store.beginning({ root: "ada", start: "greyh", limit: 5 })).toEqual([
        { term: "greyhound", holding: 1 },
      ]);
      expect(await store.beginning({ root: "eve", start: "greyh", limit: 5 })).toEqual([]);
      await store.commit({ gone: { turns: ["s1", "s3"] } });
      expect(await turnsHolding("ada", "greyhound")).toEqual([]);
      expect(await store.frequencies("turns", { root: "ada", terms: ["greyhound"] })).toEqual({
        documents: 0,
        holding: [0],
        words: 0,
        stretches: 0,
      });
    });

    it("shows of a stretch which turn holds which term, how long each is and what it looks like", async () => {
      await add([
        turn("t1", "Do you like tea?"),
        turn("t2", "Green tea, yes", { position: 1, role: "assistant" }),
        turn("t3", "Good", { position: 2 }),
      ]);
      const [stretch, ...rest] = await store.candidates("turns", {
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
        await store.candidates("turns", {
          root: "ada",
          terms: [{ term: "tea", weight: 0 }],
          limit: 5,
        }),
      ).toEqual([]);
    });

    it("puts before others what weighs more, a term that stands in several turns by less than as often, then the earlier", async () => {
      const said = (session: string, ...texts: string[]) =>
        add(
          texts.map((text, position) =>
            turn(`${session} ${position}`, text, { session, position }),
          ),
        );
      await said("y", "tea", "green");
      await said("x", "tea", "tea", "tea");
      await said("z", "tea and beans");
      await said("later", "tea", "green");
      const found = await store.candidates("turns", {
        ...{ root: "ada", limit: 9 },
        terms: [
          { term: "tea", weight: 1 },
          { term: "green", weight: 0.4 },
          { term: "bean", weight: 0.6 },
        ],
      });
      const keys = found.map(({ number: stretch }) => ({ stretch, place: 0 }));
      expect({
        "weights 1.6, 1.5, 1.4 and 1.4": (await store.turns("ada", keys)).map((one) => one.session),
      }).toEqual({ "weights 1.6, 1.5, 1.4 and 1.4": ["z", "x", "y", "later"] });
    });

    it("cuts a conversation into stretches where it grows long or pauses for a night", async () => {
      await add(
        Array.from({ length: STRETCH + 1 }, (_, position) =>
          turn(`t${position}`, "tea", { position }),
        ),
      );
      const [late, later] = [NOW + PAUSE - 1, NOW + 2 * PAUSE - 1];
      await add([turn("late", "tea", { position: 60, at: late })]);
      await add([turn("next day", "tea", { position: 61, at: later })]);
      const stretches = await store.candidates("turns", {
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

    it("replaces a turn that is added again or twice at once", async () => {
      await store.commit({
        turns: {
          rows: [turn("t1", "a first draft"), turn("t3", "behind it", { position: 1 })],
          read: 3,
        },
      });
      await store.commit({ turns: { rows: [turn("t1", "the last word")], read: 9 } });
      await add([
        turn("t2", "no cursor", { session: "s2" }),
        turn("t2", "no cursor at all", { session: "s2" }),
      ]);
      expect(await turnsHolding("ada", "draft")).toEqual([]);
      expect(await turnsHolding("ada", "word")).toEqual(["ada/t1"]);
      expect(await turnsHolding("ada", "word", "behind")).toEqual(["ada/t1", "ada/t3"]);
      expect(await store.frequencies("turns", { root: "ada", terms: ["draft", "cursor"] })).toEqual(
        {
          documents: 3,
          holding: [0, 1],
          words: 9,
          stretches: 2,
        },
      );
    });
  });
}
