import fc from "fast-check";
import { describe, expect, it } from "vitest";
import { openTidemark } from "../../src/index.ts";
import { dialectFor } from "../../src/providers/detect.ts";
import type { Tidemark } from "../../src/session/options/tidemark-api.ts";
import { freshFolder } from "../support/workspace.ts";
import { assistant, openRoom, user } from "../support/talk.ts";

const OTHERS = [
  "o3",
  "o4-mini",
  "deepseek-chat",
  "mistral-large-latest",
  "grok-4",
  "gemini-2.5-pro",
  "llama3.2:3b",
  "meta-llama/Llama-3.3-70B-Instruct",
  "qwen3-32b",
];
const CLAUDES = ["claude-sonnet-5-5", "us.anthropic.claude-sonnet-5-5", "anthropic.claude-3-haiku"];
const STRANGERS = ["our-deployment", "m", "prod-eu-2", "anthropic/claude-sonnet-5", ""];

/** What only one maker's API takes, of all that may be added. */
function ofAnthropic(request: object): boolean {
  const { system } = request as { system?: unknown };
  return system !== undefined || JSON.stringify(request).includes("cache_control");
}
const ofOpenAI = (request: object): boolean =>
  (request as { messages: { role: string }[] }).messages.some(
    ({ role }) => role === "system" || role === "developer",
  );

/** Tools in a maker's form tell whose a request is, whatever its model is called. */
const TOOLS = {
  none: {},
  "openai-chat": {
    tools: [{ type: "function", function: { name: "look", parameters: { type: "object" } } }],
  },
  anthropic: { tools: [{ name: "look", input_schema: { type: "object" } }] },
} as const;
type Form = keyof typeof TOOLS;

async function talk(
  tidemark: Tidemark,
  model: string,
  texts: readonly string[],
  form: Form,
): Promise<object[]> {
  const messages = [user("Where does the ferry land?")];
  const sent: object[] = [];
  for (const text of texts) {
    const turn = await tidemark.begin({ model, ...TOOLS[form], messages: [...messages] });
    sent.push(turn.request);
    messages.push(assistant(text), user(`And then? ${text}`));
  }
  return sent;
}

const rules = async (): Promise<Tidemark> => {
  const { tidemark } = await openRoom({ cache: true });
  await tidemark.workspace.write(
    "USER.md",
    "Call me Ada, and answer in short sentences.",
    "agent:default",
  );
  return tidemark;
};

describe("whose request it is", () => {
  it.each([
    ...OTHERS.map((model) => [model, "openai-chat", false] as const),
    ...CLAUDES.map((model) => [model, "anthropic", false] as const),
    ...STRANGERS.map((model) => [model, "anthropic", true] as const),
  ])("the name %s: %s, nothing tells: %s", (model, format, nothing) => {
    const found = dialectFor({ model, messages: [user("hi")] });
    expect([found.format, found.marks?.ours === false]).toEqual([format, nothing]);
  });

  it("the format outranks the shape, and the shape the name", () => {
    const tools = [{ name: "look", input_schema: { type: "object" } }];
    expect(dialectFor({ model: "gpt-5", messages: [user("hi")], tools }).format).toBe("anthropic");
    expect(
      dialectFor({
        model: "claude-sonnet-5-5",
        messages: [{ role: "system", content: "Be kind." }, user("hi")],
      }).format,
    ).toBe("openai-chat");
    expect(dialectFor({ model: "gpt-5", messages: [user("hi")] }, "anthropic").format).toBe(
      "anthropic",
    );
  });

  it("nothing of one maker's stands in a request of the other's, and of neither where nothing tells", async () => {
    const tidemark = await rules();
    const texts = fc.array(
      fc
        .string({ minLength: 1, maxLength: 60, unit: "grapheme-ascii" })
        .map((text) => `So: ${text} ${"boat ".repeat(400)}`),
      { minLength: 1, maxLength: 3 },
    );
    const law = fc.asyncProperty(
      fc.constantFrom(...OTHERS, ...CLAUDES, ...STRANGERS),
      texts,
      fc.constantFrom<Form>("none", "openai-chat", "anthropic"),
      async (model, said, form) => {
        const maker =
          form !== "none"
            ? form
            : CLAUDES.includes(model)
              ? "anthropic"
              : OTHERS.includes(model)
                ? "openai-chat"
                : "none";
        for (const request of await talk(tidemark, model, said, form)) {
          expect(JSON.stringify(request)).toContain("Call me Ada");
          if (maker !== "anthropic") expect(ofAnthropic(request)).toBe(false);
          if (maker !== "openai-chat") expect(ofOpenAI(request)).toBe(false);
        }
      },
    );
    await fc.assert(law, { numRuns: 40 });
  });
});

