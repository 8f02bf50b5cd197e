import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { excerpt, gist } from "../../src/memory/recalling/excerpt.ts";
import { contentTerms } from "../../src/core/text/terms.ts";
import { estimateTokens } from "../../src/core/tokens/estimate.ts";

const WORDS = ["heron", "launch", "auditor", "router", "cupboard", "admin", "wrist", "skate"];
const sentence = fc
  .array(fc.constantFrom(...WORDS), { minLength: 1, maxLength: 6 })
  .map((words) => `The ${words.join(" ")} stood.`);
const text = fc.array(sentence, { minLength: 1, maxLength: 12 }).map((all) => all.join(" "));
const asked = (words: string): Set<string> => new Set(contentTerms(words).terms);
const sentencesOf = (quote: string): string[] =>
  quote.split(/ ?… ?|(?<=\.) /).filter((part) => part !== "");

describe("an excerpt", () => {
  it("keeps to its characters, but for the signs of what is left out, and quotes whole sentences in their order", () => {
    fc.assert(
      fc.property(text, fc.integer({ min: 60, max: 400 }), (said, characters) => {
        const quote = excerpt(said, asked("heron router"), characters);
        expect(quote.length).toBeLessThanOrEqual(characters + 4);
        let from = 0;
        for (const part of sentencesOf(quote)) {
          const at = said.indexOf(part, from);
          expect(at).toBeGreaterThanOrEqual(from);
          from = at + part.length;
        }
      }),
    );
  });

  it("prefers what is asked for to what is not, and what is new to what was quoted", () => {
    const said =
      "The auditors are late. The auditors are late again. The launch of Heron moved. The router is grey.";
    expect(excerpt(said, asked("When is the launch of Heron?"), 55)).toBe(
      "… The launch of Heron moved. The router is grey.",
    );
  });
});

describe("a gist", () => {
  const bounds = { tokens: 60, standing: () => false };
  /** The first says most. */
  const weighed = (talks: readonly string[][]) =>
    talks.map((texts, at) => ({ weight: 0.7 ** at, texts }));

  it("keeps to its tokens, and tells no sentence twice nor one that stands already", () => {
    fc.assert(
      fc.property(
        fc.array(fc.array(text, { minLength: 1, maxLength: 4 }), { minLength: 1, maxLength: 4 }),
        fc.integer({ min: 10, max: 200 }),
        fc.constantFrom(...WORDS),
        (talks, tokens, known) => {
          const told = gist(weighed(talks), asked("heron"), {
            tokens,
            standing: (part) => part.includes(known),
          });
          expect(told.map((texts) => texts.length)).toEqual(talks.map((texts) => texts.length));
          const parts = told.flat().flatMap(sentencesOf);
          expect(parts.some((part) => part.includes(known))).toBe(false);
          expect(new Set(parts).size).toBe(parts.length);
          expect(parts.reduce((sum, part) => sum + estimateTokens(part), 0)).toBeLessThanOrEqual(
            tokens,
          );
        },
      ),
    );
  });

  it("quotes what a talk comes back to, of the better talk first", () => {
    const talk = (of: string): string[] => [
      `We spoke of the ${of} festival. It was nice, all in all.`,
      `The ${of} festival needs a permit. Well, hello there.`,
    ];
    const talks = weighed([talk("lantern"), talk("kite")]);
    expect(gist(talks, asked("festival"), bounds).flat()[1]).toContain(
      "The lantern festival needs a permit.",
    );
    const few = gist(talks, asked("festival"), { ...bounds, tokens: 15 });
    expect(few[1]).toEqual(["", ""]);
  });
});
