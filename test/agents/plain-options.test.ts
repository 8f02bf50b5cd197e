import { describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { freshFolder } from "../support/workspace.ts";

const quiet = { listen: false, distil: "extractive" } as const;
const asking = (content: string) => ({
  model: "claude-sonnet-5-5",
  max_tokens: 1_000,
  messages: [{ role: "user", content }],
});

describe("options said as people say them", () => {
  it("window: 8000 is a window of 8,000 tokens", async () => {
    const limits = [];
    for (const window of [8_000, { tokens: 8_000 }]) {
      const tidemark = await openTidemark({ ...quiet, workspace: false, window });
      limits.push((await tidemark.begin(asking("Hello!"))).window.limit);
      await tidemark.close();
    }
    expect(limits).toEqual([7_000, 7_000]);
  });

  it("recall: true recalls as recall: {} does", async () => {
    const shown = [];
    for (const recall of [true, {}, false]) {
      const tidemark = await openTidemark({ ...quiet, workspace: freshFolder(), recall });
      const first = asking("Hello!");
      await (await tidemark.begin(first)).end({ role: "assistant", content: "Good morning." });
      // The system text stands by now.
      await tidemark.memory.save("The deploy key lives in the blue vault.");
      const said = { role: "assistant", content: "Good morning." };
      const next = asking("Where does the deploy key live?");
      const messages = [...first.messages, said, ...next.messages];
      const turn = await tidemark.begin({ ...next, messages });
      shown.push(turn.injected.map(({ section }) => section).includes("recall"));
      await tidemark.close();
    }
    expect(shown).toEqual([true, true, false]);
  });

  it.each([
    [{ window: 0 }, '"window.tokens" must be a number above 0, got 0'],
    [{ window: NaN }, '"window.tokens" must be a number above 0'],
    [{ window: "8k" }, '"window" must be tokens such as 8000, or an object such as { tokens }'],
    [{ recall: "yes" }, '"recall" must be true, false, or an object such as { tokens: 600 }'],
  ])("%j is refused with what can be meant", async (options, says) => {
    await expect(openTidemark(options as never)).rejects.toThrow(says);
  });
});
