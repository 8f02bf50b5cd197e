import { describe, expect, it } from "vitest";
import { openTidemark, type Turn } from "../../src/index.ts";
import { estimateTokens } from "../../src/core/tokens/estimate.ts";
import { exactTokens } from "../../src/core/tokens/counter.ts";

/** Words that the estimate takes for other than they are. */
const odd = (count: number): string =>
  Array.from({ length: count }, (_, at) => `zyzzyva${at}ĸþŋ`).join(" ");

async function first(text: string, tokens: number): Promise<Turn["window"]> {
  const tidemark = await openTidemark({
    workspace: false,
    distil: "extractive",
    window: { tokens, reserve: 1 },
    inject: false,
    listen: false,
  });
  const turn = await tidemark.begin({
    model: "gpt-5",
    messages: [{ role: "user", content: text }],
  });
  await tidemark.close();
  return turn.window;
}

describe("a first request", () => {
  const text = `${"The harbour is quiet tonight. ".repeat(1_500)}${odd(60)}`;
  it("is counted with a tokenizer near the brim, where the estimate would decide", async () => {
    const [exact, estimate] = [await exactTokens(text), estimateTokens(text)];
    expect(Math.abs(exact - estimate), "the text tells nothing").toBeGreaterThan(100);
    const { used } = await first(text, Math.ceil(estimate / 0.82));
    expect(Math.abs(used - exact)).toBeLessThan(20);
  });

  it("is estimated far from it", async () => {
    expect(Math.abs((await first(text, 400_000)).used - estimateTokens(text))).toBeLessThan(20);
  });
});
