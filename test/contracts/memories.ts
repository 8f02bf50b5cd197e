import type { Stored } from "../../src/core/memory.ts";
import { terms } from "../../src/core/text/terms.ts";
import type { Storage } from "../../src/storage/port.ts";
import { ADA, BOB, NOW, holding, insert, shorthands, stored, weighted } from "./made.ts";
import { opening, type Runner } from "./runner.ts";

/** What every store of memories must do, whatever it is made of. */
export function memoriesContract(runner: Runner, name: string, open: () => Promise<Storage>): void {
  const { describe, it, expect, beforeEach, afterEach } = runner;
  describe(`the contract of memories: ${name}`, () => {
    const fresh = opening({ afterEach }, open);
    let store: Storage;
    const { get, put } = shorthands(() => store);
    beforeEach(async () => {
      store = await fresh();
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
        await put([
          { do: "insert", row: bare },
          { do: "insert", row: full },
        ]),
      ).toBe(true);
      expect(await get("a", [ADA])).toEqual(bare);
      expect(await get("b", [ADA])).toEqual(full);
      expect((await store.find({ key: "drink", scopes: [ADA] }))[0]).toEqual(full);
      expect(await store.find({ same: "coffee", scopes: [ADA] })).toEqual([full]);
    });

    it("answers what says the same in several scopes the oldest first, whichever scope came first or is asked first", async () => {
      await put([insert("z", "rain", { scope: BOB })]);
      await put([insert("y", "tea", { key: "morning" })]);
      await put([insert("x", "tea", { scope: BOB })]);
      await put([insert("w", "tea", { key: "evening" })]);
      for (const scopes of [
        [ADA, BOB],
        [BOB, ADA],
      ])
        expect(
          (await store.find({ same: "tea", scopes: scopes })).map(({ memory }) => memory.id),
        ).toEqual(["y", "x", "w"]);
    });

    it("answers nothing for an unknown id, key, scope or digest", async () => {
      expect(await get("nope", [ADA])).toBeUndefined();
      expect((await store.find({ key: "nope", scopes: [ADA] }))[0]).toBeUndefined();
      expect(await store.find({ same: "nope", scopes: [ADA] })).toEqual([]);
      expect(await store.find({ scopes: [ADA], past: true, source: "nope" })).toEqual([]);
      expect(await store.find({ order: "updated", scopes: [], now: NOW, limit: 5 })).toEqual([]);
      expect((await store.count({ scopes: [ADA], now: NOW, root: "" })).categories).toEqual([]);
    });

    it("orders candidates by the weight of the terms they hold and cuts after that", async () => {
      await put(
        ["red fox", "red fox jumps", "fox", "red barn", "blue sea"].map((content, at) =>
          insert(`m${at}`, content),
        ),
      );
      const terms = [
        { term: "red", weight: 1 },
        { term: "fox", weight: 2 },
        { term: "jump", weight: 0.5 },
      ];
      const found = await store.candidates("memories", {
        scopes: [ADA],
        now: NOW,
        limit: 3,
        terms,
      });
      expect(found.map(({ memory }) => memory.id)).toEqual(["m1", "m0", "m2"]);
      expect(found[0]?.terms).toEqual(["red", "fox", "jump"]);
    });

    it("counts a choice of terms once, however many of them a value holds", async () => {
      await put(
        ["fox wolf", "fox", "red", "wolf dog"].map((content, at) => insert(`m${at}`, content)),
      );
      const found = await store.candidates("memories", {
        scopes: [ADA],
        now: NOW,
        limit: 10,
        terms: [
          { term: "fox", or: ["wolf", "dog"], weight: 1 },
          { term: "red", weight: 1.5 },
        ],
      });
      expect(found.map(({ memory }) => memory.id)).toEqual(["m2", "m3", "m1", "m0"]);
    });

    it("leaves no better one out, whichever terms it reads first", async () => {
      // The same in every run; the package holds this file, and no other of the tests.
      let state = 7;
      const random = (): number => (state = (state * 16_807) % 2_147_483_647) / 2_147_483_647;
      const words = ["fox", "dog", "cow", "hen", "owl", "bat", "elk", "cod"];
      const holds = Array.from({ length: 300 }, () =>
        words.filter((_, at) => random() < (at % 2 === 0 ? 0.06 : 0.5)),
      );
      await put(holds.map((own, at) => insert(`m${at}`, `${own.join(" ")} ${at}th`)));
      for (let round = 0; round < 40; round += 1) {
        const terms = words
          .slice(0, 2 + Math.floor(random() * 6))
          .map((term) => ({ term, weight: 1 + Math.floor(random() * 4) }));
        const sum = (own: readonly string[]): number =>
          terms.reduce((all, { term, weight }) => all + (own.includes(term) ? weight : 0), 0);
        const expected = holds
          .map((own, at) => ({ at, weight: sum(own) }))
          .filter(({ weight }) => weight > 0)
          .sort((one, other) => other.weight - one.weight || other.at - one.at)
          .slice(0, 5);
        const asked = { scopes: [ADA], now: NOW, limit: 5, terms };
        const found = await store.candidates("memories", asked);
        expect(found.map(({ memory }) => memory.id)).toEqual(expected.map(({ at }) => `m${at}`));
      }
    });

    it("finds Chinese inside a run and words with accents, in any case", async () => {
      await put([insert("a", "我的猫叫小白"), insert("b", "Café ÉTÉ")]);
      expect(await ids(["猫叫"])).toEqual(["a"]);
      expect(await ids(["猫"])).toEqual(["a"]);
      expect(await ids(["cafe"])).toEqual(["b"]);
    });

    it("counts and shows nothing of another scope, and gives nothing of it away", async () => {
      await put([insert("a", "tea", { key: "k" }), insert("b", "tea", { scope: BOB, key: "k" })]);
      expect(await ids(["tea"])).toEqual(["a"]);
      expect((await ids(["tea"], [ADA, BOB])).sort()).toEqual(["a", "b"]);
      expect(await store.frequencies("memories", { scopes: [ADA], terms: ["tea"] })).toEqual({
        documents: 1,
        holding: [1],
      });
      expect(await get("b", [ADA])).toBeUndefined();
      await store.commit({ gone: { memories: { ids: ["b"], scopes: [ADA] } } });
      await store.commit({ used: { ids: ["b"], scopes: [ADA], at: NOW } });
      expect((await get("b", [BOB]))?.memory.uses).toBe(0);
      expect(
        (await store.find({ scopes: [ADA], past: true, key: "k" })).map(({ memory }) => memory.id),
      ).toEqual(["a"]);
    });

    it("holds back what has expired from finding and listing, to the millisecond, and tidies it", async () => {
      await put([
        insert("a", "tea", { expiresAt: NOW + 10 }),
        insert("b", "tea", { scope: BOB, expiresAt: NOW + 10 }),
      ]);
      expect(await ids(["tea"], [ADA], { now: NOW + 9 })).toEqual(["a"]);
      expect(await ids(["tea"], [ADA], { now: NOW + 10 })).toEqual([]);
      expect(
        await store.find({ order: "updated", scopes: [ADA], now: NOW + 10, limit: 5 }),
      ).toEqual([]);
      expect({
        before: (await store.count({ scopes: [ADA], now: NOW + 9, root: "" })).categories,
        then: (await store.count({ scopes: [ADA], now: NOW + 10, root: "" })).categories,
      }).toEqual({ before: [{ name: "general", memories: 1 }], then: [] });
      expect((await get("a", [ADA]))?.memory.id).toBe("a");
      await store.commit({ gone: { expired: NOW + 9 } });
      expect((await store.values({ limit: 9 })).length).toBe(2);
      await store.commit({ gone: { expired: NOW + 10 } });
      expect(await store.values({ limit: 9 })).toEqual([]);
      expect(await get("a", [ADA])).toBeUndefined();
    });

    it("asks of a moment what had not expired by then, whatever the time is now", async () => {
      const row = stored("a", "tea", { expiresAt: NOW + 10 });
      await put([{ do: "insert", row }]);
      const past = { now: NOW + 20, asOf: NOW + 9 };
      const over = { now: NOW, asOf: NOW + 10 };
      expect(await ids(["tea"], [ADA], past)).toEqual(["a"]);
      expect(await ids(["tea"], [ADA], over)).toEqual([]);
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
      await put(rows.map((row) => ({ do: "insert" as const, row })));
      const list = async (more: object) =>
        (await store.find({ order: "updated", scopes: [ADA], now: NOW, limit: 10, ...more })).map(
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
      await put([
        insert("a", "tea", { statedAt: NOW - 9, importance: 0.9, uses: 1 }),
        insert("b", "milk", { statedAt: NOW, importance: 0.1, uses: 1 }),
        insert("c", "water", { statedAt: NOW - 3, importance: 0.5, uses: 7 }),
      ]);
      const list = async (more: object) =>
        (
          await store.find({ order: "updated", scopes: [ADA, BOB], now: NOW, limit: 10, ...more })
        ).map(({ memory }) => memory.id);
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

    it("goes on behind a place, in every order, over equals by id and over scopes", async () => {
      const scopes = [ADA, BOB];
      await put(
        [0, 1, 2, 3, 4, 5, 6].map((at) =>
          insert(`m${at}`, `tea ${at}`, {
            scope: scopes[at % 2] ?? ADA,
            updatedAt: NOW + (at >> 1),
            statedAt: NOW - (at >> 1),
            importance: at === 3 ? 0.75 : 0.1,
            uses: at % 3,
          }),
        ),
      );
      const values = {
        updated: ({ memory }: Stored) => memory.updatedAt,
        stated: ({ statedAt }: Stored) => statedAt,
        importance: ({ memory }: Stored) => memory.importance,
        used: ({ memory }: Stored) => memory.uses,
      };
      for (const order of ["updated", "stated", "importance", "used"] as const) {
        const asked = { order, scopes, now: NOW };
        const whole = await store.find({ ...asked, limit: 10 });
        const paged: Stored[] = [];
        for (let last = whole.slice(0, 1); last.length > 0;) {
          paged.push(...last);
          const [one] = last.slice(-1);
          const behind = one && { value: values[order](one), id: one.memory.id };
          last = await store.find({ ...asked, limit: 2, ...(behind && { behind }) });
        }
        expect(paged).toEqual(whole);
        expect(whole).toHaveLength(7);
      }
    });

    it("lists what held at a moment, in its words, and had not expired by then", async () => {
      await put([
        insert("a", "tea"),
        insert("b", "milk", { expiresAt: NOW + 5 }),
        insert("c", "rum", { validFrom: NOW + 9, updatedAt: NOW + 9 }),
      ]);
      const row = stored("a", "cocoa", { version: 2, validFrom: NOW + 5, updatedAt: NOW + 5 });
      await put([{ do: "replace", row, was: 1 }]);
      await put([{ do: "end", id: "a", was: 2, at: NOW + 20 }]);
      const list = async (asOf: number, words?: object) =>
        (
          await store.find({
            ...{ order: "updated", scopes: [ADA], now: NOW + 30, asOf, limit: 9, ...words },
          })
        ).map(({ memory }) => memory.content);
      expect(await list(NOW + 4)).toEqual(["tea", "milk"]);
      expect(await list(NOW + 5)).toEqual(["cocoa"]);
      expect(await list(NOW + 10)).toEqual(["rum", "cocoa"]);
      expect(await list(NOW + 20)).toEqual(["rum"]);
      expect(await list(NOW + 4, { words: [{ start: "te", term: "te" }] })).toEqual(["tea"]);
      expect(await list(NOW + 5, { words: [{ start: "te", term: "te" }] })).toEqual([]);
    });

    it("lists what holds all words, whole or begun, of these scopes and as they are narrowed", async () => {
      await put([
        insert("a", "Invoices are in euro", { category: "money" }),
        insert("b", "He invoiced the harbour in May"),
        insert("c", "No invoices here", { scope: BOB }),
        insert("d", "猫叫小白, running"),
      ]);
      const list = async (words: string[], more: object = {}) =>
        (
          await store.find({
            ...{ order: "updated", scopes: [ADA], now: NOW, limit: 9, ...more },
            words: words.map((start) => ({ start, term: terms(start).at(-1) ?? "" })),
          })
        ).map(({ memory }) => memory.id);
      expect(await list(["invo"])).toEqual(["a", "b"]);
      expect(await list(["invoices"])).toEqual(["a", "b"]);
      expect(await list(["invo", "har"])).toEqual(["b"]);
      expect(await list(["invo", "zebra"])).toEqual([]);
      expect(await list(["oices"])).toEqual([]);
      expect(await list(["猫叫"])).toEqual(["d"]);
      expect(await list(["running"])).toEqual(["d"]);
      expect(await list(["invo"], { category: "money" })).toEqual(["a"]);
      expect(await list(["invo"], { limit: 1, behind: { value: NOW, id: "a" } })).toEqual(["b"]);
      expect(await list(["invo"], { scopes: [ADA, BOB] })).toEqual(["a", "b", "c"]);
      expect(await list(["invo"], { scopes: [] })).toEqual([]);
    });

    it("tells what the members of a category say, of one scope and of those whose category was given", async () => {
      await put([
        insert("a", "the rye loaf", { category: "baking" }),
        insert("b", "rye and rye flour", { category: "baking" }),
        insert("c", "a pale ale", { category: "brewing" }),
        insert("d", "rye whisky", { category: "brewing", sorted: true }),
        insert("e", "rye of another", { category: "baking", scope: BOB }),
      ]);
      expect(
        await store.frequencies("categories", { scope: ADA, terms: ["rye", "flour", "zebra"] }),
      ).toEqual([{ category: "baking", documents: 2, holding: [2, 1, 0] }]);
      expect(await store.frequencies("categories", { scope: ADA, terms: ["zebra"] })).toEqual([]);
      expect(await store.frequencies("categories", { scope: "user:eve", terms: ["rye"] })).toEqual(
        [],
      );
      await put([{ do: "amend", row: stored("d", "rye whisky", { category: "brewing" }), was: 1 }]);
      expect(
        (await store.frequencies("categories", { scope: ADA, terms: ["rye"] })).sort(
          (one, other) => (one.category < other.category ? -1 : 1),
        ),
      ).toEqual([
        { category: "baking", documents: 2, holding: [2] },
        { category: "brewing", documents: 2, holding: [1] },
      ]);
    });

    it("finds by terms too common alone only who holds two of them", async () => {
      await put(
        ["red fox", "red barn", "dark fox", "red fox barn"].map((content, at) =>
          insert(`m${at}`, content),
        ),
      );
      const found = async (terms: string[], together: string[]) =>
        (
          await store.candidates("memories", {
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
      await put([insert("a", "tea", { key: "k" }), insert("b", "tea milk")]);
      await put([
        {
          do: "replace",
          row: stored("a", "milk", { key: "k", version: 2, validFrom: NOW + 1 }),
          was: 1,
        },
      ]);
      expect(
        await store.frequencies("memories", { scopes: [ADA], terms: ["tea", "milk", "zebra"] }),
      ).toEqual({
        documents: 2,
        holding: [1, 2, 0],
      });
      expect(
        await store.frequencies("memories", { scopes: [ADA], terms: ["tea", "milk"], past: true }),
      ).toEqual({
        documents: 2,
        holding: [2, 2],
      });
      expect(await store.frequencies("memories", { scopes: [], terms: ["tea"] })).toEqual({
        documents: 0,
        holding: [0],
      });
    });
  });
}
