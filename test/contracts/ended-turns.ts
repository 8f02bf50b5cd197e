import type { EndedTurn } from "../../src/core/turns.ts";
import type { EndedAsked } from "../../src/storage/history-port.ts";
import type { Storage } from "../../src/storage/port.ts";
import { session, shorthands } from "./made.ts";
import { opening, type Runner } from "./runner.ts";

const turn = (at: number, more: Partial<EndedTurn> = {}): EndedTurn => ({
  ...{ conversation: "s", at, used: 10, limit: 100, mark: "below", read: 9, cached: 8 },
  ...{ written: 7, ms: 6, waited: 0, told: [], recalled: [], ...more },
});

/** What turns were, as a history keeps it: a row for each that has ended. */
export function endedContract(
  { describe, it, expect, beforeEach, afterEach }: Runner,
  name: string,
  open: () => Promise<Storage>,
): void {
  describe(`the contract of turns that have ended: ${name}`, () => {
    const fresh = opening({ afterEach }, open);
    let store: Storage;
    const { say } = shorthands(() => store);
    beforeEach(async () => {
      store = await fresh();
      await say(session(1), 0, []);
      await say(session(1, { id: "t", root: '["other"]' }), 0, []);
    });
    const end = async (...turns: EndedTurn[]): Promise<void> => {
      for (const ended of turns) await store.commit({ ended });
    };
    const ended = async (asked: Partial<EndedAsked> = {}) =>
      (await store.ended?.({ order: "latest", limit: 100, ...asked })) ?? [];
    const times = async (asked: Partial<EndedAsked> = {}): Promise<number[]> =>
      (await ended(asked)).map(({ at }) => at);

    it("gives each back as it was, the latest first or the oldest, page by page", async () => {
      const whole = turn(2, {
        ...{ model: "claude", dollars: 0.125, fold: "f1", mark: "compact", waited: 5 },
        ...{ told: ["m1", "m2"], recalled: [{ id: "m3", score: 0.75 }] },
      });
      await end(turn(1), whole, turn(3), turn(4, { conversation: "t" }));
      const [latest, full, first] = await ended({ conversation: "s" });
      expect({ first, full, latest }).toEqual({
        ...{ first: { ...turn(1), id: first?.id }, full: { ...whole, id: full?.id } },
        latest: { ...turn(3), id: latest?.id },
      });
      const after = full?.id ?? "";
      expect({
        "behind one": await times({ conversation: "s", after }),
        "behind it, later": await times({ order: "oldest", after }),
        "two of all": await times({ order: "oldest", limit: 2 }),
        "of a root": await times({ root: '["r"]' }),
        "since a moment": await times({ since: 3, bare: true }),
      }).toEqual({
        ...{ "behind one": [1], "behind it, later": [3, 4], "two of all": [1, 2] },
        ...{ "of a root": [3, 2, 1], "since a moment": [4, 3] },
      });
    });

    it("knows in which a memory was told or recalled", async () => {
      const told = ["m1", "m2"];
      await end(turn(1, { told }), turn(2, { told }), turn(3, { told, conversation: "t" }));
      await end(turn(4, { told: ["m1"] }), turn(5, { recalled: [{ id: "m2", score: 0.5 }] }));
      expect({
        m2: await times({ memory: "m2" }),
        "of one root": await times({ memory: "m2", root: '["r"]' }),
        m1: await times({ memory: "m1" }),
        m: await times({ memory: "m" }),
      }).toEqual({ m2: [5, 3, 2, 1], "of one root": [5, 2, 1], m1: [4, 3, 2, 1], m: [] });
      expect((await ended({ conversation: "s" })).map(({ told }) => told.length)).toEqual([
        ...[0, 1, 2, 2],
      ]);
    });

    it("goes with its conversation, and stands or falls with the rest of its unit", async () => {
      await end(turn(1), turn(2, { conversation: "t" }));
      const stale = { session: session(1), from: 0, entries: [] };
      expect(await store.commit({ session: stale, ended: turn(3) })).toBe(false);
      await store.commit({ gone: { sessions: ["s"], turns: ["s"] } });
      expect(await times()).toEqual([2]);
    });
  });
}