describe("forms that nothing reads are refused in one sentence", () => {
  it.each<[string, object, RegExp]>([
    [
      "a Responses item",
      {
        messages: [
          user("hi"),
          { type: "function_call", call_id: "1", name: "look", arguments: "{}" },
        ],
      },
      /messages\[1\].*Responses/,
    ],
    [
      "UI messages",
      { messages: [{ id: "1", role: "user", parts: [{ type: "text", text: "hi" }] }] },
      /messages\[0\].*UI messages/,
    ],
    [
      "messages of a form of one's own",
      { model: "polly", messages: [{ who: "me", body: "hi" }] },
      /messages\[0\].*\{ role, content \}/,
    ],
    [
      "a number among its messages",
      { model: "m", messages: [user("hi"), 7] },
      /^messages\[1\] must be a message such as \{ role: "user", .* \}, got 7\.$/,
    ],
    ["nothing that is said", { model: "gpt-6.2" }, /needs an object whose `messages`.* is a list/],
    [
      "Ollama's calls",
      {
        messages: [
          user("hi"),
          {
            role: "assistant",
            content: "",
            tool_calls: [{ function: { name: "look", arguments: {} } }],
          },
        ],
      },
      /messages\[\d\].*Ollama's/,
    ],
  ])("%s", async (_, request, told) => {
    const { tidemark } = await openRoom();
    await expect(tidemark.begin(request)).rejects.toMatchObject({
      code: "config",
      message: expect.stringMatching(told) as string,
    });
  });
});

describe("forms that are read without a word from the host", () => {
  const hi = [{ type: "text", text: "hi" }];
  const call = { type: "tool-call", toolCallId: "1", toolName: "look", input: {} };
  it.each<[string, object]>([
    ["Responses items", { model: "gpt-6.2", input: [{ role: "user", content: "hi" }] }],
    ["a Responses text", { model: "gpt-6.2", input: "hi" }],
    ["Gemini's contents", { contents: [{ role: "user", parts: [{ text: "hi" }] }] }],
    ["what Google's client takes", { contents: "hi", config: { systemInstruction: "Be brief." } }],
    ["an AI SDK prompt", { prompt: [{ role: "user", content: hi }] }],
    ["an AI SDK call", { messages: [user("hi"), { role: "assistant", content: [call] }] }],
  ])("%s", async (_, request) => {
    const { tidemark } = await openRoom();
    expect((await tidemark.begin(request)).request).toBe(request);
  });
});

describe("end() takes a promise", () => {
  it("of a reply, which is archived though the close comes first", async () => {
    const workspace = freshFolder();
    const open = () => openTidemark({ workspace, distil: "extractive", listen: false });
    const tidemark = await open();
    const turn = await tidemark.begin({ model: "gpt-5", messages: [user("Which boat?")] });
    let answer: (body: string) => void = () => undefined;
    const ended = turn.end(new Promise<string>((resolve) => (answer = resolve)));
    const closed = tidemark.close();
    answer(JSON.stringify({ choices: [{ message: { role: "assistant", content: "The Nixe." } }] }));
    await Promise.all([ended, closed]);
    const next = await open();
    expect((await next.history.list()).map(({ messages }) => messages)).toEqual([2]);
    await next.close();
  });
});

describe("end() takes", () => {
  const chunks = [
    { choices: [{ index: 0, delta: { role: "assistant", content: "The " } }] },
    { choices: [{ index: 0, delta: { content: "Nixe." } }] },
    { choices: [{ index: 0, delta: {}, finish_reason: "stop" }] },
    { choices: [], usage: { prompt_tokens: 20, completion_tokens: 3 } },
  ];
  const message = { role: "assistant", content: "The Nixe." };
  const completion = { choices: [{ message, finish_reason: "stop" }], usage: chunks[3]?.usage };
  const FORMS: [string, string, unknown][] = [
    ["a completion", "gpt-5", completion],
    ["a completion of a stranger's", "our-deployment", completion],
    [
      "SSE events of chunks",
      "gpt-5",
      chunks.map((chunk) => ({ event: "message", data: JSON.stringify(chunk) })),
    ],
    ["usage beside chunks", "gpt-5", { usage: chunks[3]?.usage, reply: chunks.slice(0, 3) }],
    ["the body of a completion", "gpt-5", JSON.stringify(completion)],
    [
      "the body of a message with an address in it",
      "claude-sonnet-5-5",
      JSON.stringify({
        type: "message",
        ...message,
        model: "data:x",
        usage: { input_tokens: 20, output_tokens: 3 },
      }),
    ],
    [
      "usage beside a message",
      "claude-sonnet-5-5",
      { usage: { input_tokens: 20, output_tokens: 3 }, reply: message },
    ],
  ];
  it.each(FORMS)("%s (%s)", async (_, model, reply) => {
    const { tidemark, events: told } = await openRoom();
    const turn = await tidemark.begin(
      { model, messages: [user("Which boat is ours?")] },
      { conversation: "desk" },
    );
    await turn.end(reply);
    expect(told.filter(({ type }) => type === "degraded")).toEqual([]);
    expect((await tidemark.stats()).calls.turn.output).toBe(3);
    const { messages } = await tidemark.history.read({
      conversation: (await tidemark.history.list())[0]?.id ?? "",
    });
    expect(JSON.stringify(messages[1])).toContain("The Nixe.");
  });
});
