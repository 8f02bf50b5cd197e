import { describe, expect, it } from "vitest";
import { german } from "../../src/distil/cues/de.ts";
import { english } from "../../src/distil/cues/en.ts";
import { MEANINGS, reader } from "../../src/distil/cues/phrases.ts";
import { chinese } from "../../src/distil/cues/zh.ts";

describe.each([
  ["English", english],
  ["German", german],
  ["Chinese", chinese],
] as const)("the %s phrases", (_, cues) => {
  const read = reader([cues]);

  it("are at most 150, none longer than five words", () => {
    const phrases = MEANINGS.flatMap((meaning) => cues[meaning].phrases.split(", "));
    expect(phrases.length).toBeLessThanOrEqual(150);
    expect(phrases.filter((phrase) => phrase.split(" ").length > 5)).toEqual([]);
  });

  it.each(MEANINGS)(
    "of the meaning “%s” match their examples, and not those that mean something else",
    (meaning) => {
      const [match, not] = [cues[meaning].match.split(" | "), cues[meaning].not.split(" | ")];
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
