import { describe, expect, it } from "vitest";
import { anthropic } from "../../src/providers/anthropic/messages.ts";
import type { Message } from "../../src/core/request.ts";

const user = (content: unknown): Message => ({ role: "user", content });
const assistant = (content: unknown): Message => ({ role: "assistant", content });
const text = (words: string) => ({ type: "text", text: words });
const use = (id: string, name = "read", input: unknown = {}) => ({
  type: "tool_use",
  id,
  name,
  input,
});
const result = (id: string, content: unknown = "done", more: object = {}) => ({
  type: "tool_result",
  tool_use_id: id,
  content,
  ...more,
});
const png = (data = "iVBORw0KGgoAAAANSUhEUg==") => ({
  type: "image",
  source: { type: "base64", media_type: "image/png", data },
});

describe("who speaks", () => {
  it.each([
    ["tool", user([result("a"), result("b")])],
    ["tool", user([result("a"), text("  ")])],
    ["user", user([result("a"), text("and hurry")])],
    ["user", user([result("a"), png()])],
    ["user", user("hi")],
    ["user", user([])],
    ["assistant", assistant([use("a")])],
    ["system", { role: "system", content: "new rules" }],
  ])("%s: %j", (speaker, message) => expect(anthropic.speaker(message)).toBe(speaker));
});

describe("what a message holds", () => {
  it("reads calls of all families, telling the provider's own apart", () => {
    const blocks = [
      use("a", "read", { path: "x" }),
      { type: "server_tool_use", id: "s", name: "web_search", input: {} },
      { type: "mcp_tool_use", id: "m", name: "find", server_name: "crm", input: {} },
    ];
    expect(anthropic.calls(assistant(blocks))).toEqual([
      { id: "a", name: "read", input: { path: "x" }, server: false },
      { id: "s", name: "web_search", input: {}, server: true },
      { id: "m", name: "find", input: {}, server: true },
    ]);
  });
  it.each([
    [result("a", "plain"), "plain", false],
    [result("a", [text("one"), png(), text("two")]), "one\ntwo", false],
    [result("a", "no such file", { is_error: true }), "no such file", true],
    [
      result("a", [
        { type: "search_result", source: "kb://1", title: "Tides", content: [text("twice a day")] },
      ]),
      "kb://1\nTides\ntwice a day",
      false,
    ],
    [result("a", null), "", false],
    [
      {
        type: "web_search_tool_result",
        tool_use_id: "a",
        content: [
          { type: "web_search_result", title: "T", url: "https://e.org", encrypted_content: "Eqg" },
        ],
      },
      "T\nhttps://e.org",
      false,
    ],
    [
      {
        type: "web_search_tool_result",
        tool_use_id: "a",
        content: { type: "web_search_tool_result_error", error_code: "unavailable" },
      },
      "unavailable",
      true,
    ],
    [
      {
        type: "web_fetch_tool_result",
        tool_use_id: "a",
        content: {
          type: "web_fetch_result",
          url: "https://e.org",
          content: {
            type: "document",
            source: { type: "base64", media_type: "application/pdf", data: "JVBERi0=" },
          },
        },
      },
      "https://e.org",
      false,
    ],
  ])("reads of a result what a person would: %j", (block, words, failed) => {
    expect(anthropic.results(user([block]))).toEqual([
      { id: "a", text: words, failed, server: block.type !== "tool_result" },
    ]);
  });
  it("takes words from text and compaction blocks, not from thinking, calls or results", () => {
    const message = assistant([
      { type: "compaction", content: "Earlier: tides." },
      { type: "thinking", thinking: "hm", signature: "s" },
      text("One."),
      use("a", "read", { x: "hidden" }),
      text("Two."),
    ]);
    expect(anthropic.text(message)).toBe("Earlier: tides.\nOne.\nTwo.");
    expect(anthropic.text(user([result("a", "hidden")]))).toBe("");
  });
  it("weighs a block of tomorrow by its JSON without what is encoded", () => {
    const data = "A".repeat(400);
    const pieces = anthropic.pieces(
      user([
        {
          type: "hologram",
          angle: 30,
          source: { type: "base64", media_type: "image/x", data },
          raw: data,
          url: `data:audio/wav;base64,${data}`,
        },
      ]),
    );
    expect(pieces[0]).toEqual({
      kind: "text",
      text: '{"type":"hologram","angle":30,"source":{"type":"base64","media_type":"image/x"}}',
    });
    expect(
      pieces
        .slice(1)
        .map(({ kind }) => kind)
        .sort(),
    ).toEqual(["document", "document", "image"]);
  });
});

