import type { Storage } from "../../src/storage/port.ts";
import { entry, session, shorthands } from "./made.ts";
import { opening, type Runner } from "./runner.ts";
import type { Message } from "../../src/core/request.ts";

const root = '["r"]';
const picture = (data: string): Message => ({
  role: "user",
  content: [
    { type: "text", text: "see" },
    { type: "image", source: { type: "base64", media_type: "image/png", data: data.repeat(200) } },
  ],
});

/** What every history must do, however it stores its words. */
export function historyContract(runner: Runner, name: string, open: () => Promise<Storage>): void {
  const { describe, it, expect, beforeEach, afterEach } = runner;
  describe(`the history contract: ${name}`, () => {
    const fresh = opening({ afterEach }, open);
    let store: Storage;
    const { say, write, idsOf } = shorthands(() => store);
    beforeEach(async () => {
      store = await fresh();
    });
    const bodies = async (id = "s"): Promise<unknown[]> =>
      (await store.bodies(id, 0, 100)).map(({ body }) => body.content);

    it("refuses a change made from what is no longer so, and stores none of it", async () => {
      expect(await say(session(1), 0, [entry("a")])).toBe(true);
      expect(await say(session(2, { watermark: 1 }), 1, [entry("b")])).toBe(true);
      expect(
        await say(session(2, { watermark: 0 }), 1, [entry("c")], {
          folds: [
            { id: "f", upTo: 1, text: "", summary: "", messages: 1, before: 2, after: 1, at: 1 },
          ],
        }),
      ).toBe(false);
      expect((await store.entries("s")).map(({ content }) => content)).toEqual(["a", "b"]);
      expect((await store.folds({ session: "s" })).map(({ fold }) => fold)).toEqual([]);
      expect((await store.sessions({ ids: ["s"] }))[0]).toMatchObject({
        watermark: 1,
        revision: 2,
      });
      await store.commit({ gone: { sessions: ["s"] } });
      expect(await say(session(3), 2, [entry("d")])).toBe(false);
      expect((await store.sessions({ ids: ["s"] }))[0]).toBeUndefined();
    });

    it("has forgotten all conversations that are named when it answers", async () => {
      const ids = Array.from({ length: 60 }, (_, at) => `s${at}`);
      for (const id of ids) await say(session(1, { id }), 0, [entry("a")]);
      await store.commit({ gone: { sessions: ids, turns: ids } });
      expect(await store.sessions({ ids })).toEqual([]);
    });

    it("stores all of a change or nothing", async () => {
      const circle: Record<string, unknown> = { role: "user" };
      circle.content = circle;
      const change = {
        session: session(1),
        from: 0,
        entries: [entry("a"), entry("b", { body: circle as Message })],
      };
      await expect(write(change)).rejects.toMatchObject({ code: "history" });
      expect((await store.sessions({ ids: ["s"] }))[0]).toBeUndefined();
      expect(await store.entries("s")).toEqual([]);
    });

    it("never counts two entries under one number, so that the search index misses none", async () => {
      await say(session(1), 0, [entry("a"), entry("b")]);
      const before = await store.unindexed(10);
      await say(session(2), 1, [entry("c")]);
      await store.commit({ turns: { rows: [], read: before.at(-1)!.row } });
      const after = await store.unindexed(10);
      expect(after.map(({ body, aside }) => [body.content, aside])).toEqual([
        ["b", true],
        ["c", false],
      ]);
      expect(new Set([...before, ...after].map(({ row }) => row)).size).toBe(4);
    });

    it("gives back all that was written of a session, a fold, a job and a pin", async () => {
      const mine = session(1, {
        label: "desk",
        state: {
          frozen: {
            text: "Ünïcode \ud800 and \u0000",
            sections: [{ section: "facts", tokens: 3 }],
          },
        },
      });
      const fold = {
        id: "f1",
        upTo: 1,
        text: "<fence>",
        summary: "They met.",
        messages: 1,
        before: 20,
        after: 10,
        at: 3,
        from: 0,
        length: 2,
        shortened: [1],
      };
      const job = {
        id: "j1",
        session: "s",
        from: 0,
        to: 1,
        attempts: 1,
        error: "it was late",
        notBefore: 5,
      };
      await say(
        mine,
        0,
        [
          entry("a"),
          entry("b", {
            role: "assistant",
            reply: true,
            prefix: "before b",
            thought: "of b",
          }),
        ],
        { folds: [fold], jobs: [job], learnt: [{ memory: "m1", first: 0, last: 1 }] },
      );
      await store.commit({
        pinned: { root, session: undefined, ...{ id: "p1", text: "Never on Fridays." } },
      });
      await store.commit({ pinned: { root, session: "s", ...{ id: "p2", text: "" } } });
      expect(await store.sessions({ ids: ["s"] })).toEqual([{ ...mine, length: 2, folds: 1 }]);
      expect(await store.sessions({ root, label: "desk" })).toEqual([
        { ...mine, length: 2, folds: 1 },
      ]);
      expect(await store.sessions({ root, label: "bench" })).toEqual([]);
      expect((await store.folds({ session: "s" })).map(({ fold }) => fold)).toEqual([fold]);
      expect(await store.folds({ id: "f1" })).toEqual([{ session: "s", fold }]);
      expect(await store.folds({ root })).toEqual([{ session: "s", fold }]);
      expect((await store.belongings(root)).jobs).toEqual([job]);
      expect(await store.learnt({ session: "s", from: 0, to: 1 })).toEqual([
        { memory: "m1", first: 0, last: 1 },
      ]);
      expect((await store.belongings(root)).pins).toEqual([
        { id: "p1", text: "Never on Fridays." },
        { id: "p2", text: "", session: "s" },
      ]);
      expect(await store.entries("s")).toMatchObject([
        { chain: "chain of a", content: "a", said: "a", role: "user" },
        {
          chain: "chain of b",
          content: "b",
          role: "assistant",
          reply: true,
          prefix: "before b",
          thought: "of b",
        },
      ]);
      expect(
        await say({ ...mine, revision: 2 }, 2, [], {
          undone: { folds: ["f1"], at: 9 },
          doneJobs: ["j1"],
        }),
      ).toBe(true);
      expect((await store.folds({ session: "s" })).map(({ fold }) => fold)).toEqual([]);
      expect(await store.folds({ id: "f1" })).toEqual([
        { session: "s", fold: { ...fold, undoneAt: 9 } },
      ]);
      expect((await store.belongings(root)).jobs).toEqual([]);
    });

    it("queues work once under its id, hands it to one who asks, and names all who learnt a memory", async () => {
      const learnt = [{ memory: "m1", first: 0, last: 1 }];
      await say(session(1), 0, [entry("a")], { learnt });
      await say(session(1, { id: "t" }), 0, [entry("b")], {
        learnt: [...learnt, { memory: "m2", first: 0, last: 1 }],
      });
      const job = {
        id: "rest:s",
        session: "s",
        from: 0,
        to: 1,
        attempts: 0,
        error: "at rest",
        notBefore: 5,
      };
      expect(await store.commit({ queued: { ...job, id: "rest:gone", session: "gone" } })).toBe(
        false,
      );
      expect(await store.commit({ queued: job })).toBe(true);
      expect(await store.commit({ queued: { ...job, to: 2, notBefore: 9 } })).toBe(true);
      const waiting = { ...job, to: 2 };
      expect((await store.belongings(root)).jobs).toEqual([waiting]);
      const taken = await Promise.all(
        [1, 2].map(() =>
          store.commit({ taken: { job: waiting, next: { attempts: 1, notBefore: 20 } } }),
        ),
      );
      expect(taken.sort()).toEqual([false, true]);
      // Who has taken it is not disturbed by who queues it again.
      expect(await store.commit({ queued: job })).toBe(false);
      expect((await store.belongings(root)).jobs).toEqual([
        { ...waiting, attempts: 1, notBefore: 20 },
      ]);
      expect((await store.belongings('["other"]')).jobs).toEqual([]);
    });

    it("names the conversations nothing was taken from yet, the latest first, and none but these", async () => {
      await say(session(1), 0, [entry("a"), entry("b")]);
      await say(session(1, { id: "t", updatedAt: 9 }), 0, [entry("c")]);
      await say(session(1, { id: "u", noted: 1 }), 0, [entry("d")]);
      await say(session(1, { id: "v", imported: true }), 0, [entry("e")]);
      await say(session(1, { id: "w", root: '["other"]' }), 0, [entry("f")]);
      expect(await idsOf({ root, unnoted: true, limit: 9 })).toEqual(["t", "s", "v"]);
      expect(await idsOf({ root, unnoted: true, limit: 1 })).toEqual(["t"]);
      await say(session(2, { noted: 2 }), 2, []);
      expect(await idsOf({ root, unnoted: true, limit: 9 })).toEqual(["t", "v"]);
    });

    it("finds sessions by an entry, by a reply, and what a thought was bound to, in line and aside", async () => {
      const reply = entry("fine", {
        role: "assistant",
        reply: true,
        prefix: "as sent",
        thought: "a thought",
      });
      await say(session(1), 0, [entry("hello"), reply]);
      await say(session(1, { id: "t", label: "desk", updatedAt: 2 }), 0, [
        entry("hello"),
        { ...reply, chain: "other" },
      ]);
      expect(await idsOf({ holding: entry("hello") })).toEqual(["t", "s"]);
      expect(await idsOf({ holding: { ...reply, at: 2 } })).toEqual([]);
      expect(await idsOf({ root, label: undefined, said: ["hello"] })).toEqual(["s"]);
      expect(await idsOf({ root, label: "desk", said: ["hello", "nothing"] })).toEqual(["t"]);
      expect(await idsOf({ root: '["other"]', label: undefined, said: ["hello"] })).toEqual([]);
      expect(await store.bindings(root, ["a thought", "none"])).toEqual(
        new Map([["a thought", "as sent"]]),
      );
      await say(session(2), 1, [entry("anew", { role: "assistant" })]);
      expect(await store.bindings(root, ["a thought"])).toEqual(
        new Map([["a thought", "as sent"]]),
      );
      expect(await store.asides("s")).toMatchObject([
        { before: 1, content: "fine", kind: "replaced" },
      ]);
      // What was set aside once is not set aside twice.
      await say(session(3), 1, [reply]);
      await say(session(4), 1, []);
      expect((await store.asides("s")).filter(({ content }) => content === "fine")).toHaveLength(1);
    });

    it("copies what a branch shares, and counts siblings of one label", async () => {
      await say(session(1, { label: "desk" }), 0, [entry("a"), entry("b")], { siblings: 0 });
      const twin = session(1, { id: "x", label: "desk" });
      for (const siblings of [0, 2])
        expect(await say(twin, 0, [entry("z")], { siblings })).toBe(false);
      expect(await say(twin, 1, [entry("c")], { copyOf: "s" })).toBe(true);
      expect((await store.entries("x")).map(({ content }) => content)).toEqual(["a", "c"]);
      expect(await bodies("x")).toEqual(["a", "c"]);
    });

    it("refuses the facts of an entry that a branch has been distilled beyond", async () => {
      await say(session(1), 0, [entry("a"), entry("b")]);
      await say(session(1, { id: "x" }), 1, [entry("c")], { copyOf: "s" });
      expect(await say(session(2, { id: "x", watermark: 1 }), 2, [], { unread: 0 })).toBe(true);
      expect(await say(session(2, { watermark: 2 }), 2, [], { unread: 0 })).toBe(false);
      expect(await say(session(2, { watermark: 2 }), 2, [], { unread: 1 })).toBe(true);
    });

    it("sums calls by purpose with the change they belong to, and keeps what the forgotten took", async () => {
      const sums = (calls: number, input: number) => ({
        purpose: "turn" as const,
        spent: {
          ...{ calls, input, cacheWrite: 0, cacheRead: 0, output: 0 },
          ...{ dollars: calls / 2, unpriced: 0 },
        },
      });
      const change = (revision: number, input: number) =>
        store.commit({
          session: { session: session(revision), from: 0, entries: [] },
          spent: { root, lines: [sums(1, input)] },
        });
      expect(await change(1, 1)).toBe(true);
      expect(await change(1, 100)).toBe(false);
      expect(await change(2, 1)).toBe(true);
      await store.commit({ spent: { root: root, lines: [sums(1, 3)] } });
      expect((await store.belongings(root)).spent).toEqual([sums(3, 5)]);
      expect((await store.belongings("another")).spent).toEqual([]);
      await store.commit({ gone: { sessions: ["s"] } });
      expect((await store.belongings(root)).spent).toEqual([sums(3, 5)]);
    });

    it("gives back messages and media as they came, each stored once", async () => {
      const image = picture("iVBORw0KGgo");
      await say(session(1), 0, [
        entry("a", { body: image, name: "Ada", ref: "r1" }),
        entry("b", { body: image }),
        entry("c", { body: { role: "user", content: "half \ud800 a pair" } }),
      ]);
      const read = await store.bodies("s", 0, 9);
      expect(read.map(({ body }) => body)).toEqual([
        image,
        image,
        { role: "user", content: "half \ud800 a pair" },
      ]);
      expect(read[0]).toMatchObject({ name: "Ada", ref: "r1", role: "user" });
      await say(session(1, { id: "t" }), 0, [entry("a", { body: image })]);
      await store.commit({ gone: { sessions: ["s"] } });
      expect((await store.bodies("t", 0, 9)).map(({ body }) => body)).toEqual([image]);
    });
  });
}
