export type Json = Record<string, unknown>;

/** A reply as a server streams it, and the message that the host then sends back. */
export interface Shape {
  readonly name: string;
  readonly form: "openai-chat" | "anthropic";
  readonly chunks?: readonly Json[];
  readonly text?: string;
  readonly shown: Json;
  /** Names and inputs of the calls, in order. */
  readonly calls?: readonly unknown[];
  /** Something of it cannot be put together, and the host is told. */
  readonly partial?: boolean;
}

const SAID = "The lamp is red, and it burns all night.";
const WORDS = ["The lamp is red, ", "and it burns ", "all night."];
const said: Json = { role: "assistant", content: SAID };

const choice = (delta: unknown, finish: string | null = null): Json => ({
  id: "c",
  object: "chat.completion.chunk",
  created: 1,
  model: "m",
  choices: [{ index: 0, delta, finish_reason: finish }],
});
const end = choice({}, "stop");
const words = WORDS.map((content) => choice({ content }));
const chat = (
  name: string,
  chunks: readonly Json[],
  shown: Json = said,
  more: object = {},
): Shape => ({
  name: `chat: ${name}`,
  form: "openai-chat",
  chunks,
  shown,
  ...more,
});

/** Two calls of one reply as hosts send them back. */
const TWO = [
  ["read", { page: 1 }],
  ["write", { page: 2, text: "Ebb" }],
] as const;
const toolCall = (id: string, at: number): Json => ({
  id,
  type: "function",
  function: { name: TWO[at]?.[0], arguments: JSON.stringify(TWO[at]?.[1]) },
});
const twoCalls: Json = {
  role: "assistant",
  content: null,
  tool_calls: [toolCall("call_a", 0), toolCall("call_b", 1)],
};
const pieces = (text: string): string[] => text.match(/[\s\S]{1,6}/g) ?? [];

/** The chunks of both calls: `head` opens one, `rest` is a piece of its arguments. */
const calling = (
  head: (at: number, id: string) => Json,
  rest: (at: number, id: string) => Json,
): Json[] => [
  ...["call_a", "call_b"].flatMap((id, at) => [
    choice({ tool_calls: [head(at, id)] }),
    ...pieces(JSON.stringify(TWO[at]?.[1])).map((piece) => {
      const part = rest(at, id);
      return choice({
        tool_calls: [{ ...part, function: { ...(part.function as Json), arguments: piece } }],
      });
    }),
  ]),
  choice({}, "tool_calls"),
];
const opened = (at: number): Json => ({ name: TWO[at]?.[0], arguments: "" });
const called = (name: string, chunks: readonly Json[], more: object = {}): Shape =>
  chat(name, chunks, twoCalls, { calls: TWO, ...more });

const CHAT: readonly Shape[] = [
  chat("words in pieces", [choice({ role: "assistant", content: "" }), ...words, end]),
  chat("nulls beside the words", [
    choice({ role: "assistant", content: null, tool_calls: null, refusal: null }),
    ...WORDS.map((content) => choice({ content, tool_calls: null, function_call: null })),
    choice({ content: null }, "stop"),
  ]),
  chat("an error at the end", [...words, { error: { message: "overloaded", code: 502 } }]),
  chat("content as a list", [
    ...WORDS.map((text) => choice({ content: [{ type: "text", text }] })),
    end,
  ]),
  chat("a list that thinks first, shown as text", [
    choice({ content: [{ type: "thinking", thinking: [{ type: "text", text: "Which " }] }] }),
    choice({ content: [{ type: "thinking", thinking: [{ type: "text", text: "lamp?" }] }] }),
    ...words,
    end,
  ]),
  ...["reasoning_content", "reasoning"].map((name) =>
    chat(`thinking under ${name}`, [
      ...["Which ", "lamp?"].map((text) => choice({ content: "", [name]: text })),
      ...words,
      end,
    ]),
  ),
  chat(
    "thinking under reasoning_details, sent back whole",
    [
      ...["Which ", "lamp?"].map((text) =>
        choice({ reasoning_details: [{ type: "reasoning.text", index: 0, text }] }),
      ),
      ...words,
      end,
    ],
    { ...said, reasoning_details: [{ type: "reasoning.text", index: 0, text: "Which lamp?" }] },
  ),
  chat("a whole completion", [
    {
      id: "c",
      object: "chat.completion",
      choices: [{ index: 0, message: said, finish_reason: "stop" }],
    },
  ]),
  chat(
    "a refusal in pieces",
    [choice({ refusal: "I cannot " }), choice({ refusal: "do that here." }), end],
    { role: "assistant", content: null, refusal: "I cannot do that here." },
  ),
  called(
    "calls by index",
    calling(
      (index, id) => ({ index, id, type: "function", function: opened(index) }),
      (index) => ({ index }),
    ),
  ),
  called(
    "calls all at index 0, the id with each piece",
    calling(
      (at, id) => ({ index: 0, id, type: "function", function: opened(at) }),
      (_, id) => ({ index: 0, id }),
    ),
  ),
  called(
    "calls all at index 0, the id once",
    calling(
      (at, id) => ({ index: 0, id, type: "function", function: opened(at) }),
      () => ({ index: 0 }),
    ),
  ),
  called(
    "calls without an index",
    calling(
      (at, id) => ({ id, type: "function", function: opened(at) }),
      () => ({}),
    ),
  ),
  called(
    "a later empty id and name",
    calling(
      (index, id) => ({ index, id, type: "function", function: opened(index) }),
      (index) => ({ index, id: "", type: "", function: { name: "" } }),
    ),
  ),
  called("arguments as a value", [
    choice(
      {
        tool_calls: TWO.map(([name, given], index) => ({
          index,
          id: `call_${"ab"[index]}`,
          function: { name, arguments: given },
        })),
      },
      "tool_calls",
    ),
  ]),
  called(
    "a call that broke off",
    [
      ...calling(
        (index, id) => ({ index, id, type: "function", function: opened(index) }),
        (index) => ({ index }),
      ).slice(0, -1),
      choice({
        tool_calls: [{ index: 2, id: "call_c", function: { name: "read", arguments: '{"pa' } }],
      }),
    ],
    { partial: true },
  ),
  chat(
    "words, then the legacy call",
    [
      ...words,
      choice({ function_call: { name: "read", arguments: '{"pa' } }),
      choice({ function_call: { arguments: 'ge":1}' } }, "function_call"),
    ],
    { ...said, function_call: { name: "read", arguments: '{"page":1}' } },
  ),
];

