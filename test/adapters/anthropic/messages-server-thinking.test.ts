import Anthropic from "@anthropic-ai/sdk";
import { afterEach, beforeEach, describe, expect, it } from "vitest";
import {
  createSigner,
  type Json,
  type MessagesServer,
  modelInfo,
  refusalOf,
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

  it("is accepted streamed, and with cache marks that come and go", async () => {
    const request = await turn(model);
    const marked: Anthropic.MessageParam[] = structuredClone(request.messages);
    marked[0] = {
      role: "user",
      content: [{ type: "text", text: "What is 2 + 2?", cache_control: { type: "ephemeral" } }],
    };
    const reply = await client.messages.stream({ ...request, messages: marked }).finalMessage();
    const next = [
      ...request.messages,
      { role: "assistant" as const, content: reply.content },
      { role: "user" as const, content: "ok" },
    ];
    expect(await message(client.messages.create({ ...request, messages: next }))).toBeUndefined();
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

  it("may be left out altogether", async () => {
    const request = await turn(model);
    const messages = structuredClone(request.messages);
    (messages[1]!.content as unknown[]).shift();
    expect(await message(client.messages.create({ ...request, messages }))).toBeUndefined();
  });

  it("may be omitted words and all, and redacted", async () => {
    const omitted = await client.messages.create({
      model,
      max_tokens: 500,
      thinking: { type: "adaptive", display: "omitted" },
      messages: [{ role: "user", content: "Hm?" }],
    });
    expect(omitted.content[0]).toMatchObject({ type: "thinking", thinking: "" });
    const first = { model, max_tokens: 500, messages: [{ role: "user" as const, content: "Hm?" }] };
    const redacted = server.signRedacted(first) as unknown as Anthropic.RedactedThinkingBlock;
    const answered = (block: Anthropic.ContentBlockParam) => ({
      ...first,
      messages: [
        ...first.messages,
        { role: "assistant" as const, content: [block, { type: "text" as const, text: "Yes." }] },
        { role: "user" as const, content: "Why?" },
      ],
    });
    expect(await message(client.messages.create(answered(redacted)))).toBeUndefined();
    expect(await message(client.messages.create(answered({ ...redacted, data: "AAAA" })))).toBe(
      "messages.1.content.0: Invalid `data` in `redacted_thinking` block",
    );
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

  it("falls with the thinking before it", async () => {
    const request = await turn(BOUND);
    const second = await client.messages.create(request);
    const messages = [
      ...structuredClone(request.messages),
      { role: "assistant" as const, content: second.content },
      { role: "user" as const, content: "ok" },
    ];
    (messages[1]!.content as unknown[]).shift();
    expect(await message(client.messages.create({ ...request, messages }))).toMatch(
      /^messages\.3\.content\.0: Invalid `signature`/,
    );
    (messages[3]!.content as unknown[]).shift();
    expect(await message(client.messages.create({ ...request, messages }))).toBeUndefined();
  });

  it("is free on a model that binds nothing", async () => {
    const request = await turn(FREE);
    expect(
      await message(client.messages.create({ ...request, system: "Another system." })),
    ).toBeUndefined();
  });

  it("is not taken from a model that binds nothing", async () => {
    const request = await turn(FREE);
    expect(await message(client.messages.create({ ...request, model: BOUND }))).toContain(
      "carries no record of the conversation",
    );
    expect(
      await message(client.messages.create({ ...(await turn(BOUND)), model: FREE })),
    ).toBeUndefined();
  });

  it("is dropped instead where the request asks for it with the beta, and the reply says so", async () => {
    const request = await turn(BOUND);
    const reply = await client.beta.messages.create({
      ...request,
      system: "Be very kind.",
      thinking: { type: "adaptive", block_binding: { prefix_mismatch_behavior: "drop_block" } },
      betas: ["thinking-binding-controls-2026-08-01"],
    });
    expect(reply.input_transformations).toEqual([
      { type: "thinking_dropped", path: "messages.1.content.0", reason: "prefix_binding_mismatch" },
    ]);
    expect(reply.usage.input_tokens).toBeLessThan(server.requests.at(-1)!.tokens);
  });

  it("can be minted for a history that never was, and survives a restart of the provider", async () => {
    const messages: Json[] = [];
    for (let i = 0; i < 3; i += 1) {
      messages.push({ role: "user", content: `Question ${i}` });
      const thinking = server.sign({ model: BOUND, messages });
      messages.push({
        role: "assistant",
        content: [thinking, { type: "text", text: `Answer ${i}` }],
      });
    }
    const request = {
      model: BOUND,
      max_tokens: 100,
      messages: [...messages, { role: "user", content: "and?" }],
    } as unknown as Anthropic.MessageCreateParamsNonStreaming;
    const again = await startMessagesServer();
    try {
      expect(
        await message(new Anthropic({ baseURL: again.url, apiKey: "t" }).messages.create(request)),
      ).toBeUndefined();
    } finally {
      await again.close();
    }
    expect(
      refusalOf(request, modelInfo(BOUND), { signer: createSigner("another secret") })?.message,
    ).toBe(WRONG);
    expect(refusalOf(request, modelInfo(BOUND))).toBeUndefined();
  });
});