describe("the canonical form", () => {
  it("tells swapped results of parallel calls apart, whatever the ids are", () => {
    const ask = (a: string, b: string) => assistant([use(a), use(b)]);
    const canon = (messages: Message[]) => anthropic.canon(messages, 1);
    const straight = canon([ask("a", "b"), user([result("a", "x"), result("b", "y")])]);
    expect(canon([ask("1", "2"), user([result("1", "x"), result("2", "y")])])).toBe(straight);
    expect(canon([ask("a", "b"), user([result("b", "x"), result("a", "y")])])).not.toBe(straight);
    expect(canon([assistant("no calls"), user([result("a", "x"), result("b", "y")])])).not.toBe(
      straight,
    );
  });
});

describe("what is built", () => {
  const ours = { type: "text", text: "ours" };
  it("puts ours after the caller's system text, and touches nothing when there is nothing to add", () => {
    const request = { messages: [user("hi")], model: "m" };
    expect(anthropic.appendSystem(request, "")).toBe(request);
    expect(anthropic.appendSystem(request, "ours").system).toEqual([ours]);
    expect(anthropic.appendSystem({ ...request, system: "theirs" }, "ours").system).toEqual([
      text("theirs"),
      ours,
    ]);
    const blocks = [{ ...text("theirs"), cache_control: { type: "ephemeral" } }];
    expect(anthropic.appendSystem({ ...request, system: blocks }, "ours").system).toEqual([
      ...blocks,
      ours,
    ]);
    expect(anthropic.appendSystem(request, "ours").messages).toBe(request.messages);
  });
  it("leaves thinking out without leaving a message empty", () => {
    const thought = { type: "thinking", thinking: "hm", signature: "s" };
    expect(anthropic.withoutThinking(assistant([thought, text("hi")])).content).toEqual([
      text("hi"),
    ]);
    expect(
      anthropic.withoutThinking(assistant([thought, { type: "redacted_thinking", data: "x" }]))
        .content,
    ).toEqual([text("(thinking left out)")]);
    const plain = assistant([text("hi")]);
    expect(anthropic.withoutThinking(plain)).toBe(plain);
  });
  it("shortens results where they are text and leaves the rest of them alone", () => {
    const message = user([
      result("a", "a long result", { is_error: true }),
      result("b", [text("another long result"), png()]),
      text("a long question"),
    ]);
    const short = anthropic.shortenResults(message, (words, id) => `${words.slice(0, 7)}… ${id}`);
    expect(short.content).toEqual([
      result("a", "a long … a", { is_error: true }),
      result("b", [text("another… b"), png()]),
      text("a long question"),
    ]);
    expect(anthropic.shortenResults(message, (words) => words)).toBe(message);
    const sealed = assistant([
      {
        type: "web_fetch_tool_result",
        tool_use_id: "s",
        content: {
          type: "web_fetch_result",
          url: "u",
          content: { type: "document", source: { type: "text", data: "long" } },
        },
      },
    ]);
    expect(anthropic.shortenResults(sealed, () => "x")).toBe(sealed);
  });
});

describe("a reply", () => {
  const content = [text("hi")];
  const message = {
    id: "msg_1",
    type: "message",
    role: "assistant",
    model: "m",
    content,
    stop_reason: "end_turn",
    usage: {
      input_tokens: 10,
      cache_creation_input_tokens: null,
      cache_read_input_tokens: 90,
      output_tokens: 5,
    },
  };
  it("becomes the message a caller pushes back, with its usage", () => {
    expect(anthropic.reply(message)).toEqual({
      message: assistant(content),
      usage: { input: 10, cacheWrite: 0, cacheRead: 90, output: 5 },
      stop: "end_turn",
    });
    expect(anthropic.reply({ reply: assistant(content), usage: message.usage })).toEqual({
      message: assistant(content),
      usage: { input: 10, cacheWrite: 0, cacheRead: 90, output: 5 },
    });
    expect(anthropic.reply(assistant("hi"))).toEqual({ message: assistant("hi") });
  });
  it("takes the window's size from the last sampling, not from a compaction", () => {
    const sampling = (type: string, input: number) => ({
      type,
      input_tokens: input,
      cache_creation_input_tokens: 0,
      cache_read_input_tokens: 0,
      output_tokens: 1,
      cache_creation: null,
    });
    const usage = {
      ...message.usage,
      input_tokens: 999,
      iterations: [
        sampling("message", 700),
        sampling("compaction", 180_000),
        sampling("message", 200),
        sampling("advisor_message", 50),
      ],
    };
    expect(anthropic.reply({ ...message, usage })?.usage).toEqual({
      input: 200,
      cacheWrite: 0,
      cacheRead: 0,
      output: 1,
    });
  });
  it.each([
    [undefined],
    [null],
    ["hi"],
    [{ type: "error", error: {} }],
    [{ role: "user", content: "x" }],
    [{ choices: [] }],
    [{ reply: null }],
  ])("is none: %j", (value) => {
    expect(anthropic.reply(value)).toBeUndefined();
  });
});
