import type { Anthropic } from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { MODEL, prose, setUp, spoken } from "../support/anthropic.ts";

const TURNS = 60;
/** Cached whatever the messages say: until the first fold the clock's own caller breaks the rest of the cache. */
const SYSTEM = `You are the harbour master's clerk. ${prose(2_000, 3)}`;

interface TokenUsage {
  readonly read: number;
  readonly all: number;
}
const usageOf = ({
  input_tokens: fresh,
  cache_creation_input_tokens: written,
  cache_read_input_tokens: read,
}: Anthropic.Usage): TokenUsage => ({
  read: read ?? 0,
  all: fresh + (written ?? 0) + (read ?? 0),
});

/** Sixty turns with a clock in the first message; answers the folds, and the share of all input that was read from the cache. */
async function played(clock: (turn: number) => string) {
  const { server, client, tidemark } = await setUp({
    window: { tokens: 8_000, patience: 0 },
    distil: "extractive",
    inject: false,
  });
  const messages: Anthropic.MessageParam[] = [];
  const used: TokenUsage[] = [];
  for (let turn = 0; turn < TURNS; turn++) {
    messages.push({ role: "user", content: `Question ${turn}: ${prose(260, turn)}` });
    const first = {
      role: "user" as const,
      content: `${clock(turn)}\n\n${String(messages[0]?.content)}`,
    };
    const reply = await client.messages.create({
      model: MODEL,
      max_tokens: 300,
      system: SYSTEM,
      messages: [first, ...messages.slice(1)],
    });
    messages.push({ role: "assistant", content: reply.content });
    used.push(usageOf(reply.usage));
    await tidemark.idle();
  }
  const [listed, ...others] = await tidemark.history.list();
  expect(spoken(server).map(({ status }) => status)).toEqual(
    Array.from({ length: TURNS }, () => 200),
  );
  const sum = (of: (one: TokenUsage) => number): number =>
    used.reduce((all, one) => all + of(one), 0);
  const { earlier = [] } = await tidemark.history.read({ conversation: listed?.id ?? "" });
  return {
    folds: listed?.folds ?? 0,
    others: others.length,
    forms: earlier.length,
    share: sum(({ read }) => read) / sum(({ all }) => all),
  };
}

describe("a message that changes again and again", () => {
  it("is one message with forms, and folds and cached share are those of a still one within a tenth", async () => {
    const still = await played(() => "It is noon.");
    const moving = await played(
      (turn) =>
        `It is ${turn % 24}:${String((turn * 7) % 60).padStart(2, "0")} on 2026-03-${String(1 + (turn % 28)).padStart(2, "0")}.`,
    );
    expect(still.folds).toBeGreaterThan(2);
    expect(moving).toMatchObject({ others: 0, forms: TURNS - 1 });
    expect(Math.abs(moving.folds - still.folds)).toBeLessThanOrEqual(0.1 * still.folds);
    expect(moving.share).toBeGreaterThan(0.9 * still.share);
  });
});
