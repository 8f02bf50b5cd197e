import { describe, expect, it } from "vitest";
import {
  type Json,
  modelInfo,
  refusalOf,
  type RefusalOptions,
} from "../../support/messages-server/index.ts";

const info = modelInfo("claude-opus-5", { max_input_tokens: 4_000, max_tokens: 2_000 });
const old = modelInfo("claude-sonnet-4-5");
const user = (content: unknown): Json => ({ role: "user", content });
const assistant = (content: unknown): Json => ({ role: "assistant", content });
const system = (content: unknown): Json => ({ role: "system", content });
const text = (words: string, more: Json = {}): Json => ({ type: "text", text: words, ...more });
const call = (id: string, more: Json = {}): Json => ({
  type: "tool_use",
  id,
  name: "look",
  input: {},
  ...more,
});
const result = (id: string, more: Json = {}): Json => ({
  type: "tool_result",
  tool_use_id: id,
  content: "seen",
  ...more,
});
const search = (id: string): Json => ({
  type: "server_tool_use",
  id,
  name: "web_search",
  input: { query: "x" },
});
const found = (id: string): Json => ({
  type: "web_search_tool_result",
  tool_use_id: id,
  content: [],
});
const asked = (id: string): Json => ({
  type: "mcp_tool_use",
  id,
  name: "read",
  server_name: "docs",
  input: {},
});
const told = (id: string): Json => ({
  type: "mcp_tool_result",
  tool_use_id: id,
  content: "x",
  is_error: false,
});
const look = { name: "look", input_schema: { type: "object" } };
const mark = { cache_control: { type: "ephemeral" } };
const thinking = { type: "thinking", thinking: "Hm.", signature: "s" };

const request = (messages: readonly Json[], more: Json = {}): Json => ({
  model: "claude-opus-5",
  max_tokens: 100,
  messages,
  tools: [look],
  ...more,
});
const judge = (messages: readonly Json[], more: Json = {}, options: RefusalOptions = {}) =>
  refusalOf(request(messages, more), info, options)?.message;
const hi = user("hi");

describe("what is accepted", () => {
  it.each<[string, readonly Json[], Json?]>([
    ["a question", [hi]],
    [
      "blocks and null fields as the SDK sends them back",
      [
        hi,
        assistant([text("yes", { citations: null })]),
        user([text("go on", { cache_control: null })]),
      ],
    ],
    [
      "a call with its result and words behind it",
      [hi, assistant([text("wait"), call("a")]), user([result("a"), text("and now?")])],
    ],
    [
      "parallel calls, answered in any order",
      [
        hi,
        assistant([call("a"), call("b")]),
        user([result("b"), result("a", { is_error: true, content: [text("no")] })]),
      ],
    ],
    [
      "results without content, and with an empty part",
      [
        hi,
        assistant([call("a"), call("b")]),
        user([{ type: "tool_result", tool_use_id: "a" }, result("b", { content: [text("")] })]),
      ],
    ],
    [
      "messages of one role in a row, which make one turn",
      [
        hi,
        user("hello?"),
        assistant([call("a")]),
        assistant([call("b")]),
        user([result("a")]),
        user([result("b")]),
      ],
    ],
    ["a blank text beside a written one", [hi, assistant([text("\n"), text("yes")]), user("ok")]],
    [
      "a server tool with its result",
      [hi, assistant([search("s"), found("s"), text("found")]), user("ok")],
    ],
    [
      "a server tool answered after a pause",
      [hi, assistant([search("s")]), assistant([found("s"), text("found")]), user("ok")],
    ],
    ["a paused turn at the end", [hi, assistant([text("wait"), search("s")])]],
    [
      "a server tool that waits for the client's results",
      [
        hi,
        assistant([search("s"), call("a")]),
        user([result("a")]),
        assistant([found("s"), text("done")]),
        user("ok"),
      ],
    ],
    [
      "an MCP call with its result",
      [hi, assistant([asked("m"), told("m"), text("done")]), user("ok")],
    ],
    [
      "system messages behind the user's turn or results",
      [
        hi,
        system("be brief"),
        assistant([call("a")]),
        user([result("a")]),
        system("now"),
        system("here"),
      ],
    ],
    [
      "four marks",
      [user([text("a", mark), text("b", mark)])],
      { system: [text("c", mark)], tools: [{ ...look, ...mark }] },
    ],
    [
      "a third mark that the top level adds",
      [user([text("a", mark), text("b")])],
      { cache_control: { type: "ephemeral", ttl: "5m" } },
    ],
  ])("%s", (_name, messages, more) => {
    expect(judge(messages, more)).toBeUndefined();
  });

  it("a prefill, where the model takes one", () => {
    expect(refusalOf(request([hi, assistant("The answer is (")]), old)).toBeUndefined();
  });

  it("beta parameters with a beta header", () => {
    expect(
      judge(
        [hi],
        { context_management: { edits: [] } },
        { betas: ["context-management-2025-06-27"] },
      ),
    ).toBeUndefined();
  });
});

