import { entry, session } from "./made.ts";
import { type Closable, opening, type Runner } from "./runner.ts";
import type { Aside, Job } from "../../src/model/history.ts";
import type { HistoryStore } from "../../src/model/history-store.ts";

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
  open: () => Promise<Closable & { readonly history: HistoryStore }>,
): void {
  describe(`the contract of what stands beside: ${name}`, () => {
    const fresh = opening({ afterEach }, open);
    let store: HistoryStore;
    beforeEach(async () => {
      ({ history: store } = await fresh());
    });
    const besides = async () =>
      (await store.asides("s")).map(({ before, content, kind }) => `${before} ${kind} ${content}`);

    it("sets aside each of several entries that give way at once, at its own place", async () => {
      await store.write({
        ...{ session: session(1), from: 0 },
        entries: [entry("a"), reply("b"), entry("c"), reply("d")],
      });
      await store.write({ session: session(2), from: 1, entries: [reply("e")] });
      expect({ "what gave way, by its place": await besides() }).toEqual({
        "what gave way, by its place": ["1 replaced b", "2 replaced c", "3 replaced d"],
      });
      expect((await store.entries("s")).map(({ content }) => content)).toEqual(["a", "e"]);
    });

    it("lists for the search what else was said beside, but no reply that was made anew and no note", async () => {
      await store.write({
        ...{ session: session(1), from: 0 },
        entries: [entry("a"), reply("b", 2), entry("c", { at: 3 })],
      });
      const last = (await store.unindexed(0, 9)).at(-1)?.row ?? 0;
      await store.write({
        ...{ session: session(2, { updatedAt: 7 }), from: 1, entries: [] },
        forms: [{ position: 0, entry: entry("A"), id: "f1", at: 5 }],
        asides: [
          aside("condensed", "told", { id: "k1" }),
          aside("condensed", "told before", { before: 1, id: "k2", at: 6 }),
          aside("cleared", "note", { id: "k3" }),
          aside("replaced", "late", { before: 1 }),
        ],
      });
      const listed = (await store.unindexed(last, 9)).filter((one) => one.aside);
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
      await store.write({ session: session(1), from: 0, entries: [], asides });
      await store.write({ session: session(2), from: 0, entries: [entry("a")] });
      const rows = (await store.unindexed(0, 9)).map(({ row }) => row);
      expect({ numbers: new Set(rows).size, rows: rows.length }).toEqual({ numbers: 2, rows: 2 });
      const [first = 0] = rows;
      expect({
        "after the first": (await store.unindexed(first, 9)).map(({ row }) => row),
      }).toEqual({ "after the first": rows.slice(1) });
    });

    it("takes earlier forms and what was learnt along into a branch, and sets nothing of it aside", async () => {
      await store.write({
        ...{ session: session(1), from: 0, entries: [entry("a"), entry("b"), entry("c")] },
        learnt: [
          { memory: "m1", first: 0, last: 2 },
          { memory: "m2", first: 2, last: 3 },
        ],
      });
      await store.write({
        ...{ session: session(2), from: 3, entries: [] },
        forms: [
          { position: 0, entry: entry("A"), id: "f1", at: 5 },
          { position: 2, entry: entry("C"), id: "f2", at: 5 },
        ],
        asides: [aside("condensed", "told", { id: "k1" })],
      });
      await store.pin(ROOT, "s", { id: "p1", text: "Never on Fridays." });
      await store.write({
        ...{ session: session(1, { id: "x" }), from: 1, entries: [entry("d")] },
        copyOf: "s",
      });
      expect({
        asides: (await store.asides("x")).map(({ kind, content, id }) => [kind, content, id]),
        learnt: (await store.learnt("x", 0, 9)).map(({ memory }) => memory),
        pins: (await store.pins(ROOT, "x")).map(({ id }) => id),
        "entries of the conversation it left": (await store.entries("s")).length,
      }).toEqual({
        asides: [["form", "a", "f1"]],
        learnt: ["m1"],
        pins: ["p1"],
        "entries of the conversation it left": 3,
      });
    });

    it("moves entries and all that names their places, and sets aside those whose place the next has", async () => {
      await store.write({
        ...{ session: session(1), from: 0, entries: "abcd".split("").map((text) => entry(text)) },
        asides: [aside("condensed", "told", { before: 3, id: "k1" })],
        learnt: [
          { memory: "m1", first: 0, last: 1 },
          { memory: "m2", first: 1, last: 2 },
          { memory: "m3", first: 2, last: 4 },
        ],
        jobs: [1, 2].map((from) => job(`j${from}`, { from, to: from + 1 })),
      });
      const seen = (await store.unindexed(0, 9)).at(-1)?.row ?? 0;
      await store.write({
        ...{ session: session(2), from: 4, entries: [entry("e")] },
        moved: { from: 1, places: [1, 1, 3, 4] },
        forms: [{ position: 2, entry: entry("C"), id: "f1", at: 5 }],
      });
      expect({
        line: (await store.entries("s")).map(({ content }) => content),
        beside: (await store.asides("s")).map(({ before, kind, content }) => [
          before,
          kind,
          content,
        ]),
        learnt: (await store.learnt("s", 0, 9)).map(({ first, last }) => [first, last]),
        jobs: (await store.jobs(ROOT)).map(({ id, from, to }) => [id, from, to]),
        "read anew": (await store.unindexed(seen, 9)).map(({ position }) => position).sort(),
      }).toEqual({
        line: ["a", "c", "C", "d", "e"],
        beside: [
          [1, "replaced", "b"],
          [3, "condensed", "told"],
        ],
        learnt: [
          [0, 1],
          [1, 1],
          [1, 4],
        ],
        jobs: [["j2", 1, 2]],
        "read anew": [1, 1, 2, 3, 4],
      });
    });

    it("finds the words that a branch took along by the label of the branch", async () => {
      await store.write({
        ...{ session: session(1, { label: "desk" }), from: 0 },
        entries: [entry("a"), reply("b")],
      });
      for (const label of ["bench", undefined])
        await store.write({
          session: session(1, { id: `x ${label}`, ...(label === undefined ? {} : { label }) }),
          ...{ from: 2, entries: [entry("c")], copyOf: "s" },
        });
      expect({
        desk: await store.bySaid(ROOT, "desk", ["a"]),
        bench: await store.bySaid(ROOT, "bench", ["a"]),
        "no label": await store.bySaid(ROOT, undefined, ["a"]),
      }).toEqual({ desk: ["s"], bench: ["x bench"], "no label": ["x undefined"] });
    });

    it("tells of a range all that was learnt of any of it, each memory once and over all it came from", async () => {
      await store.write({
        ...{ session: session(1), from: 0, entries: "abcdef".split("").map((text) => entry(text)) },
        learnt: [
          { memory: "m2", first: 2, last: 3 },
          { memory: "m1", first: 2, last: 4 },
          { memory: "m3", first: 5, last: 6 },
        ],
      });
      await store.write({
        ...{ session: session(2), from: 6, entries: [] },
        learnt: [{ memory: "m2", first: 1, last: 2 }],
      });
      const merged = { memory: "m2", first: 1, last: 3 };
      const other = { memory: "m1", first: 2, last: 4 };
      expect({
        all: await store.learnt("s", 0, 5),
        "that begins in it": await store.learnt("s", 0, 2),
        "that ends in it": await store.learnt("s", 3, 5),
        between: await store.learnt("s", 4, 5),
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
      await store.write({ session: session(1), from: 0, entries, folds });
      await store.write({ session: session(1, { id: "t" }), from: 0, entries, folds: [folds[0]!] });
      const all = await store.allFolds(ROOT);
      expect({
        standing: (await store.folds("s")).map(({ id }) => id),
        all: all.map(({ session: id, fold: one }) => `${one.id} ${id}`),
        holders: (await store.fold("f3")).map((one) => one.session),
      }).toEqual({
        standing: ["f1", "f2", "f3"],
        all: ["f3 s", "f3 t", "f1 s", "f2 s"],
        holders: ["s", "t"],
      });
    });

    it("changes of work that is written again its attempts, its reason and its moment, and lists by the moment", async () => {
      const write = (revision: number, jobs: Job[]) =>
        store.write({ session: session(revision), from: 0, entries: [], jobs });
      await write(1, [job("j1"), job("j3"), job("j2")]);
      await write(2, [job("j1", { from: 3, to: 4, attempts: 2, error: "again", notBefore: 9 })]);
      expect({ jobs: await store.jobs(ROOT) }).toEqual({
        jobs: [job("j2"), job("j3"), job("j1", { attempts: 2, error: "again", notBefore: 9 })],
      });
    });
  });
}
