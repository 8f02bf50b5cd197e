import { expect, it } from "vitest";
import { datedWords } from "../../src/memory/saving/days.ts";
import { handTimer } from "../support/hand-timer.ts";
import { freshFolder } from "../support/anthropic.ts";
import { user } from "../support/talk.ts";
import { openTimed } from "../support/timed.ts";

/** A Friday in Berlin; a Thursday still in New York. */
const AT = Date.parse("2026-05-15T01:00:00+02:00");

it.each([
  ["The user moved yesterday.", "The user moved on 14 May 2026."],
  ["Tomorrow the user sees Dr. Moss.", "On 16 May 2026 the user sees Dr. Moss."],
  ["The report is due by tomorrow.", "The report is due by 16 May 2026."],
  ["The talk is next Tuesday at 10.", "The talk is on 19 May 2026 at 10."],
  ["Ada called last Friday.", "Ada called on 8 May 2026."],
  ["The visit is next Saturday.", "The visit is next Saturday (said 15 May 2026)."],
  ["The user starts next week.", "The user starts next week (said 15 May 2026)."],
  ["The user joined two weeks ago.", "The user joined two weeks ago (said 15 May 2026)."],
  ["The user has tomorrow's slides.", "The user has tomorrow's slides (said 15 May 2026)."],
  ["The user wants yesterday's sales every morning.", undefined],
  ["The sync is on Tuesdays.", undefined],
])("a day is one of the calendar: %s", (said, kept = said) => {
  expect(datedWords(said, { at: AT, zone: "Europe/Berlin", isLatest: false })).toBe(kept);
});

it("a day in another zone, or in a talk of several days, is the one that it can be", () => {
  const said = "The user moved yesterday.";
  const told = (zone: string, isLatest: boolean) => datedWords(said, { at: AT, zone, isLatest });
  expect(told("America/New_York", false)).toBe("The user moved on 13 May 2026.");
  expect(told("Europe/Berlin", true)).toBe("The user moved yesterday (said by 15 May 2026).");
});

it("what is of one project is told in no other of the user's, and what is of the user in all", async () => {
  const workspace = freshFolder();
  const { timer } = handTimer();
  const asked: string[] = [];
  const facts = [
    { content: "The project uses pnpm.", category: "rule", scope: "project" },
    { content: "Ada wants short answers, and moved yesterday.", category: "preference" },
    { content: "Ada lives in Kiel.", category: "identity", scope: "project" },
  ].map((fact) => ({ ...fact, importance: 0.8, from: [1] }));
  const talk = async (project: string, text: string): Promise<string> => {
    const tidemark = await openTimed({
      ...{ workspace, timer, now: () => AT, zone: "Europe/Berlin", listen: () => {} },
      identity: { user: "ada", project },
      distil: {
        atClose: "model",
        complete: async ({ messages }) => {
          asked.push(JSON.stringify(messages));
          return { text: JSON.stringify({ facts, summary: "They talked." }) };
        },
      },
    });
    const messages = [user(text)];
    const turn = await tidemark.begin({ model: "claude-sonnet-5-5", messages });
    await turn.end({ role: "assistant", content: "Noted." });
    await tidemark.close();
    return JSON.stringify(turn.request);
  };
  await talk("harbour", "I'm Ada from Kiel. Our project uses pnpm. I want short answers.");
  expect(asked[0]).toContain('scope: \\"project');
  const [there, here] = [await talk("lamp", "Hello!"), await talk("harbour", "Hello!")];
  for (const told of [there, here]) expect(told).toMatch(/short answers[^]*Kiel/);
  expect(there).toContain("moved on 14 May 2026");
  expect(there).not.toContain("pnpm");
  expect(here).toContain("The project uses pnpm.");
});
