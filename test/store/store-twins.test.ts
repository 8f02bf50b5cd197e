import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Scope } from "../../src/model/identity.ts";
import type { Change, Store, Stored } from "../../src/model/store.ts";
import { openMemoryStore } from "../support/memory-store/index.ts";
import { openSqliteStore } from "../support/open-store.ts";
import { runs } from "../support/runs.ts";

const NOW = 1_768_000_000_000;
const SCOPES: readonly Scope[] = ["user:ada", "user:bob"];
const WORDS = ["tea", "milk", "red", "fox", "猫叫"];
const CATEGORIES = ["general", "baking"];

const value = fc.record({
  words: fc.array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 3 }),
  scope: fc.constantFrom(...SCOPES),
  key: fc.option(fc.constantFrom("k1", "k2"), { nil: undefined }),
  category: fc.constantFrom(...CATEGORIES),
  sorted: fc.boolean(),
  expires: fc.option(fc.integer({ min: 1, max: 40 }), { nil: undefined }),
  importance: fc.constantFrom(0, 0.5, 1),
});
type Value = typeof value extends fc.Arbitrary<infer T> ? T : never;
const step = fc.record({
  act: fc.constantFrom(
    "insert",
    "insert",
    "insert",
    "amend",
    "replace",
    "end",
    "remove",
    "used",
    "expire",
    "two",
  ),
  id: fc.nat(5),
  was: fc.constantFrom(0, 0, 0, 1),
  value,
});

/** The row a plan would make of it now, on what the store holds under this id. */
function row(
  id: string,
  { words, scope, key, category, sorted, expires, importance }: Value,
  at: number,
  old?: Stored,
): Stored {
  const content = words.join(" ");
  return {
    memory: {
      id,
      content,
      scope: old?.memory.scope ?? scope,
      kind: "fact",
      category,
      ...(key === undefined ? {} : { key }),
      importance,
      source: "manual",
      origin: "host",
      tags: [...words],
      at,
      updatedAt: at,
      ...(expires === undefined ? {} : { expiresAt: at + expires }),
      uses: old?.memory.uses ?? 0,
      version: (old?.memory.version ?? 0) + 1,
    },
    statedAt: at,
    validFrom: at,
    same: content,
    ...(sorted ? { sorted } : {}),
  };
}

/** Everything the port answers about memories, for each reader, now and then. */
async function everything(store: Store, now: number): Promise<unknown> {
  const readers: readonly (readonly Scope[])[] = [["user:ada"], ["user:bob"], [...SCOPES], []];
  const byId = (rows: readonly Stored[]): Stored[] =>
    [...rows].sort((one, other) => (one.memory.id < other.memory.id ? -1 : 1));
  const answers: unknown[] = [];
  for (const scopes of readers) {
    for (const asOf of [undefined, NOW + 5, now]) {
      const narrowing = { scopes, now, limit: 100, ...(asOf === undefined ? {} : { asOf }) };
      answers.push(
        byId(
          await store.candidates({
            ...narrowing,
            terms: WORDS.map((term, at) => ({ term, weight: at + 1 })),
          }),
        ),
      );
      answers.push(
        byId(
          await store.candidates({
            ...narrowing,
            terms: [{ term: "tea", weight: 1 }],
            together: WORDS.slice(1).map((term) => ({ term, weight: 1 })),
            category: "baking",
          }),
        ),
      );
      answers.push(byId(await store.containing({ ...narrowing, text: "re" })));
      for (const order of ["updated", "stated", "importance", "used"] as const)
        answers.push(await store.list({ ...narrowing, order }));
    }
    answers.push(
      await store.beginning(scopes, "m", 9),
      await store.beginning(scopes, "", 9),
      await store.frequencies(scopes, WORDS),
      await store.frequencies(scopes, WORDS, true),
      await store.count(scopes, now),
    );
    answers.push(
      byId(await store.find({ scopes, source: "manual" })),
      byId(await store.find({ scopes, key: "k1" })),
    );
    for (const word of WORDS) answers.push(byId(await store.same(word, scopes)));
    for (const id of ["m0", "m1", "m2", "m3", "m4", "m5"])
      answers.push(await store.get(id, scopes));
  }
  for (const scope of SCOPES) {
    answers.push(
      (await store.categories(scope, WORDS)).sort((one, other) =>
        one.category < other.category ? -1 : 1,
      ),
    );
    for (const key of ["k1", "k2"]) answers.push(await store.byKey(key, scope));
  }
  return answers;
}

describe("the two stores", () => {
  it("answer every question alike, whatever is saved, changed, ended, used and removed", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(step, { maxLength: 25 }), async (steps) => {
        const [one, other] = [openSqliteStore(":memory:"), openMemoryStore()];
        let now = NOW;
        const homes = new Map<string, string>();
        for (const { act, id: number, was, value: given } of steps) {
          now += 3;
          const id = `m${number}`;
          const old = await one.get(id, SCOPES);
          const version = (old?.memory.version ?? 1) - was;
          const change = (): Change[] => {
            if (act === "insert") return [{ do: "insert", row: row(id, given, now) }];
            if (act === "amend")
              return [
                {
                  do: "amend",
                  row: {
                    ...row(id, given, now, old),
                    ...(old === undefined
                      ? {}
                      : {
                          memory: {
                            ...row(id, given, now, old).memory,
                            content: old.memory.content,
                            version: old.memory.version,
                          },
                        }),
                  },
                  was: version,
                },
              ];
            if (act === "replace")
              return [{ do: "replace", row: row(id, given, now, old), was: version }];
            if (act === "two")
              return [
                { do: "insert", row: row(`m${(number + 1) % 6}`, given, now) },
                { do: "end", id, was: version, at: now },
              ];
            return [{ do: "end", id, was: version, at: now }];
          };
          const both = async <T>(ask: (store: Store) => Promise<T>): Promise<void> => {
            const [first, second] = [await ask(one), await ask(other)];
            expect(second, act).toEqual(first);
          };
          // A key that another memory holds cannot be taken by a change: no plan does that.
          const taken =
            given.key !== undefined &&
            (await one.byKey(given.key, old?.memory.scope ?? given.scope));
          if ((act === "amend" || act === "replace") && taken && taken.memory.id !== id) continue;
          // An id is made once: what was inserted in one scope is never inserted in another.
          const made = act === "insert" ? id : act === "two" ? `m${(number + 1) % 6}` : undefined;
          if (made !== undefined && (homes.get(made) ?? given.scope) !== given.scope) continue;
          if (made !== undefined) homes.set(made, given.scope);
          if (act === "remove") await both((store) => store.remove([id], ["user:ada"]));
          else if (act === "used") await both((store) => store.used([id], ["user:ada"], now));
          else if (act === "expire") await both((store) => store.removeExpired(now));
          else await both((store) => store.put(change()));
        }
        expect(await everything(other, now)).toEqual(await everything(one, now));
        await Promise.all([one.close(), other.close()]);
      }),
      { numRuns: runs(20) },
    );
  });
});
