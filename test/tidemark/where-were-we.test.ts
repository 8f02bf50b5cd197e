import { expect, it } from "vitest";
import { freshFolder, freshTidemark } from "../support/anthropic.ts";
import { play, requestOf, user } from "../support/talk.ts";

const WORK = [
  [
    "Port the importer to the new parser.",
    "I moved the importer; two of the five tests still fail.",
  ],
  [
    "Leave the dates for tomorrow and mend the header row.",
    "The header row is mended, dates are left.",
  ],
  ["Thanks, bye!", "Goodbye!"],
] as const;

async function toldAfter(question: string, who = "ada"): Promise<string> {
  const workspace = freshFolder();
  const open = async (name: string) =>
    (
      await freshTidemark({
        ...{ workspace, distil: "extractive", embed: false },
        identity: { agent: "default", user: name },
      })
    ).tidemark;
  const first = await open("ada");
  await play(first, { calls: WORK.map(([words]) => words), reply: (at) => WORK[at]?.[1] });
  await first.close();
  const { request } = await (await open(who)).begin(requestOf([user(question)]));
  return JSON.stringify(request);
}

it.each([
  "Where were we?",
  "Hi! What were we working on last time?",
  "Remind me where we left off.",
])(
  "who comes back to a talk without tools and asks “%s” is told what was done last",
  async (asked) => {
    const told = await toldAfter(asked);
    expect(told).toContain("mend the header row");
    expect(told).toContain("The header row is mended, dates are left.");
    expect(told).not.toContain("Goodbye");
  },
);

it("another user is not told it, nor who asks for something else", async () => {
  expect(await toldAfter("Where were we?", "bob")).not.toContain("header row");
  expect(await toldAfter("Where was Napoleon born?")).not.toContain("header row");
});
