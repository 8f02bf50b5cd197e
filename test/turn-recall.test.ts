import { describe, expect, it } from "vitest";
import { loopOf, MODEL, setUp, spoken, systemText } from "./support/anthropic.ts";
import { type Json, type Received } from "./support/messages-server/index.ts";

const FACT = "The deploy key lives in the blue vault.";
const BETA = "mid-conversation-system-clear-at-2026-08-21";
const messagesOf = ({ body }: Received): Json[] => body.messages as Json[];
const recalled = (message: Json | undefined): boolean => JSON.stringify(message ?? "").includes("<tidemark-recall>");

/** A conversation that remembers something its system text does not show. */
async function room(options: Parameters<typeof setUp>[0] = {}) {
  const all = await setUp({ inject: false, recall: {}, distil: "extractive", ...options });
  await all.tidemark.memory.save(FACT);
  return all;
}

describe("recall on every turn", () => {
  it("puts what memory holds beside the user's words, and says so", async () => {
    const { client, server, tidemark, events } = await room();
    const said = await tidemark.begin({ model: MODEL, max_tokens: 100, messages: [{ role: "user", content: "Where is the deploy key?" }] });
    expect(said.injected).toEqual([{ section: "recall", tokens: expect.any(Number) }]);
    expect(said.injected[0]!.tokens).toBeLessThanOrEqual(600);
    await loopOf(client).say("Hello there, where does the deploy key live these days?");
    const [request] = spoken(server);
    expect(messagesOf(request!)).toHaveLength(2);
    expect(messagesOf(request!)[0]).toMatchObject({ role: "user" });
    expect(JSON.stringify(messagesOf(request!)[1])).toContain(FACT);
    expect(systemText(request!.body)).not.toContain("blue vault");
    expect(events).toContainEqual(expect.objectContaining({ type: "recalled", hits: 1, tokens: expect.any(Number) }));
    expect((await tidemark.memory.list())[0]!.uses).toBe(2);
  });

  it("shows it for one turn only where the model can, with the header that asks for it", async () => {
    const { client, server } = await room();
    const loop = loopOf(client);
    await loop.say("Where is the deploy key?");
    await loop.say("Thanks. And what of the weather in the harbour?");
    const [first, second] = spoken(server);
    expect(messagesOf(first!).at(-1)).toMatchObject({ role: "system", clear_at: "next_user_message" });
    expect(first!.headers["anthropic-beta"]).toContain(BETA);
    expect(messagesOf(second!)[1]).toEqual(messagesOf(first!)[1]);
    expect(server.refusals).toEqual([]);
  });
});
