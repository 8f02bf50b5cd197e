import { describe, expect, it } from "vitest";
import { type Context, EDITS } from "../../bench/support/fact-pairs.ts";
import { sameness } from "../../src/memory/saving/same-and-category.ts";
import { createMeaning } from "../../src/memory/meaning/meaning.ts";
import { openStorage } from "../../src/storage/sqlite/sqlite-storage.ts";
import { UNHURRIED } from "../support/embedder.ts";
import { openRoom, START } from "../support/memory-room.ts";

/** Statements of ours, in the manner of a conversation's observations. */
const FACTS = [
  "Ada adopted a greyhound named Rufus in Porto last year.",
  "Ben is planning to open a bakery with his sister before the summer.",
  "Ada has been learning the violin for three years and practises every morning.",
  "The staging database listens on port 5433 since the migration.",
  "Ben's daughter won her first chess tournament on 8 May, 2023.",
  "Ada enjoys hiking with her kids on Sunday.",
  "Ben does not drive to work in winter because the roads are icy.",
  "Ada and Ben are organising a charity run in Lisbon next month.",
  "The deploy takes about forty minutes and locks two tables.",
  "Ada was promoted to team lead in March after the old manager left.",
  "Ben is excited about moving to a bigger flat near the river.",
  "Ada finds painting more relaxing than reading.",
  "Invoices are paid within 30 days after delivery, always in euros.",
  "Ben started to paint because he wants to relax after long days.",
  "Ada's mother will visit on Friday with all of her photos.",
  "The importer can read files of at most 200 MB without a restart.",
  "Ben works at a hospital in Vienna and thinks that it is a good place.",
  "Ada told Ben that the movies of last week were too long.",
  "Never deploy on Friday without a second person.",
  "Ben is reading a new novel by Tolstoy at night.",
];
const context: Context = {
  speakers: ["Ada", "Ben"],
  nouns: ["window", "garden", "bottle", "engine", "letter"],
  pick: (count) => 7 % count,
};
const made = (changes: typeof EDITS): { one: string; other: string; by: string }[] =>
  FACTS.flatMap((one) =>
    Object.entries(changes).flatMap(([by, change]) => {
      const other = change(one, context);
      return other === undefined || other === one ? [] : [{ one, other, by }];
    }),
  );

describe("two facts", () => {
  it("are never made one, whatever was changed: a name, a number, a negation, a tense, a thing, a condition", async () => {
    const edits = made(EDITS);
    expect(edits.length).toBeGreaterThan(120);
    expect(new Set(edits.map(({ by }) => by)).size).toBe(Object.keys(EDITS).length);
    for (const { one, other, by } of edits)
      expect(sameness(other), `${by}: ${one} | ${other}`).not.toBe(sameness(one));
  });

  it("are not made one by an embedder either, though it finds them all but equal", async () => {
    const store = openStorage(":memory:");
    const meaning = createMeaning({
      store,
      embedder: { model: "blunt", embed: async (texts) => texts.map(() => Float32Array.of(1, 0)) },
      now: () => START,
      listen: () => undefined,
      ...UNHURRIED,
    });
    const { memories } = openRoom({ store, meaning });
    const texts = [...new Set([...FACTS, ...made(EDITS).map(({ other }) => other)])];
    for (const content of texts) await memories.save(content);
    expect((await memories.list({ limit: 1_000 })).length).toBe(new Set(texts.map(sameness)).size);
    expect(new Set(FACTS.map(sameness)).size).toBe(FACTS.length);
  });
});