describe("parameters", () => {
  it.each<[string, Json, string]>([
    ["no model", { model: undefined }, "model: Field required"],
    ["no max_tokens", { max_tokens: undefined }, "max_tokens: Field required"],
    [
      "max_tokens of nothing",
      { max_tokens: 0 },
      "max_tokens: Input should be greater than or equal to 1",
    ],
    [
      "max_tokens above the model's",
      { max_tokens: 2_001 },
      "max_tokens: 2001 > 2000, which is the maximum allowed number of output tokens for claude-opus-5",
    ],
    ["a parameter nobody knows", { tidemark: true }, "tidemark: Extra inputs are not permitted"],
    [
      "a beta parameter without a beta header",
      { context_management: {} },
      "context_management: Extra inputs are not permitted",
    ],
    ["no messages at all", { messages: undefined }, "messages: Field required"],
    ["two tools of one name", { tools: [look, look] }, "tools: Tool names must be unique."],
    [
      "a tool without a schema",
      { tools: [{ name: "look" }] },
      "tools.0.custom.input_schema: Field required",
    ],
    [
      "a tool with a bad name",
      { tools: [{ ...look, name: "look here" }] },
      "tools.0.custom.name: String should match pattern '^[a-zA-Z0-9_-]{1,128}$'",
    ],
    [
      "a choice of an absent tool",
      { tool_choice: { type: "tool", name: "jump" } },
      "Tool 'jump' not found in provided tools",
    ],
    [
      "a choice without tools",
      { tools: [], tool_choice: { type: "any" } },
      "tool_choice: tool_choice may only be specified while providing tools.",
    ],
    [
      "a blank stop sequence",
      { stop_sequences: ["\n"] },
      "stop_sequences: each stop sequence must contain non-whitespace",
    ],
    [
      "an empty system block",
      { system: [text("")] },
      "system: text content blocks must be non-empty",
    ],
    [
      "a stranger in the system",
      { system: [{ type: "image" }] },
      "system.0: Input tag 'image' found using 'type' does not match any of the expected tags: 'text'",
    ],
  ])("%s", (_name, more, message) => {
    expect(judge([hi], more)).toBe(message);
  });

  it("something that is no object", () => {
    expect(refusalOf("hi", info)?.message).toBe("Input should be a valid dictionary");
  });
});

const EMPTY = "messages: text content blocks must be non-empty";
const BLANK = "messages: text content blocks must contain non-whitespace text";
const FORM =
  "; the directive-only form (content: [] with output_config) is accepted at any position";
const MUST_FOLLOW = `role 'system' must follow a 'user' message or an 'assistant' message ending in a server tool result${FORM}`;
const MUST_PRECEDE = `role 'system' must precede an 'assistant' message or end the array${FORM}`;

describe("messages", () => {
  it.each<[string, readonly unknown[], string]>([
    ["none", [], "messages: at least one message is required"],
    [
      "the assistant first",
      [assistant("hi"), hi],
      'messages: first message must use the "user" role',
    ],
    [
      "an unknown role",
      [{ role: "tool", content: "x" }],
      "messages.0.role: Input should be 'user', 'assistant' or 'system'",
    ],
    ["a key of one's own", [{ ...hi, id: "m1" }], "messages.0.id: Extra inputs are not permitted"],
    ["no content", [{ role: "user" }], "messages.0.content: Field required"],
    [
      "an empty string",
      [user("")],
      "messages.0: all messages must have non-empty content except for the optional final assistant message",
    ],
    [
      "an empty list",
      [hi, assistant([]), hi],
      "messages.1: all messages must have non-empty content except for the optional final assistant message",
    ],
    ["an empty text", [user([text(""), text("hi")])], EMPTY],
    ["a blank string", [user(" \n")], BLANK],
    [
      "nothing but blank texts",
      [hi, assistant([text("\n"), call("a")]), user([result("a")])],
      BLANK,
    ],
    ["a system message first", [system("x"), hi], `messages.0: ${MUST_FOLLOW}`],
    [
      "a system message after the assistant",
      [hi, assistant("x"), system("y"), user("z")],
      `messages.2: ${MUST_FOLLOW}`,
    ],
    [
      "a system message before the user",
      [hi, system("y"), system("w"), user("z")],
      `messages.1: ${MUST_PRECEDE}`,
    ],
    [
      "a picture in a system message",
      [hi, system([{ type: "image", source: {} }])],
      "messages.1.content.0: role 'system' messages may only contain text blocks",
    ],
    [
      "clear_at without its beta",
      [hi, { ...system("x"), clear_at: "next_user_message" }],
      "messages.1.clear_at: Extra inputs are not permitted",
    ],
    [
      "a prefill the model does not take",
      [hi, assistant("The answer is")],
      "This model does not support assistant message prefill. The conversation must end with a user message.",
    ],
  ])("%s", (_name, messages, message) => {
    expect(judge(messages as Json[])).toBe(message);
  });

  it("a system message on a model that has none", () => {
    expect(refusalOf(request([hi, system("x")]), old)?.message).toBe(
      "role 'system' is not supported on this model",
    );
  });

  it("a prefill that ends in whitespace", () => {
    expect(refusalOf(request([hi, assistant("The answer is ")]), old)?.message).toBe(
      "messages: final assistant content cannot end with trailing whitespace",
    );
  });
});

