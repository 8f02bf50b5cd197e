import Anthropic from "@anthropic-ai/sdk";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createSigner,
  type MessagesServer,
  modelInfo,
  startMessagesServer,
} from "../../support/messages-server/index.ts";

const BOUND = "claude-sonnet-5-5";
const FREE = "claude-sonnet-4-6";

let server: MessagesServer;
let client: Anthropic;
beforeEach(async () => {
  server = await startMessagesServer();
  client = new Anthropic({ baseURL: server.url, apiKey: "test", maxRetries: 0 });
});
afterEach(() => server.close());

const message = (work: Promise<unknown>): Promise<string | undefined> =>
  work.then(
    () => undefined,
    (error: unknown) => (error as { apiMessage: string }).apiMessage,
  );

/** One turn with thinking, and the history that goes on from it. */
async function turn(model: string, system = "Be kind.") {
  const first = {
    model,
    max_tokens: 2_000,
    system,
    thinking: { type: "adaptive" as const },
    messages: [{ role: "user" as const, content: "What is 2 + 2?" }],
  };
  const reply = await client.messages.create(first);
  expect(reply.content.map(({ type }) => type)).toEqual(["thinking", "text"]);
  const messages: Anthropic.MessageParam[] = [
    ...first.messages,
    { role: "assistant", content: reply.content },
    { role: "user", content: "And 3 + 3?" },
  ];
  return { ...first, messages };
}

const WRONG = "messages.1.content.0: Invalid `signature` in `thinking` block";
const STRANGE = `${WRONG}. The block is bound to a different conversation.`;

describe.each([BOUND, FREE])("thinking sent back to %s", (model) => {
  it("is accepted as it came, turn after turn", async () => {
    let request = await turn(model);
    for (let i = 0; i < 3; i += 1) {
      const reply = await client.messages.create(request);
      request = {
        ...request,
        messages: [
          ...request.messages,
          { role: "assistant", content: reply.content },
          { role: "user", content: `And ${i}?` },
        ],
      };
    }
    expect(server.refusals).toEqual([]);
  });

  it("is refused when its words were changed, its signature invented, or another provider signed it", async () => {
    const request = await turn(model);
    const [thinking, text] = request.messages[1]!.content as [
      Anthropic.ThinkingBlock,
      Anthropic.TextBlock,
    ];
    const other = createSigner("another provider").sign(
      { ...request, messages: request.messages.slice(0, 1) },
      modelInfo(model),
      [{ type: "thinking", thinking: "Hm." }],
    )[0];
    for (const block of [
      { ...thinking, thinking: `${thinking.thinking} Indeed.` },
      { ...thinking, signature: "EqQBCkYIBxgC" },
      other as unknown as Anthropic.ThinkingBlock,
    ]) {
      const messages: Anthropic.MessageParam[] = [
        request.messages[0]!,
        { role: "assistant", content: [block, text] },
        request.messages[2]!,
      ];
      expect(await message(client.messages.create({ ...request, messages }))).toBe(WRONG);
    }
  });
});

describe("thinking that is bound to its prefix", () => {
  it("is refused when the system, the tools or an earlier message changed, and the refusal says which", async () => {
    const request = await turn(BOUND);
    const earlier = structuredClone(request.messages);
    earlier[0] = { role: "user", content: "What is 2 + 3?" };
    const summary = { role: "user" as const, content: "<summary>They asked for sums.</summary>" };
    const changed: [Partial<typeof request> & Record<string, unknown>, string][] = [
      [{ system: "Be very kind." }, "The `system` prompt differs"],
      [{ tools: [{ name: "look", input_schema: { type: "object" } }] }, "The `tools` differ"],
      [{ messages: earlier }, "The `messages` before the block differ"],
    ];
    for (const [change, why] of changed) {
      const refusal = await message(client.messages.create({ ...request, ...change }));
      expect(refusal).toContain(STRANGE);
      expect(refusal).toContain(why);
    }
    expect(
      await message(
        client.messages.create({ ...request, messages: [summary, ...request.messages.slice(1)] }),
      ),
    ).toContain(STRANGE);
  });

  it("does not mind a string in place of its text block, nor messages of one speaker joined", async () => {
    const request = await turn(BOUND);
    const messages = structuredClone(request.messages);
    messages[0] = { role: "user", content: [{ type: "text", text: "What is 2 + 2?" }] };
    expect(
      await message(
        client.messages.create({
          ...request,
          messages,
          system: [{ type: "text", text: "Be kind." }],
        }),
      ),
    ).toBeUndefined();
  });
});
