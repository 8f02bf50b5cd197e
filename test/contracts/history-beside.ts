import type { Storage } from "../../src/storage/port.ts";
import { entry, session, shorthands } from "./made.ts";
import { opening, type Runner } from "./runner.ts";
import type { Aside, Job } from "../../src/core/history.ts";

const ROOT = '["r"]';
const reply = (text: string, at = 1) =>
  entry(text, { role: "assistant", reply: true, body: { role: "assistant", content: text }, at });
const aside = (kind: Aside["kind"], content: string, more: Partial<Aside> = {}): Aside => ({
  ...{ before: 0, kind, content, body: { role: "user", content } },
  ...more,
});

const job = (id: string, more: Partial<Job> = {}): Job => ({
  ...{ id, session: "s", from: 0, to: 1, attempts: 1, error: "it was late", notBefore: 5 },
  ...more,
});

/** What a history keeps beside the lines of its conversations: what gave way, what was learnt, and work that waits. */
export function besideContract(
  { describe, it, expect, beforeEach, afterEach }: Runner,
  name: string,
  open: () => Promise<Storage>,
): void {
  describe(`the contract of what stands beside: ${name}`, () => {
    const fresh = opening({ afterEach }, open);
    let store: Storage;
    const { say } = shorthands(() => store);
    beforeEach(async () => {
      store = await fresh();
    });
    const besides = async () =>
      (await store.asides("s")).map(({ before, content, kind }) => `${before} ${kind} ${content}`);

    it("sets aside each of several entries that give way at once, at its own place", async () => {
      await say(session(1), 0, [entry("a"), reply("b"), entry("c"), reply("d")]);
      await say(session(2), 1, [reply("e")]);
      expect({ "what gave way, by its place": await besides() }).toEqual({
        "what gave way, by its place": ["1 replaced b", "2 replaced c", "3 replaced d"],
      });
      expect((await store.entries("s")).map(({ content }) => content)).toEqual(["a", "e"]);
    });

    it("lists for the search what else was said beside, but no reply that was made anew", async () => {
      await say(session(1), 0, [entry("a"), reply("b", 2), entry("c", { at: 3 })]);
      const last = (await store.unindexed(9)).at(-1)?.row ?? 0;
      await store.commit({ turns: { rows: [], read: last } });
      await say(session(2, { updatedAt: 7 }), 1, [], {
        forms: [{ position: 0, entry: entry("A"), id: "f1", at: 5 }],
        asides: [
          aside("condensed", "told", { id: "k1" }),
          aside("condensed", "told before", { before: 1, id: "k2", at: 6 }),
          aside("replaced", "late", { before: 1 }),
        ],
      });
      const listed = (await store.unindexed(9)).filter((one) => one.aside);
      expect({
        "what is listed, with role, place and moment": listed
          .map(({ role, position, at }) => [role, position, at])
          .sort(([, , one], [, , other]) => Number(one) - Number(other)),
      }).toEqual({
        "what is listed, with role, place and moment": [
          ["", 2, 3],
          ["", 0, 5],
          ["", 1, 6],
          ["", 0, 7],
        ],
      });
      expect(listed.every((one) => one.session === "s" && one.root === ROOT)).toBe(true);
      const forms = await store.asides("s", "form");
      expect(forms).toMatchObject([{ before: 0, content: "a", id: "f1", at: 5 }]);
    });

    it("gives what stands beside a number of its own, before the first message of all too", async () => {
      const asides = [aside("condensed", "told", { id: "k1" })];
      await say(session(1), 0, [], { asides });
      await say(session(2), 0, [entry("a")]);
      const rows = (await store.unindexed(9)).map(({ row }) => row);
      expect({ numbers: new Set(rows).size, rows: rows.length }).toEqual({ numbers: 2, rows: 2 });
      await store.commit({ turns: { rows: [], read: rows[0] ?? 0 } });
      expect({
        "after the first": (await store.unindexed(9)).map(({ row }) => row),
      }).toEqual({ "after the first": rows.slice(1) });
    });

    it("takes earlier forms and what was learnt along into a branch, and sets nothing of it aside", async () => {
      await say(session(1), 0, [entry("a"), entry("b"), entry("c")], {
        learnt: [
          { memory: "m1", first: 0, last: 2 },
          { memory: "m2", first: 2, last: 3 },
        ],
      });
      await say(session(2), 3, [], {
        forms: [
          { position: 0, entry: entry("A"), id: "f1", at: 5 },
          { position: 2, entry: entry("C"), id: "f2", at: 5 },
        ],
        asides: [aside("condensed", "told", { id: "k1" })],
      });
      await store.commit({
        pinned: { root: ROOT, session: "s", ...{ id: "p1", text: "Never on Fridays." } },
      });
      await say(session(1, { id: "x" }), 1, [entry("d")], { copyOf: "s" });
      expect({
        asides: (await store.asides("x")).map(({ kind, content, id }) => [kind, content, id]),
        learnt: (await store.learnt({ session: "x", from: 0, to: 9 })).map(({ memory }) => memory),
        pins: (await store.belongings(ROOT)).pins.map(({ id, session }) => [id, session]),
        "entries of the conversation it left": (await store.entries("s")).length,
      }).toEqual({
        asides: [["form", "a", "f1"]],
        learnt: ["m1"],
        pins: [
          ["p1", "s"],
          ["p1", "x"],
        ],
        "entries of the conversation it left": 3,
      });
    });

    it("takes out a pin once and of its own root alone, from branches too", async () => {
      await say(session(1), 0, [entry("a")]);
      await store.commit({ pinned: { root: ROOT, session: "s", id: "p1", text: "Never." } });
      await say(session(1, { id: "x" }), 1, [entry("b")], { copyOf: "s" });
      const unpin = (root: string) => store.commit({ unpinned: { root, id: "p1" } });
      expect({
        "of another": await unpin('["other"]'),
        ...{ once: await unpin(ROOT), twice: await unpin(ROOT) },
        left: (await store.belongings(ROOT)).pins,
      }).toEqual({ "of another": false, once: true, twice: false, left: [] });
    });

    it("counts each message of a root once, and reads a part of a line", async () => {
      await say(session(1), 0, [entry("a"), entry("b"), entry("c")]);
      await say(session(1, { id: "x" }), 2, [entry("d")], { copyOf: "s" });
      await say(session(1, { id: "y", root: '["other"]' }), 0, [entry("e")]);
      expect((await store.count({ scopes: [], now: 1, root: ROOT })).messages).toBe(4);
      const part = await store.bodies("x", 1, 3);
      expect(part.map(({ body }) => body.content)).toEqual(["b", "d"]);
    });

    it("moves entries and all that names their places, and sets aside those whose place the next has", async () => {
      const line = "abcd".split("").map((text) => entry(text));
      await say(session(1), 0, line, {
        asides: [aside("condensed", "told", { before: 3, id: "k1" })],
        learnt: [
          { memory: "m1", first: 0, last: 1 },
          { memory: "m2", first: 1, last: 2 },
          { memory: "m3", first: 2, last: 4 },
        ],
        jobs: [1, 2].map((from) => job(`j${from}`, { from, to: from + 1 })),
      });
      await store.commit({
        turns: { rows: [], read: (await store.unindexed(9)).at(-1)?.row ?? 0 },
      });
      await say(session(2), 4, [entry("e")], {
        moved: { from: 1, places: [1, 1, 3, 4] },
        forms: [{ position: 2, entry: entry("C"), id: "f1", at: 5 }],
      });
      expect({
        line: (await store.entries("s")).map(({ content }) => content),
        beside: await besides(),
        learnt: (await store.learnt({ session: "s", from: 0, to: 9 })).map(({ first, last }) => [
          first,
          last,
        ]),
        jobs: (await store.belongings(ROOT)).jobs.map(({ id, from, to }) => [id, from, to]),
        "read anew": (await store.unindexed(9)).map(({ position }) => position).sort(),
      }).toEqual({
        line: ["a", "c", "C", "d", "e"],
        beside: ["1 replaced b", "3 condensed told"],
        learnt: [
          [0, 1],
          [1, 1],
          [1, 4],
        ],
        jobs: [["j2", 1, 2]],
        "read anew": [1, 1, 2, 3, 4],
      });
    });

    it("tells of a memory where it was learnt, in sessions of the root alone, the latest first", async () => {
      const one = { memory: "m1", first: 0, last: 1 };
      for (const [id, more] of Object.entries({
        a: { updatedAt: 1 },
        b: { updatedAt: 3 },
        c: { updatedAt: 2 },
        d: { root: "another's" },
      }))
        await say(session(1, { id, ...more }), 0, [entry(id)], {
          learnt: [id === "c" ? { ...one, memory: "m2" } : one],
        });
      const { root } = session(1);
      expect(await store.learnt({ root, memory: "m1" })).toEqual([
        { ...one, session: "b" },
        { ...one, session: "a" },
      ]);
      expect(await store.learnt({ root, memory: "m3" })).toEqual([]);
    });

    it("tells of a range all that was learnt of any of it, each memory once and over all it came from", async () => {
      await say(
        session(1),
        0,
        "abcdef".split("").map((text) => entry(text)),
        {
          learnt: [
            { memory: "m2", first: 2, last: 3 },
            { memory: "m1", first: 2, last: 4 },
            { memory: "m3", first: 5, last: 6 },
          ],
        },
      );
      await say(session(2), 6, [], { learnt: [{ memory: "m2", first: 1, last: 2 }] });
      const merged = { memory: "m2", first: 1, last: 3 };
      const other = { memory: "m1", first: 2, last: 4 };
      expect({
        all: await store.learnt({ session: "s", from: 0, to: 5 }),
        "that begins in it": await store.learnt({ session: "s", from: 0, to: 2 }),
        "that ends in it": await store.learnt({ session: "s", from: 3, to: 5 }),
        between: await store.learnt({ session: "s", from: 4, to: 5 }),
      }).toEqual({
        all: [merged, other],
        "that begins in it": [merged],
        "that ends in it": [other],
        between: [],
      });
    });

    it("lists the folds that stand by how far they reach, then by age, and all of a root the latest first", async () => {
      const fold = (id: string, upTo: number, at: number) => ({
        ...{ id, upTo, at, text: "", summary: "", messages: 1, before: 2, after: 1 },
      });
      const entries = [entry("a"), entry("b"), entry("c")];
      const folds = [fold("f3", 3, 7), fold("f1", 2, 6), fold("f2", 3, 5)];
      await say(session(1), 0, entries, { folds });
      await say(session(1, { id: "t" }), 0, entries, { folds: [folds[0]!] });
      const all = await store.folds({ root: ROOT });
      expect({
        standing: (await store.folds({ session: "s" })).map(({ fold }) => fold).map(({ id }) => id),
        all: all.map(({ session: id, fold: one }) => `${one.id} ${id}`),
        holders: (await store.folds({ id: "f3" })).map((one) => one.session),
      }).toEqual({
        standing: ["f1", "f2", "f3"],
        all: ["f3 s", "f3 t", "f1 s", "f2 s"],
        holders: ["s", "t"],
      });
    });

    it("changes of work that is written again its attempts, its reason and its moment, and lists by the moment", async () => {
      const queue = (revision: number, jobs: Job[]) => say(session(revision), 0, [], { jobs });
      await queue(1, [job("j1"), job("j3"), job("j2")]);
      await queue(2, [job("j1", { from: 3, to: 4, attempts: 2, error: "again", notBefore: 9 })]);
      expect({ jobs: (await store.belongings(ROOT)).jobs }).toEqual({
        jobs: [job("j2"), job("j3"), job("j1", { attempts: 2, error: "again", notBefore: 9 })],
      });
    });
  });
}