describe("blocks", () => {
  it.each<[string, readonly Json[], string | RegExp]>([
    [
      "of an unknown type",
      [user([{ type: "hologram" }])],
      /^messages\.0\.content\.0: Input tag 'hologram' found using 'type' does not match any of the expected tags: 'text', /,
    ],
    [
      "with a key of one's own",
      [user([text("x", { tidemark: 1 })])],
      "messages.0.content.0.text.tidemark: Extra inputs are not permitted",
    ],
    [
      "of thinking with a cache mark",
      [hi, assistant([{ ...thinking, ...mark }, text("x")]), hi],
      "messages.1.content.0.thinking.cache_control: Extra inputs are not permitted",
    ],
    [
      "of empty text with a cache mark",
      [user([text("x"), text("", mark)])],
      "messages.0.content.1.text: cache_control cannot be set for empty text blocks",
    ],
    [
      "of a call by the user",
      [user([call("a")])],
      "messages.0.content.0: `tool_use` blocks can only be in `assistant` messages",
    ],
    [
      "of thinking by the user",
      [user([thinking])],
      "messages.0.content.0: `thinking` blocks can only be in `assistant` messages",
    ],
    [
      "of a result by the assistant",
      [hi, assistant([result("a")])],
      "messages.1.content.0: `tool_result` blocks can only be in `user` messages",
    ],
    [
      "of a call with an id no tool may have",
      [hi, assistant([call("a:1")])],
      "messages.1.content.0.tool_use.id: String should match pattern '^[a-zA-Z0-9_-]+$'",
    ],
    [
      "of a call whose input is text",
      [hi, assistant([call("a", { input: "{}" })])],
      "messages.1.content.0.tool_use.input: Input should be a valid dictionary",
    ],
    [
      "of a call inside a result",
      [hi, assistant([call("a")]), user([result("a", { content: [call("b")] })])],
      /^messages\.2\.content\.0\.tool_result\.content\.0: Input tag 'tool_use'/,
    ],
    [
      "of thinking at the end of a message",
      [hi, assistant([text("x"), thinking]), hi],
      "messages.1: The final block in an assistant message cannot be `thinking`.",
    ],
    [
      "of thinking behind a call",
      [hi, assistant([call("a"), thinking, text("x")]), user([result("a")])],
      /^messages\.1\.content\.1: `thinking` or `redacted_thinking` blocks in the latest assistant message cannot be modified/,
    ],
  ])("%s", (_name, messages, message) => {
    expect(judge(messages)).toEqual(
      typeof message === "string" ? message : expect.stringMatching(message),
    );
  });
});

const unanswered = (at: number, ids: string) =>
  `messages.${at}: \`tool_use\` ids were found without \`tool_result\` blocks immediately after: ${ids}. Each \`tool_use\` block must have a corresponding \`tool_result\` block in the next message.`;
const unexpected = (place: string, id: string) =>
  `messages.${place}: unexpected \`tool_use_id\` found in \`tool_result\` blocks: ${id}. Each \`tool_result\` block must have a corresponding \`tool_use\` block in the previous message.`;
const orphan = (place: string, type: string, id: string, of: string) =>
  `messages.${place}: unexpected \`tool_use_id\` found in \`${type}\` blocks: ${id}. Each \`${type}\` block must have a corresponding \`${of}\` block before it.`;

