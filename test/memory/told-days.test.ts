import { expect, it } from "vitest";
import { handTimer } from "../support/hand-timer.ts";
import { freshFolder } from "../support/anthropic.ts";
import { user } from "../support/talk.ts";
import { openTimed } from "../support/timed.ts";

const AT = Date.parse("2026-05-15T01:00:00+02:00");

it("what is of one project is told in no other of the user's, and what is of the user in all, with the day behind yesterday", async () => {
  const workspace = freshFolder();
  const { timer } = handTimer();
  const asked: string[] = [];
  const facts = [
    { content: "The project uses pnpm.", category: "rule", scope: "project" },
    { content: "The fixtures need Docker.", category: "codebase-knowledge" },
    { content: "Ada wants short answers, and moved yesterday.", category: "preference" },
    { content: "Ada wants yesterday's sales every morning.", category: "rule" },
    { content: "Ada was in Laboe in the last week of April 2026.", category: "identity" },
    { content: "Ada lives in Kiel.", category: "identity", scope: "project" },
  ].map((fact) => ({ ...fact, importance: 0.8, from: [1] }));
  const open = (project: string) =>
    openTimed({
      ...{ workspace, timer, now: () => AT, zone: "Europe/Berlin", listen: () => {} },
      identity: { user: "ada", project },
      distil: async ({ messages }) => {
        asked.push(JSON.stringify(messages));
        return { text: JSON.stringify({ facts, summary: "They talked." }) };
      },
    });
  const talk = async (project: string, text: string): Promise<string> => {
    const tidemark = await open(project);
    const messages = [user(text)];
    const turn = await tidemark.begin({ model: "claude-sonnet-5-5", messages });
    await turn.end({ role: "assistant", content: "Noted." });
    await tidemark.close();
    const next = await open(project);
    await next.tidy();
    await next.close();
    return JSON.stringify(turn.request);
  };
  await talk(
    "harbour",
    "I'm Ada from Kiel. Our project uses pnpm, its fixtures need Docker. I want short answers, was in Laboe in the last week of April.",
  );
  expect(asked[0]).toContain('scope (optional): \\"project');
  const [there, here] = [await talk("lamp", "Hello!"), await talk("harbour", "Hello!")];
  for (const told of [there, here]) expect(told).toMatch(/short answers[^]*Kiel/);
  expect(there).toContain("moved yesterday (said 2026-05-15).\\n");
  expect(there).toContain("in the last week of April 2026. (2026-05-15)");
  expect(there).toContain("every morning. (2026-05-15)");
  expect(there).not.toMatch(/pnpm|Docker/);
  expect(here).toMatch(/The project uses pnpm[^]*The fixtures need Docker|Docker[^]*pnpm/);
});
