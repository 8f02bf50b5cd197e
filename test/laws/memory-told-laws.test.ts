import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { isRefused } from "../../src/memory/extracting/gate.ts";
import { sameness } from "../../src/memory/saving/same-and-category.ts";
import { runs } from "../support/runs.ts";

interface Told {
  readonly content: string;
  readonly category: string;
  readonly importance: number;
  readonly from: readonly number[];
}

const PEOPLE = ["Ada", "Tom", "Ines", "Karl", "Yuki"];
const LASTING = [
  "keeps the deploy key in vault",
  "pays the invoices of customer",
  "is on duty with the beeper",
  "wants release notes sent to list",
  "is allergic to additive number",
];
const JUNK = [
  "Thanks a lot!",
  "Let me check the logs first.",
  "Which port does it use?",
  "Traceback (most recent call last) in worker 4",
  "2. the second of the steps",
  "src/a.ts src/b.ts src/c.ts docs/d.md",
  "ok",
];

const statement = fc
  .tuple(
    fc.constantFrom(...PEOPLE),
    fc.constantFrom(...LASTING),
    fc.integer({ min: 10, max: 9_999 }),
  )
  .map(([who, what, n]) => `${who} ${what} ${n}.`);
const told: fc.Arbitrary<Told> = fc.record({
  content: fc.oneof(
    { weight: 4, arbitrary: statement },
    { weight: 1, arbitrary: fc.constantFrom(...JUNK) },
  ),
  category: fc.constantFrom("identity", "rule", "decision", "outcome", "general", "a new one"),
  importance: fc.double({ min: 0, max: 1, noNaN: true }),
  from: fc.constantFrom([1], [2], [1, 3]),
});

/** A conversation that is folded once for each list of facts: what was said of it, and what memory holds then. */
async function folded(lists: readonly (readonly Told[])[]): Promise<string[]> {
  let at = 0;
  const complete = () =>
    Promise.resolve({
      text: JSON.stringify({ facts: lists[at++] ?? [], summary: "They spoke of this and that." }),
    });
  const tidemark = await openTidemark({
    workspace: false,
    inject: false,
    distil: complete,
    window: { tokens: 40_000, keepLast: 1, patience: 60_000 },
  });
  for (const [index] of lists.entries()) {
    const messages = Array.from({ length: 7 }, (_, turn) => ({
      role: turn % 2 === 0 ? "user" : "assistant",
      content: `Message ${turn} of conversation ${index}. ${"The tide comes in and goes out again. ".repeat(20)}`,
    }));
    const done = await tidemark.fold({
      request: { model: "claude-sonnet-5-5", max_tokens: 100, messages },
    });
    expect(done).toMatchObject({ messages: expect.any(Number) as number });
  }
  const memories = (await tidemark.memory.list({ limit: 1_000 })).map(({ content }) => content);
  await tidemark.close();
  return memories;
}

describe("what a model says of a conversation", () => {
  it("is remembered, says what is remembered, or is refused by the gate", async () => {
    await fc.assert(
      fc.asyncProperty(fc.array(told, { minLength: 1, maxLength: 12 }), async (facts) => {
        const memories = await folded([facts]);
        const known = new Set(memories.map(sameness));
        for (const { content } of facts)
          expect(known.has(sameness(content)) || isRefused(content), content).toBe(true);
        for (const memory of memories) expect(JUNK).not.toContain(memory);
      }),
      { numRuns: runs(60) },
    );
  });
});
