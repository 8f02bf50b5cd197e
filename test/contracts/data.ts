import type { Dict } from "../../src/core/base.ts";
import type { DataMember, DataSum } from "../../src/storage/data-port.ts";
import type { Storage } from "../../src/storage/port.ts";
import { opening, type Runner } from "./runner.ts";

/** JSON tells texts from numbers and truth; a quote, NUL and the mark of a NUL are texts like any other. */
const STATES = ["open", "1", 1, true, "true", "it's", "a\0b\u00010", "ü", 2.5, null, undefined];
const KEYS = ["a", "B", "ä", "z\u{1f600}", "z\uffee", "a b", "A"];

/** What every storage that has room for operational data must do. */
export function dataContract(runner: Runner, name: string, open: () => Promise<Storage>): void {
  const { describe, it, expect, beforeEach, afterEach } = runner;
  describe(`the contract of data: ${name}`, () => {
    const fresh = opening({ afterEach }, open);
    let store: Required<Storage>;
    beforeEach(async () => {
      store = (await fresh()) as Required<Storage>;
    });
    const change = (key: string, value?: Dict, was?: Dict | null): Promise<boolean> => {
      const rest = { ...(value && { value }), ...(was === undefined ? {} : { was }) };
      return store.commit({ data: { repository: "tasks", key, ...rest } });
    };
    const all = { repository: "tasks", where: {}, at: ">", key: "", limit: 999 } as const;
    const rows = (asked: object = {}): Promise<Dict[]> => store.dataRows({ ...all, ...asked });

    it("has a row as it was put last, until it is taken out", async () => {
      const odd = { id: "a", none: null, list: ["\0", { deep: "\u00010" }, null], "": -1e-7 };
      expect(await change("a", odd)).toBe(true);
      expect(await rows()).toEqual([odd]);
      expect(await change("a", { id: "a" })).toBe(true);
      expect(await rows({ at: "=", key: "a" })).toEqual([{ id: "a" }]);
      expect(await rows({ at: "=", key: "A" })).toEqual([]);
      expect(await rows({ repository: "other" })).toEqual([]);
      expect([await change("a"), await change("a")]).toEqual([true, false]);
      expect(await rows()).toEqual([]);
    });

    it("puts and takes out only what was made on what is there, and of many at once one", async () => {
      const [open, taken] = [{ status: "open", n: 1 }, { status: "taken" }];
      expect(await change("a", taken, open)).toBe(false);
      expect(await change("a", open, null)).toBe(true);
      expect(await change("a", taken, null)).toBe(false);
      expect(await rows()).toEqual([open]);
      const takers = [1, 2, 3, 4].map((by) =>
        change("a", { ...taken, by }, { n: 1, status: "open" }),
      );
      expect((await Promise.all(takers)).filter(Boolean)).toEqual([true]);
      expect(await change("a", undefined, open)).toBe(false);
      expect(await rows()).toHaveLength(1);
    });

    it("lists and sums as plain lists do, whatever the members are", async () => {
      let state = 11;
      const random = (most: number): number => (state = (state * 16_807) % 2_147_483_647) % most;
      const one = <T>(of: readonly T[]): T => of[random(of.length)] as T;
      const kept = new Map<string, Dict>();
      const put = async (): Promise<void> => {
        const key = `${one(KEYS)}${random(9)}`;
        const status = one(STATES);
        const row = { key, ...(status !== undefined && { status }), odd: one([true, false]) };
        kept.set(key, { ...row, n: one(["many", null, random(99) - 40, random(99) / 4]) });
        await change(key, kept.get(key));
        await store.commit({ data: { repository: "others", key, value: row } });
      };
      const inBytes = (a: unknown, b: unknown): number =>
        Buffer.compare(Buffer.from(String(a)), Buffer.from(String(b)));
      const sumsOf = (group: string, found: readonly Dict[]): DataSum => {
        const numbers = found.flatMap(({ n }) => (typeof n === "number" ? n : []));
        const [min, max] = [Math.min(...numbers), Math.max(...numbers)];
        return {
          ...(group !== "null" && { group: JSON.parse(group) as DataMember }),
          count: found.length,
          ...(numbers.length > 0 && { sum: numbers.reduce((a, b) => a + b), min, max }),
        };
      };
      for (let at = 0; at < 90; at += 1) await put();
      for (let round = 0; round < 40; round += 1) {
        if (round % 4 === 0) await put();
        const where = {
          ...(random(3) === 0 && { status: one(STATES.slice(0, 9)) as DataMember }),
          ...(random(2) === 0 && { odd: one([true, false]) }),
        };
        const meant = [...kept.values()]
          .filter((row) => Object.entries(where).every(([name, value]) => row[name] === value))
          .sort((a, b) => inBytes(a.key, b.key));
        const [at, key, limit] = [
          one(["=", "<", ">"] as const),
          one([...kept.keys()]),
          1 + random(9),
        ];
        const near = meant.filter((row) => "<=>"[inBytes(row.key, key) + 1] === at);
        if (at === "<") near.reverse();
        expect(await rows({ where, at, key, limit })).toEqual(near.slice(0, limit));
        const by = one([undefined, "status", "odd"]);
        const groups = Map.groupBy(meant, (row) => JSON.stringify((by && row[by]) ?? null));
        const sums = [...groups]
          .sort(
            ([a, of], [b, other]) =>
              other.length - of.length || (a === "null" ? -1 : b === "null" ? 1 : inBytes(a, b)),
          )
          .map((group) => sumsOf(...group));
        const asked = { repository: "tasks", where, by, of: "n", limit };
        expect(await store.dataSums(asked)).toEqual(sums.slice(0, limit));
      }
    });
  });
}
