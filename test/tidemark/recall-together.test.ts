import { LETTERS } from "../../bench/support/facts.ts";
import { existsSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { importConversation, LOCOMO, readLocomo } from "../../bench/support/locomo.ts";
import { byCategory, together } from "../../bench/support/recall-together.ts";
import { openTidemark } from "../../src/index.ts";

const CATEGORIES = ["multi-hop", "temporal", "open-domain", "single-hop", "adversarial"] as const;
/** A fact may stand in the tenth place, where a turn stood: one of 41 questions. Of all 760 it is 0.04 points. */
const ONE_PLACE = 2.5;
/** LoCoMo's CC BY-NC conversations lie beside the repository or nowhere. Every other question of the shortest. */
const conversation = () =>
  readLocomo()
    .toSorted((one, other) => one.questions.length - other.questions.length)
    .slice(0, 1)
    .map((one) => ({ ...one, questions: one.questions.filter((_, at) => at % 2 === 0) }));

describe.skipIf(!existsSync(LOCOMO))(
  "turns, facts and an embedder, measured on real questions",
  () => {
    it("a search of all places is one of past conversations where nothing else is remembered", async () => {
      for (const one of conversation()) {
        const tidemark = await openTidemark({
          workspace: false,
          distil: "extractive",
          embed: false,
        });
        await importConversation(tidemark, one);
        for (const { text } of one.questions.slice(0, 15))
          expect(await tidemark.memory.search(text)).toEqual(
            await tidemark.memory.search(text, { in: ["history"] }),
          );
        await tidemark.close();
      }
    });

    it("facts take nothing from turns, and a weak embedder takes nothing from words, whatever is asked", async () => {
      const [words, vectors] = [
        byCategory(await together(conversation(), { embed: false })),
        byCategory(await together(conversation(), { embed: LETTERS })),
      ];
      for (const found of [words, vectors])
        expect(found.all["categories 1-4"]).toBeGreaterThanOrEqual(
          found.turns["categories 1-4"] - ONE_PLACE,
        );
      for (const category of CATEGORIES)
        for (const way of ["turns", "facts"] as const)
          expect(vectors[way][category], `${way}, ${category}`).toBeGreaterThanOrEqual(
            words[way][category],
          );
      // Of all in one list a place may change hands between the kinds: a kind has eleven questions.
      for (const set of ["categories 1-4", "adversarial"] as const)
        expect(vectors.all[set], set).toBeGreaterThanOrEqual(words.all[set]);
    });
  },
);
