import { ADA, BOB, holding, NOW, stored, weighted } from "./made.ts";
import { changesContract } from "./memory-changes.ts";
import { type Closable, opening, type Runner } from "./runner.ts";
import type { MemoryValues, MemoryWords } from "../../src/model/store.ts";

interface Kept extends Closable {
  readonly memories: MemoryValues & MemoryWords;
}

/** What every store of memories must do, whatever it is made of. */
export function memoriesContract(runner: Runner, name: string, open: () => Promise<Kept>): void {
  const { describe, it, expect, beforeEach, afterEach } = runner;
  changesContract(runner, name, open);
  describe(`the contract of memories: ${name}`, () => {
    const fresh = opening({ afterEach }, open);
    let store: Kept["memories"];
    beforeEach(async () => {
      ({ memories: store } = await fresh());
    });
    const ids = holding(() => store);

    it("gives back a memory whole, with every optional field and without", async () => {
      const bare = stored("a", "tea");
      const full = stored("b", "coffee", {
        key: "drink",
        tags: ["x", "y"],
        expiresAt: NOW + 5,
        kind: "policy",
        origin: "tool",
        importance: 0.25,
        uses: 3,
        usedAt: NOW - 1,
      });
      expect(
        await store.put([
          { do: "insert", row: bare },
          { do: "insert", row: full },
        ]),
      ).toBe(true);
      expect(await store.get("a", [ADA])).toEqual(bare);
      expect(await store.get("b", [ADA])).toEqual(full);
      expect(await store.byKey("drink", ADA)).toEqual(full);
      expect(await store.same("coffee", [ADA])).toEqual([full]);
    });

    it("answers what says the same in several scopes the oldest first, whichever scope came first or is asked first", async () => {
      await store.put([{ do: "insert", row: stored("z", "rain", { scope: BOB }) }]);
      await store.put([{ do: "insert", row: stored("y", "tea", { key: "morning" }) }]);
      await store.put([{ do: "insert", row: stored("x", "tea", { scope: BOB }) }]);
      await store.put([{ do: "insert", row: stored("w", "tea", { key: "evening" }) }]);
      for (const scopes of [
        [ADA, BOB],
        [BOB, ADA],
      ])
        expect((await store.same("tea", scopes)).map(({ memory }) => memory.id)).toEqual([
          "y",
          "x",
          "w",
        ]);
    });

    it("answers nothing for an unknown id, key, scope or digest", async () => {
      expect(await store.get("nope", [ADA])).toBeUndefined();
      expect(await store.byKey("nope", ADA)).toBeUndefined();
      expect(await store.same("nope", [ADA])).toEqual([]);
      expect(await store.find({ scopes: [ADA], source: "nope" })).toEqual([]);
      expect(await store.list({ scopes: [], now: NOW, limit: 5 })).toEqual([]);
      expect(await store.remove(["nope"], [ADA])).toBe(0);
      expect(await store.count([ADA], NOW)).toBe(0);
    });

    it("orders candidates by the weight of the terms they hold and cuts after that", async () => {
      await store.put(
        ["red fox", "red fox jumps", "fox", "red barn", "blue sea"].map((content, at) => ({
          do: "insert" as const,
          row: stored(`m${at}`, content),
        })),
      );
      const terms = [
        { term: "red", weight: 1 },
        { term: "fox", weight: 2 },
        { term: "jump", weight: 0.5 },
      ];
      const found = await store.candidates({ scopes: [ADA], now: NOW, limit: 3, terms });
      expect(found.map(({ memory }) => memory.id)).toEqual(["m1", "m0", "m2"]);
      expect(found[0]?.terms).toEqual(["red", "fox", "jump"]);
      const least = await store.candidates({ scopes: [ADA], now: NOW, limit: 10, terms, least: 2 });
      expect({ "of a weight of 2": least.map(({ memory }) => memory.id) }).toEqual({
        "of a weight of 2": ["m1", "m0", "m2"],
      });
    });

    it("finds Chinese inside a run and words with accents, in any case", async () => {
      await store.put([
        { do: "insert", row: stored("a", "我的猫叫小白") },
        { do: "insert", row: stored("b", "Café ÉTÉ") },
      ]);
      expect(await ids(["猫叫"])).toEqual(["a"]);
      expect(await ids(["猫"])).toEqual(["a"]);
      expect(await ids(["cafe"])).toEqual(["b"]);
    });

    it("counts and shows nothing of another scope, and gives nothing of it away", async () => {
      await store.put([
        { do: "insert", row: stored("a", "tea", { key: "k" }) },
        { do: "insert", row: stored("b", "tea", { scope: BOB, key: "k" }) },
      ]);
      expect(await ids(["tea"])).toEqual(["a"]);
      expect((await ids(["tea"], [ADA, BOB])).sort()).toEqual(["a", "b"]);
      expect(await store.frequencies([ADA], ["tea"])).toEqual({ documents: 1, holding: [1] });
      expect(await store.get("b", [ADA])).toBeUndefined();
      expect(await store.remove(["b"], [ADA])).toBe(0);
      await store.used(["b"], [ADA], NOW);
      expect((await store.get("b", [BOB]))?.memory.uses).toBe(0);
      expect(
        (await store.find({ scopes: [ADA], key: "k" })).map(({ memory }) => memory.id),
      ).toEqual(["a"]);
    });

    it("holds back what has expired from finding and listing, to the millisecond, and tidies it", async () => {
      await store.put([
        { do: "insert", row: stored("a", "tea", { expiresAt: NOW + 10 }) },
        { do: "insert", row: stored("b", "tea", { scope: BOB, expiresAt: NOW + 10 }) },
      ]);
      expect(await ids(["tea"], [ADA], { now: NOW + 9 })).toEqual(["a"]);
      expect(await ids(["tea"], [ADA], { now: NOW + 10 })).toEqual([]);
      expect(await store.list({ scopes: [ADA], now: NOW + 10, limit: 5 })).toEqual([]);
      expect({
        before: await store.count([ADA], NOW + 9),
        then: await store.count([ADA], NOW + 10),
      }).toEqual({ before: 1, then: 0 });
      expect((await store.get("a", [ADA]))?.memory.id).toBe("a");
      expect(await store.removeExpired(NOW + 9)).toBe(0);
      expect(await store.removeExpired(NOW + 10)).toBe(2);
      expect(await store.get("a", [ADA])).toBeUndefined();
    });

    it("asks of a moment what had not expired by then, whatever the time is now", async () => {
      const row = stored("a", "tea", { expiresAt: NOW + 10 });
      await store.put([{ do: "insert", row }]);
      const past = { now: NOW + 20, asOf: NOW + 9 };
      const over = { now: NOW, asOf: NOW + 10 };
      const holding = async (moment: object) =>
        (await store.containing({ scopes: [ADA], now: NOW, limit: 9, text: "tea", ...moment })).map(
          ({ memory }) => memory.id,
        );
      expect({
        "over now, not then": [await ids(["tea"], [ADA], past), await holding(past)],
        "over then, not now": [await ids(["tea"], [ADA], over), await holding(over)],
      }).toEqual({ "over now, not then": [["a"], ["a"]], "over then, not now": [[], []] });
    });

    it("lists newest first and narrows by category, kind, origin and moment", async () => {
      const rows = [0, 1, 2, 3].map((at) =>
        stored(`m${at}`, `tea ${at}`, {
          updatedAt: NOW + at,
          category: at % 2 ? "odd" : "even",
          origin: at === 3 ? "tool" : "host",
          kind: at === 0 ? "policy" : "fact",
        }),
      );
      await store.put(rows.map((row) => ({ do: "insert" as const, row })));
      const list = async (more: object) =>
        (await store.list({ scopes: [ADA], now: NOW, limit: 10, ...more })).map(
          ({ memory }) => memory.id,
        );
      expect(await list({})).toEqual(["m3", "m2", "m1", "m0"]);
      expect(await list({ limit: 2 })).toEqual(["m3", "m2"]);
      expect(await list({ category: "even" })).toEqual(["m2", "m0"]);
      expect(await list({ kind: "policy" })).toEqual(["m0"]);
      expect(await list({ after: NOW + 1 })).toEqual(["m3", "m2"]);
      expect(await list({ origins: ["host"] })).toEqual(["m2", "m1", "m0"]);
      expect(await ids(["tea"], [ADA], { category: "odd" })).toEqual(["m3", "m1"]);
    });

    it("lists by what was stated last, matters most or was used most, ties by id", async () => {
      await store.put([
        { do: "insert", row: stored("a", "tea", { statedAt: NOW - 9, importance: 0.9, uses: 1 }) },
        { do: "insert", row: stored("b", "milk", { statedAt: NOW, importance: 0.1, uses: 1 }) },
        {
          do: "insert",
          row: stored("c", "water", { statedAt: NOW - 3, importance: 0.5, uses: 7 }),
        },
      ]);
      const list = async (more: object) =>
        (await store.list({ scopes: [ADA, BOB], now: NOW, limit: 10, ...more })).map(
          ({ memory }) => memory.id,
        );
      expect({
        stated: await list({ order: "stated" }),
        importance: await list({ order: "importance" }),
        used: await list({ order: "used" }),
        updated: await list({ order: "updated" }),
      }).toEqual({
        stated: ["b", "c", "a"],
        importance: ["a", "c", "b"],
        used: ["c", "a", "b"],
        updated: ["a", "b", "c"],
      });
      expect(await list({ order: "importance", limit: 1 })).toEqual(["a"]);
    });

    it("tells what the members of a category say, of one scope and of those whose category was given", async () => {
      await store.put([
        { do: "insert", row: stored("a", "the rye loaf", { category: "baking" }) },
        { do: "insert", row: stored("b", "rye and rye flour", { category: "baking" }) },
        { do: "insert", row: stored("c", "a pale ale", { category: "brewing" }) },
        { do: "insert", row: stored("d", "rye whisky", { category: "brewing", sorted: true }) },
        { do: "insert", row: stored("e", "rye of another", { category: "baking", scope: BOB }) },
      ]);
      expect(await store.categories(ADA, ["rye", "flour", "zebra"])).toEqual([
        { category: "baking", members: 2, holding: [2, 1, 0] },
      ]);
      expect(await store.categories(ADA, ["zebra"])).toEqual([]);
      expect(await store.categories("user:eve", ["rye"])).toEqual([]);
      await store.put([
        { do: "amend", row: stored("d", "rye whisky", { category: "brewing" }), was: 1 },
      ]);
      expect(
        (await store.categories(ADA, ["rye"])).sort((one, other) =>
          one.category < other.category ? -1 : 1,
        ),
      ).toEqual([
        { category: "baking", members: 2, holding: [2] },
        { category: "brewing", members: 2, holding: [1] },
      ]);
    });

    it("finds by terms too common alone only who holds two of them", async () => {
      await store.put(
        ["red fox", "red barn", "dark fox", "red fox barn"].map((content, at) => ({
          do: "insert" as const,
          row: stored(`m${at}`, content),
        })),
      );
      const found = async (terms: string[], together: string[]) =>
        (
          await store.candidates({
            scopes: [ADA],
            now: NOW,
            limit: 10,
            terms: weighted(...terms),
            together: weighted(...together),
          })
        )
          .map(({ memory }) => memory.id)
          .sort();
      expect(await found([], ["red", "fox"])).toEqual(["m0", "m3"]);
      expect(await found(["dark"], ["red", "barn"])).toEqual(["m1", "m2", "m3"]);
      expect(await found([], ["red"])).toEqual([]);
    });

    it("counts how common a word is among what holds, and with the past among all that ever held", async () => {
      await store.put([
        { do: "insert", row: stored("a", "tea", { key: "k" }) },
        { do: "insert", row: stored("b", "tea milk") },
      ]);
      await store.put([
        {
          do: "replace",
          row: stored("a", "milk", { key: "k", version: 2, validFrom: NOW + 1 }),
          was: 1,
        },
      ]);
      expect(await store.frequencies([ADA], ["tea", "milk", "zebra"])).toEqual({
        documents: 2,
        holding: [1, 2, 0],
      });
      expect(await store.frequencies([ADA], ["tea", "milk"], true)).toEqual({
        documents: 2,
        holding: [2, 2],
      });
      expect(await store.frequencies([], ["tea"])).toEqual({ documents: 0, holding: [0] });
    });

    it("tells the words that begin so, of what holds and is visible", async () => {
      await store.put([
        { do: "insert", row: stored("a", "teapot and teacup", { key: "k" }) },
        { do: "insert", row: stored("b", "teacher", { scope: BOB }) },
        { do: "insert", row: stored("c", "été éternel") },
      ]);
      expect(await store.beginning([ADA], "tea", 9)).toEqual(["teacup", "teapot"]);
      expect(await store.beginning([ADA, BOB], "tea", 9)).toEqual(["teacher", "teacup", "teapot"]);
      expect(await store.beginning([ADA], "tea", 1)).toEqual(["teacup"]);
      expect((await store.beginning([ADA], "et", 9)).length).toBe(2);
      expect(await store.beginning(["user:eve"], "tea", 9)).toEqual([]);
      await store.put([
        {
          do: "replace",
          row: stored("a", "milk", { key: "k", version: 2, validFrom: NOW + 1 }),
          was: 1,
        },
      ]);
      expect(await store.beginning([ADA], "tea", 9)).toEqual([]);
    });

    it("looks for a part of a text as it stands, wildcards and all", async () => {
      await store.put(
        ["save 100% now", "a_b", "path\\to", "whiskerino"].map((content, at) => ({
          do: "insert" as const,
          row: stored(`m${at}`, content),
        })),
      );
      const holding = async (text: string) =>
        (await store.containing({ scopes: [ADA], now: NOW, limit: 10, text })).map(
          ({ memory }) => memory.id,
        );
      expect(await holding("100%")).toEqual(["m0"]);
      expect(await holding("a_b")).toEqual(["m1"]);
      expect(await holding("%")).toEqual(["m0"]);
      expect(await holding("h\\t")).toEqual(["m2"]);
      expect(await holding("SKERI")).toEqual(["m3"]);
    });

    it("finds every part of a word however many memories there are, the newest first", async () => {
      const number = (at: number): string => `m${`${at}`.padStart(5, "0")}`;
      const rows = Array.from({ length: 4_500 }, (_, at) =>
        stored(number(at), at % 450 === 7 ? `the brass barometer of berth ${at}` : `berth ${at}`, {
          updatedAt: NOW + (at % 7),
        }),
      );
      await store.put(rows.map((row) => ({ do: "insert" as const, row })));
      const found = (
        await store.containing({ scopes: [ADA], now: NOW, limit: 100, text: "aromet" })
      ).map(({ memory }) => memory.id);
      const meant = rows
        .filter(({ memory }) => memory.content.includes("aromet"))
        .sort(
          (one, other) =>
            other.memory.updatedAt - one.memory.updatedAt ||
            (one.memory.id < other.memory.id ? -1 : 1),
        );
      expect(found).toEqual(meant.map(({ memory }) => memory.id));
      expect(
        (await store.containing({ scopes: [ADA], now: NOW, limit: 3, text: "aromet" })).map(
          ({ memory }) => memory.id,
        ),
      ).toEqual(found.slice(0, 3));
    });
  });
}
