import { expect, it } from "vitest";
import { ONE_LINE, SHAPES, TWENTY } from "../support/hostile-shapes.ts";
import { sweep } from "../support/sweep.ts";
import { readers } from "../support/sweep-readers.ts";

/** `npm run bench -- fuzz` plays all shapes at a quarter of a megabyte and at one. */
const MINUTES = 300_000;
const BOUNDS = { lengths: [4_000, 16_000], most: 10, leastMs: 60 };

it(
  "reads hostile texts and long lines of programs in time that grows as they do, in every room",
  async () => {
    const { found } = await readers();
    expect(found.length).toBeGreaterThan(250);
    expect(TWENTY).toHaveLength(20);
    expect(new Set(SHAPES.map(({ name }) => name)).size).toBeGreaterThanOrEqual(250);
    // Four times the text takes four times as long, sixteen times where each character is read against each.
    const shapes = [...TWENTY, ...ONE_LINE];
    for (const [at, reader] of found.entries()) {
      // Each reads a fifth of the shapes, and each shape is read by a fifth of them.
      const its = shapes.filter((_, nth) => (nth + at) % 5 === 0);
      expect((await sweep([reader], its, BOUNDS)).slow).toEqual([]);
    }
  },
  MINUTES,
);

it(
  "quotes of ever more sentences, each with words of its own, in time that grows as they do",
  async () => {
    const sentences = {
      name: "sentences",
      of: (length: number) =>
        Array.from(
          { length: length / 38 },
          (_, at) => `The boat${at} met harbour${at * 7} at noon.`,
        ).join(" "),
    };
    const quoting = (await readers()).found.filter(({ name }) =>
      /^an excerpt|^the gist/.test(name),
    );
    expect(quoting).toHaveLength(2);
    const bounds = { lengths: [75_000, 300_000], most: 10, leastMs: 60 };
    expect((await sweep(quoting, [sentences], bounds)).slow).toEqual([]);
  },
  MINUTES,
);

it("tells what takes its length squared", async () => {
  const squared = {
    name: "squared",
    run: (text: string) => /\p{L}*\p{Ll}\p{Lu}/u.test(text.slice(0, 400_000)),
  };
  const straight = { name: "straight", run: (text: string) => text.replaceAll("a", "b").length };
  const bounds = { lengths: [1_000, 4_000], most: 5, leastMs: 4 };
  const letters = TWENTY.filter(({ name }) => name === '["","a",""]');
  const { slow } = await sweep([squared, straight], letters, bounds);
  expect(slow.map(({ reader }) => reader)).toEqual(["squared"]);
});