describe("calls and results", () => {
  it.each<[string, readonly Json[], string]>([
    [
      "a call nobody answers",
      [hi, assistant([call("a"), call("b")]), user("never mind")],
      unanswered(1, "a, b"),
    ],
    ["a call at the end", [hi, assistant([call("a")])], unanswered(1, "a")],
    [
      "one of two answered",
      [hi, assistant([call("a"), call("b")]), user([result("a")])],
      unanswered(1, "b"),
    ],
    [
      "text before the result",
      [hi, assistant([call("a")]), user([text("here"), result("a")])],
      unanswered(1, "a"),
    ],
    [
      "text between the results of one turn",
      [
        hi,
        assistant([call("a"), call("b")]),
        user([result("a")]),
        user("and"),
        user([result("b")]),
      ],
      unanswered(1, "b"),
    ],
    [
      "a system message between call and result",
      [hi, assistant([call("a")]), system("x"), user([result("a")])],
      `messages.2: ${MUST_FOLLOW}`,
    ],
    ["a result nobody asked for", [user([result("a")])], unexpected("0.content.0", "a")],
    [
      "a result a turn late",
      [hi, assistant([call("a")]), user([result("a")]), assistant("ok"), user([result("a")])],
      unexpected("4.content.0", "a"),
    ],
    [
      "two results for one call",
      [hi, assistant([call("a")]), user([result("a"), result("a")])],
      "messages.2.content.1: each tool_use must have a single result. Found multiple `tool_result` blocks with id: a",
    ],
    [
      "an id that comes again in its message",
      [hi, assistant([call("a"), call("a")]), user([result("a")])],
      "messages.1.content.1: `tool_use` ids must be unique",
    ],
    [
      "an id that comes again later",
      [
        hi,
        assistant([call("a")]),
        user([result("a")]),
        assistant([call("a")]),
        user([result("a")]),
      ],
      "messages.3.content.0: `tool_use` ids must be unique",
    ],
    [
      "a server call whose result is gone",
      [hi, assistant([search("s"), text("hm")]), user("ok")],
      "messages.1: `web_search` tool use with id `s` was found without a corresponding `web_search_tool_result` block",
    ],
    [
      "a server result whose call is gone",
      [hi, assistant([found("s"), text("hm")]), user("ok")],
      orphan("1.content.0", "web_search_tool_result", "s", "server_tool_use"),
    ],
    [
      "an MCP call whose result is gone",
      [hi, assistant([asked("m"), text("hm")]), user("ok")],
      "messages.1: `read` tool use with id `m` was found without a corresponding `mcp_tool_result` block",
    ],
    [
      "an MCP result whose call is gone",
      [hi, assistant([told("m"), text("hm")]), user("ok")],
      orphan("1.content.0", "mcp_tool_result", "m", "mcp_tool_use"),
    ],
  ])("%s", (_name, messages, message) => {
    expect(judge(messages)).toBe(message);
  });

  it("calls in a history without tools", () => {
    expect(judge([hi, assistant([call("a")]), user([result("a")])], { tools: undefined })).toBe(
      "Requests which include `tool_use` or `tool_result` blocks must define tools",
    );
  });

  it("lets ids come again where it was told to", () => {
    const twice = [
      hi,
      assistant([call("a")]),
      user([result("a")]),
      assistant([call("a")]),
      user([result("a")]),
    ];
    expect(judge(twice, {}, { reusedIds: true })).toBeUndefined();
    expect(
      judge([hi, assistant([call("a"), call("a")]), user([result("a")])], {}, { reusedIds: true }),
    ).toBe("messages.1.content.1: `tool_use` ids must be unique");
  });
});

