import { searched } from "../../src/storage/sqlite/index-in-memory.ts";
import type { Storage, Truth } from "../../src/storage/port.ts";
import { ADA, entry, insert, NOW, session, stored, weighted } from "./made.ts";
import { opening, type Runner } from "./runner.ts";

const ROOT = '["r"]';
const TURN = {
  id: "t1",
  session: "s",
  root: ROOT,
  position: 0,
  role: "user",
  text: "tea",
  at: NOW,
};
const PAGE = {
  ...{ scope: ADA, path: "a.md", kind: "note", stamp: "7" },
  chunks: [{ passages: [{ heading: "Boats", text: "The anchor is blue." }] }],
};

/** All that is asked of both, by what it is called. */
async function told(store: Storage, isIndexed: boolean): Promise<Record<string, unknown>> {
  const scopes = [ADA];
  const asked = { scopes, now: NOW, limit: 9, terms: weighted("tea") };
  return {
    session: (await store.sessions({ ids: ["s"] }))[0],
    sessions: await store.sessions({ root: ROOT }),
    entries: await store.entries("s"),
    bodies: await store.bodies("s", 0, 9),
    folds: await store.folds({ session: "s" }),
    belongings: await store.belongings(ROOT),
    memory: (await store.find({ id: "a", scopes: scopes }))[0],
    values: await store.values({ limit: 9 }),
    data: await store.dataRows?.({ repository: "r", where: {}, at: ">", key: "", limit: 9 }),
    "memories by their words": await store.candidates("memories", asked),
    ...(isIndexed ? await indexed(store) : {}),
  };
}

/** What is made anew in each process where the storage has no index of its own. */
async function indexed(store: Storage) {
  const words = { scopes: [ADA], terms: [{ term: "anchor", open: false, weight: 1 }] };
  return {
    unindexed: await store.unindexed(9),
    "how common words of turns are": await store.frequencies("turns", {
      root: ROOT,
      terms: ["tea"],
    }),
    pages: await store.pages(ADA),
    "pages by their words": await store.candidates("pages", { ...words, least: 0, limit: 9 }),
  };
}

/** What stores on a disk or a server must still have when the next process opens them: `again` opens what `open` made last. */
export function restartContract(
  { describe, it, expect, afterEach }: Runner,
  name: string,
  open: () => Promise<Truth>,
  again: () => Promise<Truth>,
): void {
  describe(`the contract of a restart: ${name}`, () => {
    const fresh = opening({ afterEach }, async () => searched(await again()));

    it("has again all that was stored, and goes on from there", async () => {
      const own = await open();
      const first = searched(own);
      const isIndexed = first === own;
      const fold = { id: "f", upTo: 1, text: "", summary: "", messages: 1, before: 2, after: 1 };
      await first.commit({
        session: {
          ...{
            session: session(1, { label: "desk", state: { calibration: { m: 1.5 } } }),
            from: 0,
          },
          entries: [entry("a", { name: "Ada" }), entry("b")],
          folds: [{ ...fold, at: 1 }],
        },
      });
      await first.commit({
        session: { session: session(2), from: 1, entries: [entry("c")] },
      });
      await first.commit({
        pinned: { root: ROOT, session: "s", ...{ id: "p1", text: "Never on Fridays." } },
      });
      const row = stored("a", "green tea", { version: 2, validFrom: NOW + 5 });
      await first.commit({ memories: [insert("a", "tea")] });
      await first.commit({ memories: [{ do: "replace", row, was: 1 }] });
      await first.commit({ used: { ids: ["a"], scopes: [ADA], at: NOW + 7 } });
      await first.commit({ turns: { rows: [TURN], read: 3 } });
      await first.commit({ pages: [PAGE] });
      await first.commit({ data: { repository: "r", key: "k", value: { n: 1 } } });
      const before = await told(first, isIndexed);
      await first.close();
      const second = await fresh();
      expect(await told(second, isIndexed)).toEqual(before);
      const more = await second.commit({
        session: { session: session(2), from: 2, entries: [] },
      });
      expect({ "a change made from what is no longer so": more }).toEqual({
        "a change made from what is no longer so": false,
      });
      await second.commit({
        session: { session: session(3), from: 2, entries: [entry("d")] },
      });
      const rows = (await second.unindexed(9)).map((one) => one.row);
      expect({ "numbers given once": new Set(rows).size }).toEqual({
        "numbers given once": rows.length,
      });
    });
  });
}
