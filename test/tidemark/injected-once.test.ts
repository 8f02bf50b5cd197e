import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { freshFolder } from "../support/anthropic.ts";
import { play, requestOf, user } from "../support/talk.ts";

const IN_SUMMARY = "The launch of Heron is on 12 June because the auditors are late.";
const BESIDE = "Ada is allergic to peanuts and walnuts.";
const answer = JSON.stringify({
  facts: [
    { content: IN_SUMMARY, importance: 0.9, from: [1] },
    { content: BESIDE, importance: 0.9, from: [1] },
  ],
  summary:
    "## Decisions\n- Heron launches on 12 June, because the auditors are late; the launch was moved.",
});

it("a fact that the conversation's own summary says stands in its request once, and is told to the next one", async () => {
  const tidemark = await openTidemark({
    workspace: false,
    cache: false,
    window: { tokens: 4_000 },
    distil: () => Promise.resolve({ text: answer }),
  });
  const boats = "The harbour was calm and gulls sat on the pier while boats came in. ".repeat(12);
  const { request } = await play(tidemark, {
    calls: (turn) => `${turn}. ${boats}`,
    turns: 30,
    until: ({ folded }) => folded,
    idle: true,
  });
  const sections = JSON.stringify(request.messages[0]);
  expect(sections).toContain("Heron launches on 12 June");
  expect(sections).toContain(BESIDE);
  expect(sections).not.toContain(IN_SUMMARY);
  const next = await tidemark.begin(requestOf([user("Good morning!")]));
  expect(JSON.stringify(next.request.messages[0])).toContain(IN_SUMMARY);
  await tidemark.close();
});

it("what was learnt takes 600 tokens of the system text, and a page's own lines 900 beside", async () => {
  const learnt = async (): Promise<number> => {
    const workspace = freshFolder();
    mkdirSync(workspace, { recursive: true });
    const own = Array.from(
      { length: 200 },
      (_, at) => `Line ${at} of what a person wrote about the harbour.`,
    ).join("\n");
    writeFileSync(
      join(workspace, "MEMORY.md"),
      `# Memory\n\n<!-- tidemark:head -->\n${own}\n<!-- /tidemark:head -->\n`,
    );
    const tidemark = await openTidemark({
      workspace,
      distil: "extractive",
      embed: false,
    });
    for (let at = 0; at < 60; at += 1)
      await tidemark.memory.save(
        `The boat of dock ${at} is called Nixe ${at} and is painted in colour number ${at * 7}.`,
      );
    const turn = await tidemark.begin(requestOf([user("Hello.")]));
    const tokens = Object.fromEntries(
      turn.injected.map(({ section, tokens: size }) => [section, size]),
    );
    expect(tokens["MEMORY"]).toBeLessThanOrEqual(960);
    expect(tokens["MEMORY"]).toBeGreaterThan(500);
    await tidemark.close();
    return (tokens["facts"] ?? 0) + (tokens["learnings"] ?? 0);
  };
  const size = await learnt();
  expect(size).toBeLessThanOrEqual(600);
  expect(size).toBeGreaterThan(400);
});
