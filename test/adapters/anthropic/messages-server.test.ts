import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import {
  createSigner,
  type InputUsage,
  type Json,
  modelInfo,
  PromptCache,
  refusalOf,
  requestTokens,
  startMessagesServer,
} from "../../support/messages-server/index.ts";

const info = modelInfo("claude-opus-5", { max_input_tokens: 4_000, max_tokens: 2_000 });
const user = (content: unknown): Json => ({ role: "user", content });
const assistant = (content: unknown): Json => ({ role: "assistant", content });
const system = (content: unknown): Json => ({ role: "system", content });
const text = (words: string, more: Json = {}): Json => ({ type: "text", text: words, ...more });
const call = (id: string, more: Json = {}): Json => ({
  ...{ type: "tool_use", id, name: "look", input: {} },
  ...more,
});
const result = (id: string, more: Json = {}): Json => ({
  ...{ type: "tool_result", tool_use_id: id, content: "seen" },
  ...more,
});
const look = { name: "look", input_schema: { type: "object" } };
const mark = { cache_control: { type: "ephemeral" } };
const marked = (count: number): Json[] => Array.from({ length: count }, () => text("a", mark));
const hi = user("hi");
const called = [hi, assistant([call("a")])];
const seen = [...called, user([result("a")])];
const manual = { thinking: { type: "enabled", budget_tokens: 1_024 }, max_tokens: 1_500 };

const request = (messages: readonly unknown[], more: Json = {}): Json => ({
  ...{ model: "claude-opus-5", max_tokens: 100, messages, tools: [look] },
  ...more,
});

const AT = "messages.1.content.0";
const UNANSWERED = "messages.1: `tool_use` ids were found without `tool_result` blocks";
const words = (count: number): Json =>
  user(Array.from({ length: count }, (_, i) => `word${i}`).join(" "));

/** One for each family of rules; the words are how the API's refusal begins. */
const REFUSED: readonly [messages: readonly unknown[], more: Json, message: string][] = [
  [[hi], { tidemark: true }, "tidemark: Extra inputs are not permitted"],
  [[assistant("hi"), hi], {}, 'messages: first message must use the "user" role'],
  [[user("")], {}, "messages.0: all messages must have non-empty content except for the optional"],
  [[system("x"), hi], {}, "messages.0: role 'system' must follow a 'user' message or an"],
  [[hi, assistant("The answer is")], {}, "This model does not support assistant message prefill."],
  [called, {}, `${UNANSWERED} immediately after: a.`],
  [[...called, user([text("here"), result("a")])], {}, `${UNANSWERED} immediately after: a.`],
  [[user([result("a")])], {}, "messages.0.content.0: unexpected `tool_use_id` found in"],
  [seen, { tools: undefined }, "Requests which include `tool_use` or `tool_result` blocks must"],
  [
    [...called, user([result("a", { content: marked(4), ...mark })])],
    {},
    "A maximum of 4 blocks with cache_control may be provided. Found 5.",
  ],
  [[words(4_000)], {}, "prompt is too long: "],
  [[words(1_500)], { max_tokens: 2_000 }, "input length and `max_tokens` exceed context limit: "],
  [seen, manual, `${AT}.type: Expected \`thinking\` or \`redacted_thinking\``],
];

describe("the Messages API that adapters are held against", () => {
  it.each(REFUSED.map(([messages, more, message]) => [message, messages, more] as const))(
    "refuses: %s",
    (message, messages, more) => {
      expect(refusalOf(request(messages, more), info)?.message.slice(0, message.length)).toBe(
        message,
      );
    },
  );
});

it("refuses thinking whose words, signature, provider or bound prefix changed", async () => {
  const server = await startMessagesServer();
  const client = new Anthropic({ baseURL: server.url, apiKey: "test", maxRetries: 0 });
  for (const model of ["claude-sonnet-5-5", "claude-sonnet-4-6"]) {
    const first = {
      ...{ model, max_tokens: 2_000, system: "Be kind.", thinking: { type: "adaptive" as const } },
      messages: [{ role: "user" as const, content: "What is 2 + 2?" }],
    };
    const [thought, said] = (await client.messages.create(first)).content as [
      Anthropic.ThinkingBlock,
      Anthropic.TextBlock,
    ];
    const refused = async (block: object, more: object = {}, question = "What is 2 + 2?") =>
      client.messages
        .create({
          ...first,
          messages: [
            { role: "user", content: question },
            { role: "assistant", content: [block as Anthropic.ThinkingBlock, said] },
            { role: "user", content: "And 3 + 3?" },
          ],
          ...more,
        })
        .then(
          () => undefined,
          (error: unknown) => (error as { apiMessage: string }).apiMessage,
        );
    expect(await refused(thought)).toBeUndefined();
    const wrong = `${AT}: Invalid \`signature\` in \`thinking\` block`;
    const foreign = createSigner("another").sign(first, modelInfo(model), [
      { type: "thinking", thinking: "Hm." },
    ])[0];
    for (const block of [
      { ...thought, thinking: "Indeed." },
      { ...thought, signature: "EqQBCkYIBxgC" },
      foreign ?? {},
    ])
      expect(await refused(block)).toBe(wrong);
    const bound = model === "claude-sonnet-5-5";
    for (const [more, question, why] of [
      [{ system: "Be very kind." }, undefined, "The `system` prompt differs"],
      [{ tools: [look] }, undefined, "The `tools` differ"],
      [{}, "What is 2 + 3?", "The `messages` before the block differ"],
    ] as const) {
      const refusal = await refused(thought, more, question);
      if (!bound) expect(refusal).toBeUndefined();
      else expect(refusal).toContain(`${wrong}. The block is bound to a different conversation.`);
      if (bound) expect(refusal).toContain(why);
    }
  }
  await server.close();
});

describe("its cache", () => {
  const sonnet = modelInfo("claude-sonnet-4-6", { minimumCacheable: 1_024 });
  const rules = Array.from({ length: 500 }, (_, i) => `rule number ${i}`).join(", ");
  const sum = ({ input, write5m, write1h, read }: InputUsage) => input + write5m + write1h + read;

  it.each([
    ["5m", "write5m", 300_000],
    ["1h", "write1h", 3_600_000],
  ] as const)("writes a prefix once, reads it for %s after its last use", (ttl, write, life) => {
    const cache = new PromptCache();
    const one = {
      system: [text(rules, { cache_control: { type: "ephemeral", ttl } })],
      messages: [hi],
    };
    const two = { ...one, messages: [hi, assistant("hello"), user("and now?")] };
    const first = cache.book(one, sonnet, 0);
    expect([first.read, sum(first)]).toEqual([0, requestTokens(one)]);
    expect(first[write]).toBeGreaterThan(1_024);
    expect(cache.book(two, sonnet, life - 1)).toMatchObject({
      input: requestTokens(two) - first[write],
      read: first[write],
    });
    expect(cache.book(one, sonnet, 2 * life - 2).read).toBe(first[write]);
    expect(cache.book(one, sonnet, 3 * life).read).toBe(0);
  });
});
