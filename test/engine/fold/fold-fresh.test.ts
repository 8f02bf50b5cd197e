import { readdirSync, readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { expect, it } from "vitest";
import { openTidemark, type TidemarkEvent } from "../../../src/index.ts";
import type { Message } from "../../../src/model/request.ts";
import { asReply, assistant, requestOf, user } from "../../support/talk.ts";
import { freshFolder } from "../../support/workspace.ts";

/** Takes a line out of the daily logs, or puts a line into a file, as a person would. */
const BY_HAND = {
  "a line taken out of the daily log": (root: string): void => {
    for (const name of readdirSync(join(root, "memory"))) {
      const path = join(root, "memory", name);
      writeFileSync(
        path,
        readFileSync(path, "utf8")
          .split("\n")
          .filter((line) => !line.includes("4711"))
          .join("\n"),
      );
    }
  },
  "a file written anew": (root: string): void =>
    writeFileSync(join(root, "SOUL.md"), "Speak like a pilot.\n"),
} as const;

it.each(Object.entries(BY_HAND))(
  "a fold whose sections were made beforehand shows %s since",
  async (what, change) => {
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
      if (!changed && events.some(({ type }) => type === "distilled")) change(root);
      changed ||= events.some(({ type }) => type === "distilled");
      expect(at).toBeLessThan(200);
    }
    expect(changed).toBe(true);
    expect(frozen[0]).toContain("4711");
    expect(frozen[0]).not.toContain("pilot");
    if (what.startsWith("a line")) expect(frozen.at(-1)).not.toContain("4711");
    else expect(frozen.at(-1)).toContain("pilot");
    await tidemark.close();
  },
);
