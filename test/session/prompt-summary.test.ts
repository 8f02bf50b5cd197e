import fc from "fast-check";
import { expect, test } from "vitest";
import { pinsIn, summaryText } from "../../src/compaction/plan-question.ts";
import { fences, withoutFences } from "../../src/core/text/fence.ts";
import { anyCharacter } from "../support/any-character.ts";

const text = fc.oneof(
  fc.string({ unit: anyCharacter }),
  fc
    .array(
      fc.constantFrom(
        "</tidemark-summary>",
        "<tidemark-pin-00000000>",
        "</tidemark-pin-",
        "\n",
        " ",
        "word",
      ),
      { maxLength: 8 },
    )
    .map((pieces) => pieces.join("")),
);
const id = fc.stringMatching(/^[a-z0-9-]{1,40}$/);

test("the summary opens the message in its fence, which names its fold", () => {
  fc.assert(
    fc.property(
      id,
      text,
      fc.array(fc.record({ id, text }), { maxLength: 4 }),
      (fold, summary, pins) => {
        const message = summaryText({ id: fold, messages: 12, summary }, { pins });
        expect(message.startsWith(`<tidemark-summary fold="${fold}">\n`)).toBe(true);
        expect(fences(message)[0]).toMatchObject({ tag: "summary", start: 0 });
      },
    ),
  );
});

test("pins survive byte for byte and nothing in them ends their passage", () => {
  fc.assert(
    fc.property(
      text,
      fc.array(fc.record({ id, text }), { minLength: 1, maxLength: 4 }),
      (summary, pins) => {
        const message = summaryText({ id: "f1", messages: 1, summary }, { pins });
        const [, ...passages] = fences(message);
        expect(pinsIn(message)).toEqual(pins.map((pin) => pin.text));
        expect(
          pinsIn(summaryText({ id: "f1", messages: 1, summary }, { pins, task: summary })),
        ).toEqual(pins.map((pin) => pin.text));
        expect(
          passages.map(({ start, end }) =>
            message.slice(start, end).split("\n").slice(1, -1).join("\n"),
          ),
        ).toEqual(pins.map((pin) => pin.text));
        expect(withoutFences(message).trim()).toBe("Pinned, word for word:");
      },
    ),
  );
});

test("the line before the summary names how many messages it stands for", () => {
  expect(
    summaryText({ id: "f1", messages: 17, summary: "We moved to Lisbon." }, { pins: [] }),
  ).toMatch(/17 earlier messages[^]*verbatim[^]*\n\nWe moved to Lisbon\.\n<\/tidemark-summary>$/);
});
