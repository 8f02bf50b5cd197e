import { mkdirSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import type { Options } from "../../src/index.ts";
import { freshFolder, freshTidemark } from "../support/anthropic.ts";
import { assistant, requestOf, user } from "../support/talk.ts";

/** The next request, behind a correction that passed and one written by hand. */
async function toldWith(distil: Options["distil"]): Promise<string> {
  const workspace = freshFolder();
  mkdirSync(join(workspace, "learnings"), { recursive: true });
  const page = join(workspace, "learnings", "corrections.md");
  writeFileSync(page, "# Corrections\n\n- Never push to main\n");
  const { tidemark } = await freshTidemark({ workspace, cache: false, distil });
  const messages = [
    user("Name the grey of links."),
    assistant("I have added linkGray to the theme."),
    user("Our links are dimGray now, not linkGray."),
  ];
  await tidemark.begin(requestOf(messages));
  await tidemark.idle();
  const { request } = await tidemark.begin(requestOf([user("Good morning.")]));
  return JSON.stringify(request);
}

it("what a model has read is not told as a correction too; what a person wrote down is", async () => {
  const told = await toldWith(() => Promise.resolve({ text: '{"facts":[]}' }));
  expect(told).toContain("Never push to main");
  expect(told.split("linkGray").length).toBeLessThanOrEqual(2);
});

it("without a model a correction is told as it was said, with its day", async () => {
  const told = await toldWith("extractive");
  expect(told).toContain("Never push to main");
  expect(told).toContain("Our links are dimGray now, not linkGray.");
});