describe("cache marks", () => {
  const long = { cache_control: { type: "ephemeral", ttl: "1h" } };
  it.each<[string, readonly Json[], Json, string]>([
    [
      "five",
      [user([text("a", mark), text("b", mark), text("c", mark)])],
      { system: [text("d", mark)], tools: [{ ...look, ...mark }] },
      "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ],
    [
      "four and the top level's",
      [user([text("a", mark), text("b", mark), text("c", mark), text("d", mark), text("e")])],
      { cache_control: { type: "ephemeral" } },
      "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ],
    [
      "five, some of them inside results",
      [
        hi,
        assistant([call("a")]),
        user([
          result("a", { content: [text("a", mark), text("b", mark)], ...mark }),
          text("c", mark),
        ]),
      ],
      { system: [text("d", mark)] },
      "A maximum of 4 blocks with cache_control may be provided. Found 5.",
    ],
    [
      "of an unknown kind",
      [user([text("a", { cache_control: { type: "eternal" } })])],
      {},
      "messages.0.content.0.cache_control: Input tag does not match any of the expected tags: 'ephemeral'",
    ],
    [
      "with an unknown lifetime",
      [user([text("a", { cache_control: { type: "ephemeral", ttl: "2h" } })])],
      {},
      "messages.0.content.0.cache_control.ephemeral.ttl: Input should be '5m' or '1h'",
    ],
    [
      "an hour behind five minutes",
      [user([text("a", long)])],
      { system: [text("d", mark)] },
      "messages.0.content.0.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: `tools`, `system`, `messages`.",
    ],
  ])("%s", (_name, messages, more, message) => {
    expect(judge(messages, more)).toBe(message);
  });
});

describe("size", () => {
  const words = (count: number) =>
    user(Array.from({ length: count }, (_, i) => `word${i}`).join(" "));

  it("a prompt longer than the window", () => {
    expect(judge([words(4_000)])).toMatch(/^prompt is too long: \d{4,} tokens > 4000 maximum$/);
  });

  it("a prompt that fits, but not together with max_tokens", () => {
    const message = judge([words(1_500)], { max_tokens: 2_000 });
    const [, input] =
      /^input length and `max_tokens` exceed context limit: (\d+) \+ 2000 > 4000, decrease input length or `max_tokens` and try again$/.exec(
        message ?? "",
      ) ?? [];
    expect(Number(input)).toBeGreaterThan(2_000);
    expect(
      refusalOf(request([words(1_500)], { max_tokens: 2_000 }), { ...info, sumMustFit: false }),
    ).toBeUndefined();
  });

  it("is not asked of a request that only counts", () => {
    expect(judge([words(4_000)], { max_tokens: undefined }, { counting: true })).toBeUndefined();
  });
});

describe("the thinking parameter", () => {
  const on = { thinking: { type: "enabled", budget_tokens: 1_024 }, max_tokens: 1_500 };
  it.each<[string, Json, RegExp]>([
    ["of an unknown kind", { thinking: { type: "hard" } }, /^thinking: Input tag/],
    [
      "without a budget",
      { ...on, thinking: { type: "enabled" } },
      /^thinking\.enabled\.budget_tokens: Field required$/,
    ],
    [
      "with too small a budget",
      { ...on, thinking: { type: "enabled", budget_tokens: 1_000 } },
      /budget_tokens: Input should be greater than or equal to 1024$/,
    ],
    [
      "with a budget as large as the reply",
      { ...on, max_tokens: 1_024 },
      /^`max_tokens` must be greater than `thinking.budget_tokens`/,
    ],
    [
      "beside a temperature",
      { ...on, temperature: 0.2 },
      /^`temperature` may only be set to 1 when thinking is enabled/,
    ],
    ["beside top_k", { ...on, top_k: 5 }, /^`top_k` must be unset/],
    [
      "beside a forced tool",
      { thinking: { type: "adaptive" }, tool_choice: { type: "any" } },
      /^Thinking may not be enabled when tool_choice forces tool use/,
    ],
    [
      "with binding controls but not their beta",
      { thinking: { type: "adaptive", block_binding: {} } },
      /^thinking\.adaptive\.block_binding: Extra inputs/,
    ],
  ])("%s", (_name, more, message) => {
    expect(judge([hi], more)).toMatch(message);
  });

  it("asks an open tool loop to begin with thinking in manual mode, and only there", () => {
    const bare = [hi, assistant([text("wait"), call("a")]), user([result("a")])];
    expect(judge(bare, on)).toMatch(
      /^messages\.1\.content\.0\.type: Expected `thinking` or `redacted_thinking`, but found `text`\. When `thinking` is enabled, a final `assistant` message must start with a thinking block/,
    );
    expect(judge(bare, { thinking: { type: "adaptive" } })).toBeUndefined();
    expect(judge([...bare, assistant("done"), user("thanks")], on)).toBeUndefined();
    const opened = [
      hi,
      assistant([thinking, call("a")]),
      user([result("a")]),
      assistant([call("b")]),
      user([result("b")]),
    ];
    expect(judge(opened, on)).toBeUndefined();
    expect(
      judge(
        [
          ...opened.slice(0, 1),
          assistant([call("a")]),
          ...opened.slice(2, 3),
          assistant([thinking, call("b")]),
          ...opened.slice(4),
        ],
        on,
      ),
    ).toMatch(/^messages\.1\.content\.0\.type: Expected `thinking`/);
  });
});
