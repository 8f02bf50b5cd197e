import { describe, expect, it } from "vitest";
import { chinese, english, german, MEANINGS, reader } from "../../src/distil/cues/languages.ts";
import { chineseExamples, englishExamples, germanExamples } from "../support/cue-examples.ts";

describe.each([
  ["English", english, englishExamples],
  ["German", german, germanExamples],
  ["Chinese", chinese, chineseExamples],
] as const)("the %s phrases", (_, cues, examples) => {
  const read = reader([cues]);

  it("are at most 150, none longer than five words", () => {
    const phrases = MEANINGS.flatMap((meaning) => cues[meaning].split(", "));
    expect(phrases.length).toBeLessThanOrEqual(150);
    expect(phrases.filter((phrase) => phrase.split(" ").length > 5)).toEqual([]);
  });

  it.each(MEANINGS)(
    "of the meaning “%s” match their examples, and not those that mean something else",
    (meaning) => {
      const { match, not } = examples[meaning];
      expect(match.filter((sentence) => !read(sentence).has(meaning))).toEqual([]);
      expect(not.filter((sentence) => read(sentence).has(meaning))).toEqual([]);
    },
  );
});

it("reads a beginning behind what fills it", () => {
  const read = reader([english]);
  expect(read("Well, actually it is Tuesday").has("corrects")).toBe(true);
  expect(read("What was actually meant?").has("corrects")).toBe(false);
});
