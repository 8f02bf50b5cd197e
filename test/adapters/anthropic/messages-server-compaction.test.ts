import Anthropic from "@anthropic-ai/sdk";
import { describe, expect, it } from "vitest";
import { freshServer } from "../../support/anthropic.ts";
import {
  COMPACT_BETA,
  createSigner,
  type Json,
  modelInfo,
  refusalOf,
} from "../../support/messages-server/index.ts";

const MODEL = "claude-sonnet-5-5";
const info = modelInfo(MODEL);
const signer = createSigner("a secret");
const betas = [COMPACT_BETA];
const user = (content: unknown): Json => ({ role: "user", content });
const reply = (content: readonly Json[]): Json => ({ role: "assistant", content });
const request = (messages: readonly Json[], more: Json = {}): Json => ({
  model: MODEL,
  max_tokens: 1_000,
  system: "Be kind.",
  messages,
  ...more,
});
const asks = (messages: readonly Json[], more: Json = {}): Json =>
  request(messages, { compaction: { type: "summarize" }, ...more });
const judge = (body: Json, given: readonly string[] = betas) =>
  refusalOf(body, info, { betas: given, signer });

/** What the assistant thinks and says behind these messages. */
const thought = (messages: readonly Json[], text: string, more: Json = {}): Json =>
  reply(
    signer.sign(request(messages, more), info, [
      { type: "thinking", thinking: `Of ${text}.` },
      { type: "text", text },
    ]),
  );
const blockOf = (messages: readonly Json[], more: Json = {}, model = info): Json =>
  signer.signCompaction(request(messages, more), model, "They spoke of tides.");

/** Four turns, each reply made behind all that stands before it. */
function talk(): Json[] {
  const messages: Json[] = [];
  for (const words of ["one", "two", "three", "four"]) {
    messages.push(user(words));
    messages.push(thought(messages, `You said ${words}.`));
  }
  return [...messages, user("five")];
}

describe("a summary by the server", () => {
  it("stands first in place of what it summarizes, and what was thought behind that stays valid", () => {
    const messages = talk();
    const block = reply([blockOf(messages.slice(0, 3))]);
    expect(judge(request([block, ...messages.slice(3)]))).toBeUndefined();
    const later = [block, ...messages.slice(3)];
    const more = [...later, thought(later, "Behind the summary."), user("six")];
    expect(judge(request(more))).toBeUndefined();
    // A second summary over the first, and both kinds of thought kept behind it.
    const second = reply([blockOf(more.slice(0, 4))]);
    expect(judge(request([second, ...more.slice(4)]))).toBeUndefined();
    expect(judge(request([...messages.slice(0, 9), ...more.slice(-2)]))?.message).toMatch(
      /bound to a different conversation/,
    );
  });

  it("does not make valid what stands elsewhere, under other instructions or tools, or behind another model's summary", () => {
    const messages = talk();
    const block = reply([blockOf(messages.slice(0, 3))]);
    const strange = /bound to a different conversation/;
    expect(judge(request([block, ...messages.slice(5)]))?.message).toMatch(strange);
    expect(judge(request([block, user("new"), ...messages.slice(3)]))?.message).toMatch(strange);
    expect(judge(request([block, ...messages.slice(3)], { system: "Be brief." }))?.message).toMatch(
      strange,
    );
    expect(
      judge(request([block, ...messages.slice(3)], { tools: [{ name: "look", input_schema: {} }] }))
        ?.message,
    ).toMatch(strange);
    expect(
      judge(
        request([
          reply([
            blockOf(
              messages.slice(0, 3),
              {},
              modelInfo("claude-opus-4-8", { boundThinking: false }),
            ),
          ]),
          ...messages.slice(3),
        ]),
      )?.message,
    ).toMatch(strange);
    // Cut behind a reply: the first message kept is the user's own, but so was not the last one summarized.
    expect(
      judge(request([reply([blockOf(messages.slice(0, 4))]), ...messages.slice(4)])),
    ).toBeUndefined();
  });

  it.each<[string, (block: Json) => readonly Json[], string]>([
    ["twice", (block) => [reply([block]), reply([block]), user("x")], "compaction_block_ambiguous"],
    [
      "behind another message",
      (block) => [user("x"), reply([block]), user("y")],
      "compaction_block_misplaced",
    ],
    [
      "behind another block",
      (block) => [reply([{ type: "text", text: "Hm." }, block]), user("y")],
      "compaction_block_misplaced",
    ],
    [
      "with other words",
      (block) => [reply([{ ...block, content: "Another tale." }]), user("y")],
      "compaction_content_mismatch",
    ],
    [
      "with other tool changes",
      (block) => [reply([{ ...block, tool_changes: [{ type: "tool_removal" }] }]), user("y")],
      "compaction_tool_changes_mismatch",
    ],
    [
      "signed by nobody",
      (block) => [reply([{ ...block, signature: "abc.def" }]), user("y")],
      "compaction_signature_invalid",
    ],
  ])("is refused %s", (_name, build, code) => {
    const messages = build(blockOf(talk().slice(0, 3)));
    expect(
      judge(
        request(
          code === "compaction_block_misplaced" && messages[0]?.role === "assistant"
            ? [...messages]
            : messages,
        ),
      )?.code,
    ).toBe(code);
  });

  it("is refused without a beta, and taken for nothing when it holds nothing", () => {
    expect(judge(request([reply([blockOf(talk().slice(0, 3))]), user("x")]), [])?.message).toMatch(
      /require a beta/,
    );
    expect(
      judge(
        request([
          reply([
            { type: "compaction", content: null },
            { type: "text", text: "On." },
          ]),
          user("x"),
        ]),
      ),
    ).toBeUndefined();
  });
});

