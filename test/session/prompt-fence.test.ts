import fc from "fast-check";
import { expect, test } from "vitest";
import { fence, fences, withoutFences } from "../../src/core/text/fence.ts";
import { runs } from "../support/runs.ts";
import { anyCharacter } from "../support/any-character.ts";

/** Text made of the pieces an attacker would try. */
const hostile = fc
  .array(
    fc.oneof(
      fc.constantFrom(
        "<",
        "</",
        ">",
        "/",
        " ",
        "\n",
        "\u200b",
        "tidemark-",
        "TIDEMARK-",
        "tidemar\u212a-",
        "soul",
        "summary",
        "<tidemark-summary>",
        "</tidemark-summary>",
        "</ Tidemark-Summary >",
        '" fold="x',
        "‹",
      ),
      fc.string({ unit: anyCharacter, maxLength: 8 }),
    ),
    { maxLength: 30 },
  )
  .map((pieces) => pieces.join(""));

test("no content closes or opens a fence, whatever it is", () => {
  fc.assert(
    fc.property(hostile, hostile, (text, value) => {
      const fenced = fence("summary", text, { fold: value });
      expect(fences(fenced)).toEqual([{ tag: "summary", start: 0, end: fenced.length }]);
      expect(fenced.match(/<[\s/]*tidemark/gi)).toHaveLength(2);
      expect(fenced.split("\n")[0]).toMatch(/^<tidemark-summary fold="[^"<>]*">$/);
    }),
    { numRuns: runs(400) },
  );
});

test("what stands outside fences is kept byte for byte, what stands inside is gone", () => {
  const plain = fc.string({ unit: anyCharacter }).filter((text) => !/tidemark|[<>]/i.test(text));
  fc.assert(
    fc.property(fc.array(fc.tuple(plain, hostile)), plain, (pairs, end) => {
      const text = pairs.map(([before, inside]) => before + fence("facts", inside)).join("") + end;
      expect(withoutFences(text)).toBe(pairs.map(([before]) => before).join("") + end);
    }),
  );
});
