import { describe, expect, it } from "vitest";
import { openTidemark, type TidemarkEvent, type WindowOptions } from "../../src/index.ts";
import { prose } from "../support/anthropic.ts";

type Message = { role: string; content: string };

/** An Ollama-like server: reads what its `num_ctx` holds, counts that, and says nothing of the rest. Four characters a token. */
const server = (numCtx: number) => (messages: readonly Message[]) => {
  const whole = Math.ceil(JSON.stringify(messages).length / 4);
  return {
    choices: [
      { index: 0, message: { role: "assistant", content: "Noted." }, finish_reason: "stop" },
    ],
    usage: { prompt_tokens: Math.min(whole, numCtx), completion_tokens: 2 },
  };
};

async function talk({
  numCtx,
  turns,
  window,
  more = {},
}: {
  numCtx: number;
  turns: number;
  window?: WindowOptions;
  more?: Record<string, unknown>;
}) {
  const events: TidemarkEvent[] = [];
  const tidemark = await openTidemark({
    workspace: false,
    distil: "extractive",
    inject: false,
    ...(window && { window }),
    listen: (event) => events.push(event),
  });
  const read = server(numCtx);
  const messages: Message[] = [];
  const sent: number[] = [];
  const limits: number[] = [];
  for (let at = 0; at < turns; at += 1) {
    messages.push({ role: "user", content: `${prose(120, at + 1)} Ship ${at} is in.` });
    const turn = await tidemark.begin(
      { model: "llama3:8b", messages: [...messages], ...more },
      { format: "openai-chat" },
    );
    sent.push(Math.ceil(JSON.stringify(turn.request.messages).length / 4));
    limits.push(turn.window.limit);
    const reply = read(turn.request.messages);
    messages.push({ role: "assistant", content: "Noted." });
    await turn.end(reply);
  }
  await tidemark.close();
  return { events, sent, limits };
}
const cuts = (events: readonly TidemarkEvent[]): TidemarkEvent[] =>
  events.filter((event) => event.type === "notice" && event.about === "cut-by-provider");

describe("a server that cuts in silence", () => {
  it("is caught: said once, its window learnt, and what is sent stays below it", async () => {
    const { events, sent, limits } = await talk({
      numCtx: 4_096,
      turns: 40,
      window: { tokens: 32_000 },
    });
    expect(cuts(events)).toHaveLength(1);
    const caught = limits.findIndex((limit) => limit < 4_097);
    expect(caught).toBeGreaterThan(0);
    expect(Math.max(...sent.slice(caught + 1))).toBeLessThan(4_096);
    expect(
      sent.slice(0, caught).filter((tokens) => tokens > 4_096).length,
      "turns that were cut before it was seen",
    ).toBeLessThanOrEqual(2);
    expect(events.some(({ type }) => type === "folded")).toBe(true);
  });

  it("is none where every prompt is counted whole", async () => {
    const { events } = await talk({ numCtx: 1_000_000, turns: 30, window: { tokens: 8_000 } });
    expect(cuts(events)).toEqual([]);
  });

  it("is none where the figure is smaller than any window: a host made it up", async () => {
    expect(cuts((await talk({ numCtx: 30, turns: 6 })).events)).toEqual([]);
  });
});

describe("a window that the request or the answer names", () => {
  it.each([
    { num_ctx: 8_192 },
    { options: { num_ctx: 8_192 } },
    { extra_body: { max_model_len: 8_192 } },
    { context_length: 8_192 },
  ])("is taken: %j", async (more) => {
    const { events, limits } = await talk({ numCtx: 8_192, turns: 1, more });
    expect(limits[0]).toBeLessThanOrEqual(8_192);
    expect(events.some(({ type }) => type === "window-guessed")).toBe(false);
  });
});