describe("a compaction request", () => {
  it.each<[string, Json, string]>([
    [
      "of a model that has none",
      asks([user("x")], { model: "claude-sonnet-4-5" }),
      "not supported",
    ],
    [
      "with context_management",
      asks([user("x")], { context_management: { edits: [] } }),
      "context_management",
    ],
    ["with stop sequences", asks([user("x")], { stop_sequences: ["END"] }), "stop_sequences"],
    [
      "with a format",
      asks([user("x")], { output_config: { format: { type: "json_schema" } } }),
      "structured output",
    ],
    [
      "with a forced tool",
      asks([user("x")], {
        tools: [{ name: "look", input_schema: {} }],
        tool_choice: { type: "any" },
      }),
      "tool_choice",
    ],
    [
      "with a budget under way",
      asks([user("x")], {
        output_config: { task_budget: { type: "tokens", total: 20_000, remaining: 5 } },
      }),
      "task_budget.remaining",
    ],
    ["of another kind", asks([user("x")], { compaction: { type: "forget" } }), "expected tags"],
    [
      "that ends on an open call",
      asks([user("x"), reply([{ type: "tool_use", id: "a", name: "look", input: {} }])]),
      "not finished",
    ],
  ])("is refused %s", (_name, body, message) => {
    expect(refusalOf(body, modelInfo(String(body.model)), { betas, signer })?.message).toContain(
      message,
    );
  });

  it("is refused where nothing is left to summarize, and without the beta", () => {
    expect(judge(asks([reply([blockOf(talk().slice(0, 3))])]))?.code).toBe(
      "compaction_nothing_to_summarize",
    );
    expect(judge(asks([user("x")]), ["some-other-beta"])?.message).toBe(
      "compaction: Extra inputs are not permitted",
    );
  });

  it("may end on the assistant's finished words", () => {
    expect(judge(asks([user("x"), reply([{ type: "text", text: "Yes." }])]))).toBeUndefined();
  });

  it("is answered through the SDK by one signed block, and by its own errors", async () => {
    const server = await freshServer();
    const client = new Anthropic({ baseURL: server.url, apiKey: "test", maxRetries: 0 });
    const ask = () =>
      client.beta.messages.create({
        model: MODEL,
        max_tokens: 1_000,
        messages: [{ role: "user", content: "The tide turns at six." }],
        compaction: { type: "summarize" },
        betas,
      });
    const message = await ask();
    expect(message).toMatchObject({
      stop_reason: "compaction",
      content: [
        {
          type: "compaction",
          content: expect.stringContaining("The tide turns at six."),
          tool_changes: [],
        },
      ],
    });
    await client.beta.messages.create({
      model: MODEL,
      max_tokens: 10,
      messages: [
        { role: "assistant", content: message.content as Anthropic.Beta.BetaContentBlockParam[] },
        { role: "user", content: "And now?" },
      ],
      betas,
    });
    server.script({ compact: "unavailable" });
    await expect(ask()).rejects.toMatchObject({ errorCode: "compaction_unavailable" });
    server.script({ compact: "too_many_tool_references" });
    await expect(ask()).rejects.toBeInstanceOf(Anthropic.CompactionTooManyToolReferencesError);
    for (const stop of ["max_tokens", "refusal", "end_turn"] as const) {
      server.script({ compact: stop });
      expect(await ask()).toMatchObject({ stop_reason: stop, content: [{ type: "text" }] });
    }
    server.script({ compact: "null" });
    expect(await ask()).toMatchObject({
      stop_reason: "compaction",
      content: [{ type: "compaction", content: null }],
    });
  });
});
