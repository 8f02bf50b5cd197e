import { existsSync, readFileSync } from "node:fs";
import { describe, expect, it } from "vitest";
import { openTidemark, type TidemarkEvent } from "../../src/index.ts";
import { anthropic } from "../../src/providers/anthropic/messages.ts";
import { openaiChat } from "../../src/providers/openai/chat.ts";
import { replyIn } from "../../src/providers/usage-and-overflow.ts";
import { SHAPES, type Json, type Shape } from "../support/stream-shapes.ts";

const FIELD = new URL("../../../shared/data/field/streams.json", import.meta.url);
const field: Shape[] = existsSync(FIELD)
  ? (JSON.parse(readFileSync(FIELD, "utf8")) as Shape[])
  : [];
const TABLE = [...SHAPES, ...field.map((shape) => ({ ...shape, name: `field, ${shape.name}` }))];

/** A stream's text as the servers write it that end lines, events and the stream otherwise. */
const WRITTEN: Readonly<Record<string, (chunks: readonly Json[]) => string>> = {
  plain: (chunks) => chunks.map((chunk) => `data: ${JSON.stringify(chunk)}\n\n`).join(""),
  "CRLF, no blank behind the colon": (chunks) =>
    chunks.map((chunk) => `data:${JSON.stringify(chunk)}\r\n\r\n`).join(""),
  "named events, comments, pings": (chunks) =>
    chunks
      .map(
        (chunk) =>
          `: ping\n\nevent: ping\ndata: {"type":"ping"}\n\nevent: ${String(chunk.type)}\ndata: ${JSON.stringify(chunk)}\n\n`,
      )
      .join(""),
  "no empty lines, a last line without an end": (chunks) =>
    chunks.map((chunk) => `data: ${JSON.stringify(chunk)}`).join("\n"),
};

const ASKED = "Which colour does the lamp at the harbour have?";
const request = (form: string, messages: readonly Json[]): Json => ({
  model: form === "anthropic" ? "claude-sonnet-5-5" : "some-model",
  messages,
});

/** Ends a turn with what was streamed and goes on with what the host shows of it. */
async function played({ form, shown }: Pick<Shape, "form" | "shown">, reply: unknown) {
  const events: TidemarkEvent[] = [];
  const tidemark = await openTidemark({
    workspace: false,
    distil: "extractive",
    inject: false,
    listen: (event) => events.push(event),
  });
  const begin = (messages: readonly Json[]) =>
    tidemark.begin(request(form, messages) as never, { format: form });
  const asked = { role: "user", content: ASKED };
  await (await begin([asked])).end(reply);
  const [kept] = await tidemark.history.list();
  const archived = (await tidemark.history.read({ conversation: kept?.id ?? "" })).messages[1];
  const answers = answersOf(shown);
  await (
    await begin([asked, shown, ...(answers ?? []), { role: "user", content: "And the bell?" }])
  ).end({ role: "assistant", content: "It is of bronze." });
  const conversations = (await tidemark.history.list()).length;
  await tidemark.close();
  return { archived, conversations, events };
}

/** Results of the calls that a message makes. */
function answersOf(shown: Json): Json[] | undefined {
  const { content, tool_calls, function_call } = shown as {
    content: unknown;
    tool_calls?: { id: string }[];
    function_call?: { name: string };
  };
  if (tool_calls)
    return tool_calls.map(({ id }) => ({ role: "tool", tool_call_id: id, content: "done" }));
  if (function_call) return [{ role: "function", name: function_call.name, content: "done" }];
  const uses = Array.isArray(content)
    ? (content as Json[]).filter(({ type }) => type === "tool_use")
    : [];
  if (uses.length === 0) return undefined;
  const results = uses.map(({ id }) => ({ type: "tool_result", tool_use_id: id, content: "done" }));
  return [{ role: "user", content: results }];
}

const degraded = (events: readonly TidemarkEvent[]) =>
  events.filter(({ type }) => type === "degraded");

describe("a stream as servers send it", () => {
  it.each(TABLE)("is put together: $name", async (shape) => {
    const { archived, conversations, events } = await played(shape, shape.chunks ?? shape.text);
    expect(archived, "the archived reply").toBeDefined();
    expect(conversations, "conversations").toBe(1);
    expect(degraded(events)).toHaveLength(shape.partial === true ? 1 : 0);
    if (shape.calls !== undefined) expect(callsOf(archived as Json)).toEqual(shape.calls);
  });

  const streamed = TABLE.filter(({ chunks }) => chunks !== undefined);
  const dialects = { anthropic, "openai-chat": openaiChat };

  it.each(Object.keys(WRITTEN))("says the same as text, whole and in bytes: %s", (way) => {
    for (const { name, form, chunks = [] } of streamed) {
      const text = WRITTEN[way]?.(chunks) ?? "";
      const bytes = new TextEncoder().encode(text);
      const cut = [bytes.subarray(0, 37), bytes.subarray(37, 70), bytes.subarray(70)];
      const whole = replyIn(dialects[form], chunks);
      expect(whole, name).toBeDefined();
      const lines = text.split("\n").filter((line) => !line.startsWith(":"));
      for (const reply of [text, cut, lines])
        expect(replyIn(dialects[form], reply), name).toEqual(whole);
    }
  });
});

/** Names and inputs of the calls in an archived reply, in order. */
function callsOf({ tool_calls, content }: Json): unknown[] {
  if (Array.isArray(tool_calls))
    return (tool_calls as { function: { name: string; arguments: unknown } }[]).map(
      ({ function: { name, arguments: given } }) => [
        name,
        typeof given === "string" ? (JSON.parse(given) as unknown) : given,
      ],
    );
  return (content as Json[])
    .filter(({ type }) => type === "tool_use")
    .map(({ name, input }) => [name, input]);
}

describe("the usage of a stream", () => {
  const chunk = (more: Json): Json => ({ object: "chat.completion.chunk", ...more });
  const text = chunk({
    choices: [{ index: 0, delta: { content: "Red." }, finish_reason: "stop" }],
  });
  const usage = { prompt_tokens: 12, completion_tokens: 3 };
  it.each([
    ["in an extra chunk", [text, chunk({ choices: [], usage })]],
    [
      "in each chunk",
      [
        { ...text, usage: { prompt_tokens: 12, completion_tokens: 1 } },
        chunk({ choices: [{ index: 0, delta: {} }], usage }),
      ],
    ],
    [
      "in the choice",
      [
        chunk({
          choices: [{ index: 0, delta: { content: "Red." }, finish_reason: "stop", usage }],
        }),
      ],
    ],
    ["under x_groq", [{ ...text, x_groq: { usage } }]],
  ])("is read: %s", (_, chunks) => {
    expect(replyIn(openaiChat, chunks)?.usage).toMatchObject({ input: 12, output: 3 });
  });

  it("is the true one where a gateway starts or ends with none", () => {
    const said = { index: 0, delta: { type: "text_delta", text: "Red." } };
    const events = [
      { type: "message_start", message: { usage: { input_tokens: 50, output_tokens: 0 } } },
      { type: "content_block_delta", ...said },
      { type: "message_delta", delta: {}, usage: { input_tokens: 0, output_tokens: 5 } },
    ];
    expect(replyIn(anthropic, events)?.usage).toMatchObject({ input: 50, output: 5 });
  });
});
