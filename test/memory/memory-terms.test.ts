import type { Change } from "../../src/core/memory.ts";
import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { readingOf, recall } from "../../src/memory/recalling/recall.ts";
import { openStorage } from "../../src/storage/sqlite/sqlite-storage.ts";
import { queryTerms, terms } from "../../src/core/text/terms.ts";
import { runs } from "../support/runs.ts";
import { stored } from "../contracts/made.ts";
import { anyCharacter } from "../support/any-character.ts";

describe("terms", () => {
  it("hold no white space, no underscore, no quote, and are the same in every case and form", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        for (const term of terms(text)) expect(term).toMatch(/^[^\s_"']{1,64}$/);
        expect(terms(text.normalize("NFD"))).toEqual(terms(text.normalize("NFC")));
      }),
      { numRuns: runs(200) },
    );
  });

  it("of a question are a part of those of a text with the same words", () => {
    fc.assert(
      fc.property(fc.string({ unit: anyCharacter }), (text) => {
        const known = new Set(terms(text));
        for (const { term } of queryTerms(text)) expect(known.has(term), term).toBe(true);
      }),
      { numRuns: runs(200) },
    );
  });

  it.each([true, false])("of a question leave out its form, light words or not: %s", (light) => {
    const asked = (text: string) => queryTerms(text, { light }).map(({ term }) => term);
    expect(asked("How many guests come?")).toEqual(asked("guests come?"));
    expect(asked("What kind of tea, what sorts of bikes?")).toEqual(asked("tea, bikes?"));
    expect(asked("Who is kind?")).toEqual(["kind"]);
  });

  it("of a question leave out what says nothing, in English and in Chinese", () => {
    const asked = (text: string) =>
      queryTerms(text).map(({ term, loose }) => (loose ? `(${term})` : term));
    expect(asked("What is my cat's name, and where's it?")).toEqual(["cat", "name"]);
    expect(asked("我的猫叫什么")).toEqual(["(的猫)", "猫叫", "(叫什)"]);
    expect(asked("这个很重要吗")).toEqual(["重", "(很重)", "(重要)"]);
    expect(asked("don't you're what’s")).toEqual([]);
  });
});

/** Rows read in all before it matters how common a word is, and the most read of words one by one. */
const [FREE, MOST] = [4_000, 12_000];

describe("words of the question that many memories hold", () => {
  const asked = fc
    .uniqueArray(fc.stringMatching(/^[a-z]{3,8}$/), { minLength: 1, maxLength: 8 })
    .chain((words) =>
      fc.integer({ min: 1, max: 1_000_000 }).chain((documents) =>
        fc.record({
          words: fc.constant(words),
          documents: fc.constant(documents),
          holding: fc.array(
            fc.oneof(
              fc.integer({ min: 1, max: Math.min(50, documents) }),
              fc.integer({ min: 1, max: documents }),
            ),
            { minLength: words.length, maxLength: words.length },
          ),
        }),
      ),
    );

  it("in more than one of twenty are not looked for alone, unless all are or it costs nothing", () => {
    fc.assert(
      fc.property(asked, ({ words, documents, holding }) => {
        const held = new Map(words.map((word, at) => [word, holding[at] ?? 0]));
        const weighted = words.map((term) => ({ term, weight: 1 }));
        const { terms, together } = readingOf({ documents, holding: held }, { terms: weighted });
        const common = (term: string): boolean => (held.get(term) ?? 0) > 0.05 * documents;
        const read = terms.reduce((sum, { term }) => sum + (held.get(term) ?? 0), 0);
        expect(new Set([...terms, ...together].map(({ term }) => term))).toEqual(new Set(words));
        expect(terms.length).toBeGreaterThan(0);
        if (terms.length > 1) expect(read).toBeLessThanOrEqual(MOST);
        if (read <= FREE) return;
        if (words.every(common)) return void expect(terms.length).toBe(1);
        // One common word alone may be the rarest of those that would be too many to read.
        expect(terms.filter(({ term }) => common(term)).length).toBeLessThanOrEqual(
          terms.length === 1 ? 1 : 0,
        );
      }),
      { numRuns: runs(200) },
    );
  });

  it("are found with a rare one, beside each other, and alone when there is no other", async () => {
    const store = openStorage(":memory:");
    const scopes = ["user:ada"] as const;
    const content = (at: number): string =>
      at === 17
        ? "Coffee from Zanzibar in the morning"
        : at === 4_711
          ? "Coffee and breakfast with Ada"
          : `Coffee, cup ${at}${at % 3 === 0 ? ", in the morning" : ""}`;
    const row = (at: number): Change => {
      const moments = { at, updatedAt: at, statedAt: at, validFrom: at };
      return {
        do: "insert",
        row: stored(`m${at}`, content(at), { ...moments, scope: scopes[0]!, same: `${at}` }),
      };
    };
    for (let from = 0; from < 6_000; from += 500)
      await store.commit({ memories: Array.from({ length: 500 }, (_, at) => row(from + at)) });
    const ask = async (query: string) =>
      (
        await recall(
          {
            store,
            scopes,
            now: () => 10_000,
            listen: (event) => expect(event.type).toBe("recalled"),
            countTokens: () => 1,
            ranking: "tidemark",
          },
          query,
        )
      ).map(({ id }) => id);
    expect((await ask("coffee zanzibar"))[0]).toBe("m17");
    expect((await ask("morning coffee from zanzibar"))[0]).toBe("m17");
    expect((await ask("coffee breakfast"))[0]).toBe("m4711");
    expect((await ask("morning coffee")).length).toBe(10);
    expect((await ask("coffee")).length).toBe(10);
    await store.close();
  });
});
