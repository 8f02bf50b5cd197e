import type { Scope } from "../../src/core/identity.ts";
import type { Storage } from "../../src/storage/port.ts";
import { ADA, BOB, NOW, holding, insert, shorthands, stored } from "./made.ts";
import { opening, type Runner } from "./runner.ts";

/** How plans change the values of memories, and how these go. */
export function changesContract(
  { describe, it, expect, beforeEach, afterEach }: Runner,
  name: string,
  open: () => Promise<Storage>,
): void {
  describe(`the contract of memories that change: ${name}`, () => {
    const fresh = opening({ afterEach }, open);
    let store: Storage;
    const { get, put } = shorthands(() => store);
    beforeEach(async () => {
      store = await fresh();
    });
    const ids = holding(() => store);

    it("puts all or none", async () => {
      await put([insert("a", "tea")]);
      expect(
        await put([insert("b", "milk"), { do: "amend", row: stored("a", "tea"), was: 7 }]),
      ).toBe(false);
      expect(await get("b", [ADA])).toBeUndefined();
      expect(await ids(["milk"])).toEqual([]);
      expect(await store.frequencies("memories", { scopes: [ADA], terms: ["milk"] })).toEqual({
        documents: 1,
        holding: [0],
      });
    });

    it("refuses a plan that the store has overtaken: a taken key, equal words, another version, a used id", async () => {
      await put([insert("a", "tea", { key: "drink" }), insert("b", "milk")]);
      const add = (...given: Parameters<typeof insert>) => put([insert(...given)]);
      expect({
        "a key that a memory of the scope has": await add("c", "water", { key: "drink" }),
        "words that one has, neither with a key": await add("c", "MILK", { same: "milk" }),
        "an id that is used": await add("a", "water"),
        "another version": await put([{ do: "end", id: "a", was: 2, at: NOW }]),
        "the same words under another key": await add("c", "tea", { key: "other" }),
        "the same words in another scope": await add("d", "milk", { scope: BOB }),
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
      await put([insert("a", "lives in Porto", { key: "city" })]);
      const row = stored("a", "lives in Lisbon", { key: "city", version: 2, validFrom: NOW + 100 });
      await put([{ do: "replace", row, was: 1 }]);
      expect((await get("a", [ADA]))?.memory.content).toBe("lives in Lisbon");
      expect(await ids(["porto"])).toEqual([]);
      expect(await ids(["porto"], [ADA], { asOf: NOW + 99 })).toEqual(["a"]);
      expect(await ids(["lisbon"], [ADA], { asOf: NOW + 99 })).toEqual([]);
      expect(await ids(["lisbon"], [ADA], { asOf: NOW + 100 })).toEqual(["a"]);
      expect(await ids(["lisbon"], [ADA], { asOf: NOW - 1 })).toEqual([]);
      expect(await ids(["porto"], [ADA], { ever: true })).toEqual(["a"]);
      expect(await ids(["porto"], [BOB], { ever: true })).toEqual([]);
      expect((await store.find({ key: "city", scopes: [ADA] }))[0]?.memory.content).toBe(
        "lives in Lisbon",
      );
      const { categories } = await store.count({ scopes: [ADA, BOB], now: NOW, root: "" });
      expect(categories).toEqual([{ name: "general", memories: 1 }]);
    });

    it("moves a memory to the scope its new value names, and finds the old value where it was", async () => {
      await put([insert("a", "the door is blue", { key: "door" })]);
      await store.commit({ used: { ids: ["a"], scopes: [ADA], at: NOW + 1 } });
      const moved = { key: "door", version: 2, validFrom: NOW + 100, scope: BOB };
      const row = stored("a", "the door is blue", moved);
      await put([insert("b", "red", { key: "door", scope: BOB })]);
      const replace = () => put([{ do: "replace", row, was: 1 }]);
      expect({ "where its key is taken": await replace() }).toEqual({
        "where its key is taken": false,
      });
      await store.commit({ gone: { memories: { ids: ["b"], scopes: [BOB] } } });
      expect({ "where it is free": await replace() }).toEqual({ "where it is free": true });
      expect([
        await get("a", [ADA]),
        (await store.find({ key: "door", scopes: [ADA] }))[0],
      ]).toEqual([undefined, undefined]);
      expect((await get("a", [BOB]))?.memory).toMatchObject({
        version: 2,
        uses: 1,
      });
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

    it("brings back what has ended as a new value, and has the last one hold until then", async () => {
      await put([insert("a", "tea")]);
      await put([{ do: "end", id: "a", was: 1, at: NOW + 5 }]);
      const row = stored("a", "tea", { version: 2, validFrom: NOW + 9 });
      const resume = (was: number) => put([{ do: "resume", row, was }]);
      expect({ "another version": await resume(2), again: await resume(1) }).toEqual({
        ...{ "another version": false, again: true },
      });
      expect({ "what stands already": await resume(1) }).toEqual({ "what stands already": false });
      expect(await ids(["tea"])).toEqual(["a"]);
      expect(await store.values({ limit: 9 })).toEqual([
        { stored: stored("a", "tea"), until: NOW + 9 },
        { stored: row },
      ]);
    });

    it("keeps the uses counted between a plan and its doing", async () => {
      await put([insert("a", "tea")]);
      const row = stored("a", "green tea", { version: 2, validFrom: NOW + 1 });
      await store.commit({ used: { ids: ["a"], scopes: [ADA], at: NOW + 7 } });
      await put([{ do: "replace", row, was: 1 }]);
      expect(await get("a", [ADA])).toMatchObject({
        memory: { uses: 1, content: "green tea" },
        usedAt: NOW + 7,
      });
      await store.commit({ used: { ids: ["a"], scopes: [ADA], at: NOW + 8 } });
      const uses = (await store.values({ limit: 9 })).map(({ stored: { memory } }) => memory.uses);
      expect({ "uses of each value": uses }).toEqual({ "uses of each value": [1, 2] });
    });

    it("keeps notes by name, and what is owed until it is paid, a page once", async () => {
      await store.commit({ notes: { a: "tea", b: "milk" } });
      await store.commit({ notes: { a: "mint", b: undefined } });
      expect([await store.note("a"), await store.note("b")]).toEqual(["mint", undefined]);
      const set = (name: string, was: string | undefined, text?: string) =>
        store.commit({ notes: { [name]: text, beside: text }, unchanged: { [name]: was } });
      // Of two at once that read the same the one stands.
      const pairs = [await Promise.all([set("a", "mint", "x"), set("a", "mint", "x")])];
      pairs.push(await Promise.all([set("b", undefined, "y"), set("b", undefined, "y")]));
      expect(pairs.map((pair) => pair.sort())).toEqual(Array(2).fill([false, true]));
      expect([await set("a", "mint", "z"), await set("a", undefined, "z")]).toEqual([false, false]);
      expect([await set("b", "y"), await set("b", "y")]).toEqual([true, false]);
      expect([await store.note("a"), await store.note("beside")]).toEqual(["x", undefined]);
      const page = (scope: Scope) => ({ kind: "page", scope, at: NOW }) as const;
      const line = (id: string): string => JSON.stringify({ memory: { id } });
      const log = (id: string) => ({ kind: "log", scope: ADA, at: NOW, text: line(id) }) as const;
      await store.commit({ debts: [page(ADA), page(BOB), page(ADA), log("a"), log("b")] });
      const debts = await store.debts();
      const { id: paid } = debts[0]!;
      await store.commit({
        gone: { memories: { ids: ["a"] } },
        paid: [{ ...page(BOB), id: paid }],
      });
      expect({ owed: debts.map(({ kind, scope }) => `${kind} ${scope}`) }).toEqual({
        owed: [`page ${BOB}`, `page ${ADA}`, `log ${ADA}`, `log ${ADA}`],
      });
      expect((await store.debts()).map(({ text }) => text ?? undefined)).toEqual([
        ...[undefined, line("b")],
      ]);
      expect((await store.debts()).some(({ id }) => id === paid)).toBe(false);
    });

    it("finds an ended memory no more, but still takes it away when it is to be forgotten", async () => {
      await put([insert("a", "tea", { key: "drink" })]);
      await put([{ do: "end", id: "a", was: 1, at: NOW + 5 }]);
      expect(await get("a", [ADA])).toBeUndefined();
      expect((await store.find({ key: "drink", scopes: [ADA] }))[0]).toBeUndefined();
      expect(await ids(["tea"])).toEqual([]);
      expect(
        (await store.find({ scopes: [ADA], past: true, key: "drink" })).map(
          ({ memory }) => memory.id,
        ),
      ).toEqual(["a"]);
      await store.commit({ gone: { memories: { ids: ["a"], scopes: [ADA] } } });
      expect(await ids(["tea"], [ADA], { asOf: NOW + 1 })).toEqual([]);
    });

    it("takes out with what has expired its earlier values, and leaves what has ended", async () => {
      await put([insert("a", "tea", { key: "k" }), insert("b", "milk", { expiresAt: NOW + 5 })]);
      const row = stored("a", "mint", { key: "k", version: 2, validFrom: NOW + 1 });
      const memory = { ...row.memory, expiresAt: NOW + 5 };
      await put([
        { do: "replace", row: { ...row, memory }, was: 1 },
        { do: "end", id: "b", was: 1, at: NOW + 2 },
      ]);
      await store.commit({ gone: { expired: NOW + 5 } });
      const left = await store.values({ limit: 9 });
      expect({ left: left.map(({ stored: { memory: one } }) => one.id) }).toEqual({ left: ["b"] });
    });

    it("amends traits alone, gives a key but never takes or changes one", async () => {
      await put([insert("a", "tea"), insert("b", "milk", { key: "k2" })]);
      await store.commit({ used: { ids: ["a"], scopes: [ADA], at: NOW + 3 } });
      const amend = (more: object) => put([{ do: "amend", row: stored("a", "tea", more), was: 1 }]);
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
      await put([{ do: "amend", row: stored("a", "other words", { ...told, ...other }), was: 1 }]);
      expect({ "what it is then": await get("a", [ADA]) }).toEqual({
        "what it is then": stored("a", "tea", { ...told, uses: 1, usedAt: NOW + 3 }),
      });
    });

    it("asks for words of their own of what is inserted alone, and takes an id again that has ended", async () => {
      await put([
        insert("a", "tea", { key: "k1" }),
        insert("b", "tea", { key: "k2" }),
        insert("c", "milk"),
      ]);
      const replace = { do: "replace", row: stored("c", "tea", { version: 2 }), was: 1 } as const;
      expect({
        "replaced by words that another has": await put([replace]),
        ended: await put([{ do: "end", id: "a", was: 1, at: NOW + 5 }]),
        again: await put([insert("a", "water", { version: 2, validFrom: NOW + 9 })]),
      }).toEqual({ "replaced by words that another has": true, ended: true, again: true });
      expect((await get("a", [ADA]))?.memory.content).toBe("water");
    });

    it("names what is to be forgotten by id, key, source or all of them, the newest value of each", async () => {
      await put([
        insert("a", "tea", { key: "k", source: "web" }),
        insert("b", "milk", { source: "web" }),
      ]);
      await put([
        {
          do: "replace",
          row: stored("a", "mint", { key: "k", source: "web", version: 2, validFrom: NOW + 1 }),
          was: 1,
        },
      ]);
      const found = async (target: object) =>
        (await store.find({ scopes: [ADA], past: true, ...target })).map(({ memory }) => [
          memory.id,
          memory.version,
        ]);
      expect((await found({ source: "web" })).sort()).toEqual([
        ["a", 2],
        ["b", 1],
      ]);
      const row = stored("a", "lemon", { source: "chat", version: 3, validFrom: NOW + 2 });
      await put([{ do: "replace", row, was: 2 }]);
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
      await store.commit({ gone: { memories: { ids: ["a"], scopes: [ADA] } } });
      expect({
        "what is left of it": await ids(["tea", "mint", "lemon"], [ADA], { asOf: NOW }),
        "memories that hold": (await store.frequencies("memories", { scopes: [ADA], terms: [] }))
          .documents,
      }).toEqual({ "what is left of it": [], "memories that hold": 1 });
    });
  });
}
