import fc from "fast-check";
import { afterAll, beforeAll, describe, expect, it } from "vitest";
import { openTidemark, type Tidemark } from "../../src/index.ts";
import { runs } from "../support/runs.ts";

const KNOWN = {
  dentist: "User: My dentist is Dr. Weiss, his practice is on Elm Street.",
  wifi: "User: The office Wi-Fi is called Bluebird-5G.",
  wlan: "User: The hotspot at home is called Heron.",
  release: "User: Every release to production needs Mara's sign-off.",
  peanuts: "User: I'm allergic to peanuts.",
  trip: "User: I'm planning a trip to Japan in April with my wife.",
  ci: "User: Our CI runs on GitHub Actions.",
  pnpm: "User: We use pnpm, never npm.",
  emma: "User: My daughter Emma starts school in September.",
  kitchen: "User: My budget for the kitchen is 12,000 euros.",
  staging: "User: The staging database is on port 5433.",
  aunt: "User: My kind aunt Ada sent many parcels.",
};
type Known = keyof typeof KNOWN;
const nameOf = (content: string) =>
  Object.entries(KNOWN).find(([, text]) => text === content)?.[0] ?? content;

let tidemark: Tidemark;
beforeAll(async () => {
  tidemark = await openTidemark({ workspace: false });
  for (const content of Object.values(KNOWN)) await tidemark.memory.save({ content });
});
afterAll(() => tidemark.close());

const found = async (question: string) =>
  (await tidemark.memory.recall(question, { limit: 3 })).map(({ text }) => nameOf(text));

const CHORES =
  "The changelog was written on Monday and the scripts have been tried on a copy of the data. Please check that the flags of the new search page are " +
  "off, that no dashboard shows errors of the last hour, and that the old workers have drained their queues before you restart them. ";

describe("questions as people ask them", () => {
  const asked: readonly (readonly [question: string, answer: Known])[] = [
    [
      "I broke a tooth this morning, it hurts so much, can you help me write to the practice?",
      "dentist",
    ],
    ["wifi", "wifi"],
    ["What's the wifi password here?", "wifi"],
    ["What is the hot-spot at home called?", "wlan"],
    [`Ship the release to production today. ${CHORES.repeat(4)}`, "release"],
    [`${CHORES.repeat(4)} Then ship the release to production.`, "release"],
    [
      "Can you suggest a dessert for tonight? I have friends over and I want something with nuts.",
      "peanuts",
    ],
    ["Where should we go in spring?", "trip"],
    ["where does our pipeline run", "ci"],
    ["which package manager do we use?", "pnpm"],
    ["book a table at a restaurant, something my kid likes too", "emma"],
    ["how much money can I spend on the kitchen", "kitchen"],
    ["what port is the staging db on?", "staging"],
  ];
  it.each(asked)("%s", async (question, answer) => {
    expect(await found(question)).toContain(answer);
  });

  const strangers = [
    "What is the capital of France?",
    "How do I center a div?",
    "Thanks, that looks great! Have a nice weekend.",
    "Write a function that reverses a string.",
    "I am so sick of this error, can you fix it?",
    "Good morning! How are you?",
    "Continue",
    "What kind of car is in the garage?",
    "How many horses are in the stable?",
    CHORES,
  ];
  it.each(strangers)("nothing for %s", async (question) => {
    expect(await found(question)).toEqual([]);
  });

  it("are answered in whatever company of other sentences they come", async () => {
    const others = [
      "The report is due.",
      "Look at the second chart.",
      "It rained for days.",
      "The cat sleeps on the mat.",
      "We painted the fence green.",
    ];
    await fc.assert(
      fc.asyncProperty(
        // A daughter is found by "kid", one word of the question's own seven, which others thin out.
        fc.constantFrom(...asked.slice(5).filter(([, answer]) => answer !== "emma")),
        fc.array(fc.constantFrom(...others), { maxLength: 8 }),
        fc.array(fc.constantFrom(...others), { maxLength: 8 }),
        async ([question, answer], before, after) => {
          expect(
            await found(
              [
                ...before,
                question.endsWith("?") || question.endsWith(".") ? question : `${question}?`,
                ...after,
              ].join(" "),
            ),
          ).toContain(answer);
        },
      ),
      { numRuns: runs(60) },
    );
  });
});
