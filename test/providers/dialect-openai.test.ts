import { describe, expect, it } from "vitest";
import { dialectFor } from "../../src/providers/detect.ts";
import { openaiChat } from "../../src/providers/openai/chat.ts";
import type { Message } from "../../src/core/request.ts";

const user = (content: unknown, more: object = {}): Message => ({ role: "user", content, ...more });
const says = (content: unknown, more: object = {}): Message => ({
  role: "assistant",
  content,
  ...more,
});
const call = (id: string, name = "read", args = "{}") => ({
  id,
  type: "function",
  function: { name, arguments: args },
});
const tool = (id: string, content: unknown = "done", more: object = {}): Message => ({
  role: "tool",
  tool_call_id: id,
  content,
  ...more,
});
const image = (url: string) => ({ type: "image_url", image_url: { url } });

describe("reading OpenAI chat messages", () => {
  it("reads calls of all three forms, arguments as the value they stand for", () => {
    const calls = [
      call("a", "read", '{"path":"x"}'),
      { id: "b", type: "custom", custom: { name: "patch", input: '{"not":"parsed"}' } },
      call("c", "bad", "{cut"),
    ];
    expect(openaiChat.calls(says(null, { tool_calls: calls }))).toEqual([
      { id: "a", name: "read", input: { path: "x" }, server: false },
      { id: "b", name: "patch", input: '{"not":"parsed"}', server: false },
      { id: "c", name: "bad", input: "{cut", server: false },
    ]);
    expect(openaiChat.calls(says(null, { function_call: { name: "f", arguments: "{}" } }))).toEqual(
      [{ id: "f", name: "f", input: {}, server: false }],
    );
  });
  it("reads results, the list form of their id included", () => {
    expect(
      openaiChat.results(
        tool("a", [
          { type: "text", text: "x" },
          { type: "text", text: "y" },
        ]),
      ),
    ).toEqual([{ id: "a", text: "x\ny", failed: false, server: false }]);
    expect(openaiChat.results({ role: "tool", tool_call_ids: ["a"], content: "x" })[0]?.id).toBe(
      "a",
    );
    expect(openaiChat.text(tool("a", "hidden"))).toBe("");
  });
  it("takes a refusal for the assistant's words", () => {
    expect(openaiChat.text(says(null, { refusal: "I cannot." }))).toBe("I cannot.");
    expect(openaiChat.text(says([{ type: "refusal", refusal: "I cannot." }]))).toBe("I cannot.");
  });
  it("weighs media by their bytes, never as text", () => {
    const message = user([
      { type: "text", text: "look" },
      image("data:image/png;base64,iVBO"),
      image("https://e.org/a.png"),
      { type: "input_audio", input_audio: { data: "UklG", format: "wav" } },
      { type: "file", file: { filename: "a.pdf", file_data: "data:application/pdf;base64,JVBE" } },
    ]);
    expect(openaiChat.pieces(message)).toEqual([
      { kind: "text", text: "look" },
      { kind: "image", data: "iVBO", mediaType: "image/png" },
      { kind: "image" },
      { kind: "document", data: "UklG", mediaType: "audio/wav" },
      { kind: "text", text: "a.pdf" },
      { kind: "document", data: "JVBE", mediaType: "application/pdf" },
    ]);
  });
});

