import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openTidemark, type TidemarkEvent } from "../../src/index.ts";
import type { Message } from "../../src/core/request.ts";
import { asReply, assistant, requestOf, user } from "../support/talk.ts";
import { freshFolder } from "../support/workspace.ts";

it("a fold whose sections were made beforehand shows a file written anew since", async () => {
  const root = join(freshFolder(), "ws");
  let time = Date.UTC(2026, 7, 22, 12);
  const events: TidemarkEvent[] = [];
  const tidemark = await openTidemark({
    workspace: root,
    cache: false,
    window: { tokens: 8_000, patience: 1 },
    now: () => (time += 20),
    listen: (event) => events.push(event),
    distil: () =>
      Promise.resolve({ text: JSON.stringify({ facts: [], summary: "They spoke of gulls." }) }),
  });
  await tidemark.memory.save("The harbour gate has the number 4711.");
  const messages: Message[] = [];
  const frozen: string[] = [];
  let changed = false;
  for (let at = 0; frozen.length === 0 || !events.some(({ type }) => type === "folded"); at++) {
    messages.push(user(`Turn ${at}: ${`gull${at} pier `.repeat(30)}`));
    const turn = await tidemark.begin(requestOf(messages));
    frozen.push(JSON.stringify(turn.request.messages[0] ?? ""));
    const reply = assistant(`Noted ${at}.`);
    await turn.end(asReply(reply));
    messages.push(reply);
    await tidemark.idle();
    time += 5_000;
    // The summary is there, and what its fold will need was looked at.
    if (!changed && events.some(({ type }) => type === "distilled"))
      writeFileSync(join(root, "SOUL.md"), "Speak like a pilot.\n");
    changed ||= events.some(({ type }) => type === "distilled");
    expect(at).toBeLessThan(200);
  }
  expect(changed).toBe(true);
  expect(frozen[0]).toContain("4711");
  expect(frozen[0]).not.toContain("pilot");
  expect(frozen.at(-1)).toContain("pilot");
  await tidemark.close();
});
