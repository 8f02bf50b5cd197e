import { ADA, BOB, NOW, stored, weighted } from "./made.ts";
import { type Closable, opening, type Runner } from "./runner.ts";
import type { Scope } from "../../src/model/identity.ts";
import type { MemoryValues, MemoryWords, Stored } from "../../src/model/store.ts";

interface Kept extends Closable {
  readonly memories: MemoryValues & MemoryWords;
}

/** What every store of memories must do, whatever it is made of. */
export function memoriesContract(
  { describe, it, expect, beforeEach, afterEach }: Runner,
  name: string,
  open: () => Promise<Kept>,
): void {
  describe(`the contract of memories: ${name}`, () => {
    const fresh = opening({ afterEach }, open);
    let store: Kept["memories"];
    beforeEach(async () => {
      ({ memories: store } = await fresh());
    });

    const ids = async (
      terms: string[],
      scopes: Scope[] = [ADA],
      more: { asOf?: number; category?: string; limit?: number; now?: number } = {},
    ) =>
      (
        await store.candidates({ scopes, now: NOW, limit: 10, ...more, terms: weighted(...terms) })
      ).map(({ memory }) => memory.id);

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
      expect(await store.counts([ADA], NOW)).toEqual({ memories: 0, expired: 0, superseded: 0 });
    });

    it("puts all or none", async () => {
      await store.put([{ do: "insert", row: stored("a", "tea") }]);
      expect(
        await store.put([
          { do: "insert", row: stored("b", "milk") },
          { do: "amend", row: stored("a", "tea"), was: 7 },
        ]),
      ).toBe(false);
      expect(await store.get("b", [ADA])).toBeUndefined();
      expect(await ids(["milk"])).toEqual([]);
      expect(await store.frequencies([ADA], ["milk"])).toEqual({ documents: 1, holding: [0] });
    });

    it("refuses a plan that the store has overtaken: a taken key, equal words, another version, a used id", async () => {
      await store.put([
        { do: "insert", row: stored("a", "tea", { key: "drink" }) },
        { do: "insert", row: stored("b", "milk") },
      ]);
      const insert = (row: Stored) => store.put([{ do: "insert", row }]);
      expect({
        "a key that a memory of the scope has": await insert(
          stored("c", "water", { key: "drink" }),
        ),
        "words that one has, neither with a key": await insert(
          stored("c", "MILK", { same: "milk" }),
        ),
        "an id that is used": await insert(stored("a", "water")),
        "another version": await store.put([{ do: "end", id: "a", was: 2, at: NOW }]),
        "the same words under another key": await insert(stored("c", "tea", { key: "other" })),
        "the same words in another scope": await insert(stored("d", "milk", { scope: BOB })),
      }).toEqual({
        "a key that a memory of the scope has": false,
        "words that one has, neither with a key": false,
        "an id that is used": false,
        "another version": false,
        "the same words under another key": true,
        "the same words in another scope": true,
      });
    });

    it("keeps the old value of a replaced memory for those who ask what held then", async () => {
      await store.put([{ do: "insert", row: stored("a", "lives in Porto", { key: "city" }) }]);
      const row = stored("a", "lives in Lisbon", { key: "city", version: 2, validFrom: NOW + 100 });
      await store.put([{ do: "replace", row, was: 1 }]);
      expect((await store.get("a", [ADA]))?.memory.content).toBe("lives in Lisbon");
      expect(await ids(["porto"])).toEqual([]);
      expect(await ids(["porto"], [ADA], { asOf: NOW + 99 })).toEqual(["a"]);
      expect(await ids(["lisbon"], [ADA], { asOf: NOW + 99 })).toEqual([]);
      expect(await ids(["lisbon"], [ADA], { asOf: NOW + 100 })).toEqual(["a"]);
      expect(await ids(["lisbon"], [ADA], { asOf: NOW - 1 })).toEqual([]);
      expect((await store.byKey("city", ADA))?.memory.content).toBe("lives in Lisbon");
      expect(await store.counts([ADA], NOW)).toEqual({ memories: 1, expired: 0, superseded: 1 });
    });

    it("moves a memory to the scope its new value names, and finds the old value where it was", async () => {
      await store.put([{ do: "insert", row: stored("a", "the door is blue", { key: "door" }) }]);
      await store.used(["a"], [ADA], NOW + 1);
      const moved = { key: "door", version: 2, validFrom: NOW + 100, scope: BOB };
      const row = stored("a", "the door is blue", moved);
      await store.put([{ do: "insert", row: stored("b", "red", { key: "door", scope: BOB }) }]);
      const replace = () => store.put([{ do: "replace", row, was: 1 }]);
      expect({ "where its key is taken": await replace() }).toEqual({
        "where its key is taken": false,
      });
      expect(await store.remove(["b"], [BOB])).toBe(1);
      expect({ "where it is free": await replace() }).toEqual({ "where it is free": true });
      expect([await store.get("a", [ADA]), await store.byKey("door", ADA)]).toEqual([
        undefined,
        undefined,
      ]);
      expect((await store.get("a", [BOB]))?.memory).toMatchObject({ version: 2, uses: 1 });
      expect([await ids(["blue"]), await ids(["blue"], [BOB])]).toEqual([[], ["a"]]);
      expect([
        await ids(["blue"], [ADA], { asOf: NOW + 99 }),
        await ids(["blue"], [BOB], { asOf: NOW + 99 }),
      ]).toEqual([["a"], []]);
      expect(await store.values({ ids: ["a"], limit: 9 })).toEqual([
        {
          stored: stored("a", "the door is blue", { key: "door", uses: 1, usedAt: NOW + 1 }),
          until: NOW + 100,
        },
        { stored: { ...row, usedAt: NOW + 1, memory: { ...row.memory, uses: 1 } } },
      ]);
      expect(await store.values({ ids: ["nope"], limit: 9 })).toEqual([]);
    });

    it("restores the values of some scopes alone, and of two current ones leaves the later", async () => {
      const first = stored("a", "tea");
      const second = stored("a", "green tea", { version: 2, validFrom: NOW + 5, scope: BOB });
      await store.restore(["a"], [{ stored: first }]);
      await store.restore(["a"], [{ stored: second }], [BOB]);
      const both = [{ stored: first, until: NOW + 5 }, { stored: second }];
      expect(await store.values({ limit: 9 })).toEqual(both);
      await store.restore(["a"], [{ stored: first }], [ADA]);
      expect(await store.values({ limit: 9 })).toEqual(both);
      await store.restore(["a"], [], [BOB]);
      expect(await store.values({ limit: 9 })).toEqual(both.slice(0, 1));
    });

    it("keeps the uses counted between a plan and its doing", async () => {
      await store.put([{ do: "insert", row: stored("a", "tea") }]);
      const row = stored("a", "green tea", { version: 2, validFrom: NOW + 1 });
      await store.used(["a"], [ADA], NOW + 7);
      await store.put([{ do: "replace", row, was: 1 }]);
      expect(await store.get("a", [ADA])).toMatchObject({
        memory: { uses: 1, content: "green tea" },
        usedAt: NOW + 7,
      });
    });

    it("finds an ended memory no more, but still takes it away when it is to be forgotten", async () => {
      await store.put([{ do: "insert", row: stored("a", "tea", { key: "drink" }) }]);
      await store.put([{ do: "end", id: "a", was: 1, at: NOW + 5 }]);
      expect(await store.get("a", [ADA])).toBeUndefined();
      expect(await store.byKey("drink", ADA)).toBeUndefined();
      expect(await ids(["tea"])).toEqual([]);
      expect(
        (await store.find({ scopes: [ADA], key: "drink" })).map(({ memory }) => memory.id),
      ).toEqual(["a"]);
      expect(await store.remove(["a"], [ADA])).toBe(1);
      expect(await ids(["tea"], [ADA], { asOf: NOW + 1 })).toEqual([]);
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

    it("takes out with what has expired its earlier values, and leaves what has ended", async () => {
      await store.put([
        { do: "insert", row: stored("a", "tea", { key: "k" }) },
        { do: "insert", row: stored("b", "milk", { expiresAt: NOW + 5 }) },
      ]);
      const row = stored("a", "mint", { key: "k", version: 2, validFrom: NOW + 1 });
      const memory = { ...row.memory, expiresAt: NOW + 5 };
      await store.put([
        { do: "replace", row: { ...row, memory }, was: 1 },
        { do: "end", id: "b", was: 1, at: NOW + 2 },
      ]);
      expect(await store.removeExpired(NOW + 5)).toBe(1);
      const left = await store.values({ limit: 9 });
      expect({ left: left.map(({ stored: { memory: one } }) => one.id) }).toEqual({ left: ["b"] });
    });

    it("amends traits alone, gives a key but never takes or changes one", async () => {
      await store.put([
        { do: "insert", row: stored("a", "tea") },
        { do: "insert", row: stored("b", "milk", { key: "k2" }) },
      ]);
      await store.used(["a"], [ADA], NOW + 3);
      const amend = (more: object) =>
        store.put([{ do: "amend", row: stored("a", "tea", more), was: 1 }]);
      expect({
        "a key another has": await amend({ key: "k2" }),
        "its first key": await amend({ key: "k1" }),
        "another key": await amend({ key: "k3" }),
        "no key": await amend({}),
      }).toEqual({
        "a key another has": false,
        "its first key": true,
        "another key": false,
        "no key": false,
      });
      const told = {
        key: "k1",
        category: "drinks",
        importance: 1,
        statedAt: NOW + 4,
        updatedAt: 7,
      };
      const other = { at: NOW + 9, validFrom: NOW + 9, same: "other", uses: 9, version: 9 };
      await store.put([
        { do: "amend", row: stored("a", "other words", { ...told, ...other }), was: 1 },
      ]);
      expect({ "what it is then": await store.get("a", [ADA]) }).toEqual({
        "what it is then": stored("a", "tea", { ...told, uses: 1, usedAt: NOW + 3 }),
      });
    });

    it("asks for words of their own of what is inserted alone, and takes an id again that has ended", async () => {
      await store.put([
        { do: "insert", row: stored("a", "tea", { key: "k1" }) },
        { do: "insert", row: stored("b", "tea", { key: "k2" }) },
        { do: "insert", row: stored("c", "milk") },
      ]);
      const replace = { do: "replace", row: stored("c", "tea", { version: 2 }), was: 1 } as const;
      expect({
        "replaced by words that another has": await store.put([replace]),
        ended: await store.put([{ do: "end", id: "a", was: 1, at: NOW + 5 }]),
        again: await store.put([
          { do: "insert", row: stored("a", "water", { version: 2, validFrom: NOW + 9 }) },
        ]),
      }).toEqual({ "replaced by words that another has": true, ended: true, again: true });
      expect((await store.get("a", [ADA]))?.memory.content).toBe("water");
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

    it("names what is to be forgotten by id, key, source or all of them, the newest value of each", async () => {
      await store.put([
        { do: "insert", row: stored("a", "tea", { key: "k", source: "web" }) },
        { do: "insert", row: stored("b", "milk", { source: "web" }) },
      ]);
      await store.put([
        {
          do: "replace",
          row: stored("a", "mint", { key: "k", source: "web", version: 2, validFrom: NOW + 1 }),
          was: 1,
        },
      ]);
      const found = async (target: object) =>
        (await store.find({ scopes: [ADA], ...target })).map(({ memory }) => [
          memory.id,
          memory.version,
        ]);
      expect((await found({ source: "web" })).sort()).toEqual([
        ["a", 2],
        ["b", 1],
      ]);
      const row = stored("a", "lemon", { source: "chat", version: 3, validFrom: NOW + 2 });
      await store.put([{ do: "replace", row, was: 2 }]);
      expect({
        "by a key that was dropped": await found({ key: "k" }),
        "by what two values are, and none alone": await found({ key: "k", source: "chat" }),
      }).toEqual({
        "by a key that was dropped": [["a", 2]],
        "by what two values are, and none alone": [],
      });
      expect({
        id: await found({ id: "a" }),
        "id and key": await found({ id: "b", key: "k" }),
        nothing: await found({}),
      }).toEqual({ id: [["a", 3]], "id and key": [], nothing: [] });
      expect(await store.remove(["a"], [ADA])).toBe(1);
      expect({
        "what is left of it": await ids(["tea", "mint", "lemon"], [ADA], { asOf: NOW }),
      }).toEqual({
        "what is left of it": [],
      });
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