const starts = (more: Json = {}): Json => ({
  type: "message_start",
  message: {
    id: "m",
    type: "message",
    role: "assistant",
    content: [],
    model: "x",
    stop_reason: null,
    usage: { input_tokens: 50, output_tokens: 1 },
    ...more,
  },
});
const block = (index: number | undefined, content_block: Json): Json => ({
  type: "content_block_start",
  index,
  content_block,
});
const delta = (index: number | undefined, one: Json): Json => ({
  type: "content_block_delta",
  index,
  delta: one,
});
const stop = (index: number): Json => ({ type: "content_block_stop", index });
const stops = (reason: string): Json[] => [
  { type: "message_delta", delta: { stop_reason: reason }, usage: { output_tokens: 5 } },
  { type: "message_stop" },
];
const spoken = (index: number | undefined): Json[] =>
  WORDS.map((text) => delta(index, { type: "text_delta", text }));
const wrote = (index: number | undefined, at: number): Json[] =>
  pieces(JSON.stringify(TWO[at]?.[1])).map((partial_json) =>
    delta(index, { type: "input_json_delta", partial_json }),
  );
const use = (at: number, input: unknown = {}): Json => ({
  type: "tool_use",
  id: `t${at}`,
  name: TWO[at]?.[0],
  input,
});
const usedBoth: Json = {
  role: "assistant",
  content: [{ type: "text", text: SAID }, use(0, TWO[0][1]), use(1, TWO[1][1])],
};
const messages = (
  name: string,
  chunks: readonly Json[],
  shown: Json = said,
  more: object = {},
): Shape => ({
  name: `messages: ${name}`,
  form: "anthropic",
  chunks,
  shown,
  ...more,
});
const text = { type: "text", text: "" };

const MESSAGES: readonly Shape[] = [
  messages("words in pieces", [
    starts(),
    block(0, text),
    { type: "ping" },
    ...spoken(0),
    stop(0),
    ...stops("end_turn"),
  ]),
  messages("no starts at all", [...spoken(0), ...stops("end_turn")]),
  messages(
    "no stops",
    [
      starts(),
      block(0, text),
      ...spoken(0),
      block(1, use(0)),
      ...wrote(1, 0),
      block(2, use(1)),
      ...wrote(2, 1),
      ...stops("tool_use"),
    ],
    usedBoth,
    { calls: TWO },
  ),
  messages(
    "calls side by side",
    [
      starts(),
      block(0, text),
      ...spoken(0),
      stop(0),
      block(1, use(0)),
      block(2, use(1)),
      ...wrote(1, 0),
      ...wrote(2, 1),
      stop(1),
      stop(2),
      ...stops("tool_use"),
    ],
    usedBoth,
    { calls: TWO },
  ),
  messages(
    "inputs whole in the start",
    [
      starts(),
      block(0, { type: "text", text: SAID }),
      stop(0),
      block(1, use(0, TWO[0][1])),
      stop(1),
      block(2, use(1, TWO[1][1])),
      stop(2),
      ...stops("tool_use"),
    ],
    usedBoth,
    { calls: TWO },
  ),
  messages("a whole message", [
    {
      id: "m",
      type: "message",
      role: "assistant",
      model: "x",
      content: [{ type: "text", text: SAID }],
      stop_reason: "end_turn",
      usage: { input_tokens: 50, output_tokens: 5 },
    },
  ]),
  messages("an error at the end", [
    starts(),
    block(0, text),
    ...spoken(0),
    { type: "error", error: { type: "overloaded_error", message: "Overloaded" } },
  ]),
  messages(
    "a call that broke off",
    [starts(), block(0, text), ...spoken(0), stop(0), block(1, use(0)), ...wrote(1, 0).slice(0, 1)],
    said,
    { partial: true },
  ),
];

export const SHAPES: readonly Shape[] = [...CHAT, ...MESSAGES];
