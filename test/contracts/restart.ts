import { ADA, entry, NOW, session, stored, weighted } from "./made.ts";
import { opening, type Runner } from "./runner.ts";
import type { Stores } from "../../src/model/store.ts";

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
async function told({ history, memories, turns, pages }: Stores): Promise<Record<string, unknown>> {
  const scopes = [ADA];
  const asked = { scopes, now: NOW, limit: 9, terms: weighted("tea") };
  const words = { scopes, terms: [{ term: "anchor", open: false, weight: 1 }] };
  return {
    session: await history.session("s"),
    sessions: await history.sessions(ROOT),
    entries: await history.entries("s"),
    bodies: await history.bodies("s", 0, 9),
    folds: await history.folds("s"),
    pins: await history.pins(ROOT, "s"),
    unindexed: await history.unindexed(0, 9),
    memory: await memories.get("a", scopes),
    values: await memories.values({ limit: 9 }),
    "memories by their words": await memories.candidates(asked),
    cursor: await turns.cursor(),
    turns: await turns.containing({ root: ROOT, text: "tea", limit: 9 }),
    "how common words of turns are": await turns.frequencies(ROOT, ["tea"]),
    pages: await pages.known(ADA),
    "pages by their words": await pages.candidates({ ...words, least: 0, limit: 9 }),
  };
}

/** What stores on a disk or a server must still have when the next process opens them: `again` opens what `open` made last. */
export function restartContract(
  { describe, it, expect, afterEach }: Runner,
  name: string,
  open: () => Promise<Stores>,
  again: () => Promise<Stores>,
): void {
  describe(`the contract of a restart: ${name}`, () => {
    const fresh = opening({ afterEach }, again);

    it("has again all that was stored, and goes on from there", async () => {
      const first = await open();
      const { history, memories, turns, pages } = first;
      const fold = { id: "f", upTo: 1, text: "", summary: "", messages: 1, before: 2, after: 1 };
      await history.write({
        ...{ session: session(1, { label: "desk", state: { calibration: { m: 1.5 } } }), from: 0 },
        entries: [entry("a", { name: "Ada" }), entry("b")],
        folds: [{ ...fold, at: 1 }],
      });
      await history.write({ session: session(2), from: 1, entries: [entry("c")], durable: true });
      await history.pin(ROOT, "s", { id: "p1", text: "Never on Fridays." });
      const row = stored("a", "green tea", { version: 2, validFrom: NOW + 5 });
      await memories.put([{ do: "insert", row: stored("a", "tea") }]);
      await memories.put([{ do: "replace", row, was: 1 }]);
      await memories.used(["a"], [ADA], NOW + 7);
      await turns.add([TURN], 3);
      await pages.put([PAGE]);
      const before = await told(first);
      await history.close();
      await first.close?.();
      const second = await fresh();
      expect(await told(second)).toEqual(before);
      const more = await second.history.write({ session: session(2), from: 2, entries: [] });
      expect({ "a change made from what is no longer so": more }).toEqual({
        "a change made from what is no longer so": false,
      });
      await second.history.write({ session: session(3), from: 2, entries: [entry("d")] });
      const rows = (await second.history.unindexed(0, 9)).map((one) => one.row);
      expect({ "numbers given once": new Set(rows).size }).toEqual({
        "numbers given once": rows.length,
      });
    });
  });
}
