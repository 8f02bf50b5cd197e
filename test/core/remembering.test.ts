import fc from "fast-check";
import { expect, it } from "vitest";
import { remembering } from "../../src/core/base.ts";

it("gives what was made of a text, whatever was asked in between, and makes what is asked often once", () => {
  fc.assert(
    fc.property(
      fc.array(
        fc.oneof(
          fc.string({ maxLength: 12 }),
          fc.constantFrom("a", "b", "a longer text that is asked for again and again"),
        ),
        { maxLength: 200 },
      ),
      fc.integer({ min: 1, max: 2_000 }),
      (texts, bound) => {
        const remembered = remembering(
          (text) => (text.length % 3 === 0 ? undefined : text.toUpperCase()),
          { bound },
        );
        for (const text of texts)
          expect(remembered(text)).toBe(text.length % 3 === 0 ? undefined : text.toUpperCase());
      },
    ),
  );
  let made = 0;
  const counted = remembering((text) => (made++, text.length));
  for (let round = 0; round < 5; round++)
    for (let at = 0; at < 400; at++) counted(`line ${at} of a file`);
  expect(made).toBe(400);
});

it("keeps no more than its bound, and nothing of a text that would fill it", () => {
  let made = 0;
  const counted = remembering((text) => (made++, text.length), { bound: 1_000 });
  for (let round = 0; round < 2; round++)
    for (let at = 0; at < 400; at++) counted(`line ${at} of a file`);
  expect(made).toBe(800);
  for (let round = 0; round < 2; round++) counted("x".repeat(60));
  expect(made).toBe(802);
});