describe("seams and instructions of OpenAI chat", () => {
  const messages = [
    { role: "system", content: "s" },
    { role: "developer", content: "d" },
    user("go"),
    says(null, { tool_calls: [call("a"), call("b")] }),
    tool("a"),
    tool("b"),
    { role: "system", content: "mid" },
    says("ok"),
  ];
  it("joins ours to the first of the leading instructions", () => {
    expect(openaiChat.preamble(messages)).toBe(2);
    const appended = openaiChat.appendSystem({ messages }, "ours");
    expect(appended.messages).toEqual([
      { role: "system", content: "s\n\nours" },
      ...messages.slice(1),
    ]);
    const parts = [{ type: "text", text: "s" }];
    expect(
      openaiChat.appendSystem({ messages: [{ role: "developer", content: parts }] }, "ours")
        .messages,
    ).toEqual([{ role: "developer", content: [...parts, { type: "text", text: "ours" }] }]);
    expect(openaiChat.appendSystem({ messages: [user("hi")] }, "ours").messages[0]).toEqual({
      role: "system",
      content: "ours",
    });
    const request = { messages };
    expect(openaiChat.appendSystem(request, "")).toBe(request);
  });
  it("leaves out only reasoning that is bound to what stood before", () => {
    const plain = says("hi", { reasoning_content: "hm" });
    expect(openaiChat.withoutThinking(plain)).toBe(plain);
    expect(
      openaiChat.withoutThinking(
        says("", { reasoning_details: [{ type: "reasoning.encrypted", data: "x" }] }),
      ),
    ).toEqual(says("(thinking left out)"));
  });
});

describe("a reply of OpenAI chat", () => {
  const message = says("hi", { refusal: null });
  const usage = {
    prompt_tokens: 100,
    completion_tokens: 5,
    prompt_tokens_details: { cached_tokens: 60, cache_write_tokens: 10 },
  };
  it("is the first choice's message, cached tokens counted once", () => {
    const read = { input: 30, cacheWrite: 10, cacheRead: 60, output: 5 };
    expect(openaiChat.reply({ choices: [{ message, finish_reason: "stop" }], usage })).toEqual({
      message,
      usage: read,
      stop: "stop",
    });
    expect(openaiChat.reply({ reply: message, usage })).toEqual({ message, usage: read });
    expect(openaiChat.reply(message)?.message).toBe(message);
    expect(
      openaiChat.reply({ choices: [{ message }], usage: { prompt_tokens: 7 } })?.usage,
    ).toEqual({ input: 7, cacheWrite: 0, cacheRead: 0, output: 0 });
  });
  it.each([
    [null],
    ["hi"],
    [{ choices: [] }],
    [{ error: {} }],
    [{ choices: [{ message: { role: "user", content: "x" } }] }],
  ])("is none: %j", (value) => {
    expect(openaiChat.reply(value)).toBeUndefined();
  });
});

describe("telling the formats apart", () => {
  it.each([
    ["anthropic", { messages: [user("hi")] }],
    ["anthropic", { messages: [user("hi")], system: "s" }],
    ["anthropic", { messages: [user([{ type: "tool_result", tool_use_id: "a", content: "x" }])] }],
    [
      "anthropic",
      { messages: [user("hi")], tools: [{ name: "read", input_schema: { type: "object" } }] },
    ],
    ["anthropic", { messages: [user("hi"), { role: "system", content: "mid" }] }],
    ["openai-chat", { messages: [{ role: "system", content: "s" }, user("hi")] }],
    ["openai-chat", { messages: [{ role: "developer", content: "s" }] }],
    ["openai-chat", { messages: [user("hi"), says(null, { tool_calls: [call("a")] }), tool("a")] }],
    ["openai-chat", { messages: [user([image("https://e.org/a.png")])] }],
    [
      "openai-chat",
      { messages: [user("hi")], tools: [{ type: "function", function: { name: "read" } }] },
    ],
    ["openai-chat", { messages: [user("hi")], max_completion_tokens: 100 }],
  ])("%s: %j", (format, request) => expect(dialectFor(request).format).toBe(format));
  it("believes the host before the shape, and names what it knows when the host names something else", () => {
    expect(dialectFor({ messages: [{ role: "developer" }] }, "anthropic").format).toBe("anthropic");
    expect(() => dialectFor({ messages: [] }, "ollama" as "anthropic")).toThrow(
      /^format must be "anthropic" or "openai-chat" or .*"gemini".*, got "ollama"\.$/,
    );
  });
});
