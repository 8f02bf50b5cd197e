import fc from "fast-check";
import { expect, test } from "vitest";
import { anthropic } from "../../src/providers/anthropic/messages.ts";
import type { DistilTask } from "../../src/memory/extracting/task.ts";
import {
  modelDistiller,
  type ModelDistillerOptions,
} from "../../src/memory/extracting/ask-model.ts";
import { vouched } from "../../src/memory/extracting/vouched.ts";
import { isTidemarkError } from "../../src/core/errors-and-events.ts";
import type { Complete, Message } from "../../src/core/request.ts";
import { estimateTokens } from "../../src/core/tokens/estimate.ts";
import { runs } from "../support/runs.ts";

type Call = Parameters<Complete>[0];
type Answer = Awaited<ReturnType<Complete>>;

const LONG =
  "We looked at the harbour plan, at the ferry times and at the price of the tickets again. ".repeat(
    6,
  );
const talk: Message[] = [
  { role: "user", content: `My cat is called Whiskerino. ${LONG}` },
  {
    role: "assistant",
    content: [
      { type: "text", text: `Lovely. I look at the weather. ${LONG}` },
      { type: "tool_use", id: "t1", name: "weather", input: { city: "Lisbon" } },
    ],
  },
  {
    role: "user",
    content: [{ type: "tool_result", tool_use_id: "t1", content: `Rain in Lisbon. ${LONG}` }],
  },
  { role: "assistant", content: `It rains in Lisbon. ${LONG}` },
];
const tail: Message[] = [{ role: "user", content: "And tomorrow?" }];

const task = (over: Partial<DistilTask> = {}): DistilTask => ({
  dialect: anthropic,
  messages: talk,
  factsFrom: 0,
  summaryTokens: 300,
  signal: new AbortController().signal,
  ...over,
});
const base = {
  system: "You are kind.",
  messages: [...talk, ...tail],
  tools: [{ name: "weather" }],
  offset: 0,
};
const json = (facts: unknown[], summary: unknown = "They spoke of a cat and of rain."): string =>
  JSON.stringify({ facts, summary });

/** A distiller over a model that answers from a list (the last answer again and again), and the calls it got. */
function scripted(
  answers: readonly (Partial<Answer> | string | Error)[],
  options: Partial<ModelDistillerOptions> = {},
) {
  const calls: Call[] = [];
  const complete: Complete = (call) => {
    calls.push(call);
    const answer = answers[Math.min(calls.length, answers.length) - 1]!;
    if (answer instanceof Error) return Promise.reject(answer);
    return Promise.resolve(
      typeof answer === "string" ? { text: answer, stop: "end_turn" } : { text: "", ...answer },
    );
  };
  return { calls, distil: modelDistiller({ complete, chunkTokens: 20_000, ...options }) };
}
const instructionOf = (call: Call): string =>
  String(
    call.messages.at(-1)?.["content"] instanceof Array
      ? (call.messages.at(-1)?.["content"] as { text: string }[])[0]?.text
      : call.messages.at(-1)?.["content"],
  );
const failsWith = async (work: Promise<unknown>): Promise<string> => {
  const error: unknown = await work.then(
    () => undefined,
    (thrown: unknown) => thrown,
  );
  expect(isTidemarkError(error) && error.code).toBe("distil");
  return (error as Error).message;
};

test("goes on with the last request: the same system, tools and messages and one more user message", async () => {
  const { calls, distil } = scripted([json([])], { instructions: "Keep ticket numbers." });
  await distil(task({ base }));
  const [call] = calls;
  expect(calls).toHaveLength(1);
  expect(call?.system).toBe(base.system);
  expect(call?.tools).toBe(base.tools);
  expect(call?.messages.slice(0, -1)).toEqual(base.messages);
  call?.messages
    .slice(0, -1)
    .forEach((message, index) => expect(message).toBe(base.messages[index]));
  const text = instructionOf(call!);
  expect(text.split("\n")[0]).toBe("[tidemark] distil");
  expect(text).toContain("messages 1 to 4");
  expect(text).toContain('message 1 (user) begins "My cat is called Whiskerino.');
  expect(text).toContain('message 4 (assistant) begins "It rains in Lisbon.');
  expect(text).toContain("Call no tools");
  expect(text).toContain("Keep ticket numbers.");
  expect(call?.maxTokens).toBeGreaterThan(300);
});

test("counts the range within the request, and says from where facts are wanted", async () => {
  const { calls, distil } = scripted([json([{ content: "It rains in Lisbon.", from: [5] }])]);
  const shifted = {
    ...base,
    messages: [
      { role: "user", content: '<tidemark-summary fold="f">\nold times\n</tidemark-summary>' },
      ...base.messages,
    ],
    offset: 1,
  };
  const { facts } = await distil(task({ base: shifted, factsFrom: 2, previous: "old times" }));
  expect(instructionOf(calls[0]!)).toMatch(/messages 2 to 5[^]*Facts: from messages 4 to 5/);
  expect(instructionOf(calls[0]!)).not.toContain("previous-summary>");
  expect(facts).toMatchObject([{ from: [3] }]);
});

test("a fact is as trusted as the least trusted message it cites, and not at all when it cites none of them", async () => {
  const facts = [[1], [2], [3], [1, 2], [1, 3], "1-4", [], [9], [0, 77], [4, 99], undefined].map(
    (from, index) => ({ content: `harbour tickets ${index}`, from }),
  );
  const { distil } = scripted([json(facts)]);
  const got = await distil(task({ base }));
  expect(vouched(task(), got).map((fact) => fact.origin)).toEqual([
    "user",
    "agent",
    "tool",
    "agent",
    "tool",
    "tool",
    "untrusted",
    "untrusted",
    "untrusted",
    "agent",
    "untrusted",
  ]);
  expect(got.facts[5]?.from).toEqual([0, 1, 2, 3]);
});

test("facts that rest only on messages distilled before are dropped", async () => {
  const { distil } = scripted([
    json([
      { content: "old", from: [1, 2] },
      { content: "both", from: [2, 3] },
      { content: "new", from: [4] },
    ]),
  ]);
  expect((await distil(task({ base, factsFrom: 2 }))).facts.map((fact) => fact.content)).toEqual([
    "both",
    "new",
  ]);
});

test("a cut reply keeps its whole facts and gives no summary, whether the provider says so or not", async () => {
  const whole = json([
    { content: "one", from: [1] },
    { content: "two", from: [1] },
  ]);
  for (const answer of [
    { text: whole, stop: "max_tokens" },
    { text: whole, stop: "length" },
    { text: whole.slice(0, -10), stop: "end_turn" },
  ]) {
    const got = await scripted([answer]).distil(task({ base }));
    expect(got.facts.map((fact) => fact.content)).toEqual(["one", "two"]);
    expect("summary" in got).toBe(false);
  }
});

test("refusals, tool calls, junk, emptiness and failures reject, with the reason", async () => {
  const cause = new Error("529 overloaded");
  expect(await failsWith(scripted([cause]).distil(task({ base })))).toContain("529 overloaded");
  for (const stop of ["refusal", "tool_use", "tool_calls", "content_filter"])
    expect(
      await failsWith(scripted([{ text: json([{ content: "x" }]), stop }]).distil(task({ base }))),
    ).toContain(stop);
  for (const text of [
    "",
    "I cannot help with that.",
    '{"facts":[],"summary":"  "}',
    '{"error":{"message":"overloaded"}}',
    "[".repeat(100_000),
  ])
    await failsWith(scripted([{ text }]).distil(task({ base })));
  await failsWith(scripted([{ text: undefined as unknown as string }]).distil(task({ base })));
  const error: unknown = await scripted([cause])
    .distil(task())
    .catch((thrown: unknown) => thrown);
  expect((error as Error).cause).toBe(cause);
});

test("a summary that is an error, or longer than what it replaces, is no summary", async () => {
  for (const summary of [
    "Error generating summary: 529 overloaded",
    "I'm sorry, but I can't summarize this.",
    "I cannot do that.",
    "API Error: 500",
    "Previous conversation was too long to summarize.",
    "word ".repeat(5_000),
  ]) {
    const got = await scripted([json([{ content: "kept", from: [1] }], summary)]).distil(
      task({ base }),
    );
    expect(got.facts).toHaveLength(1);
    expect(got.summary, summary).toBeUndefined();
    await failsWith(scripted([json([], summary)]).distil(task({ base })));
  }
  const sound = "Error handling was reworked; I cannot was the old message.";
  expect((await scripted([json([], sound)]).distil(task({ base }))).summary).toBe(sound);
});

test("an abort ends the wait even when the model does not listen", async () => {
  const stop = new AbortController();
  const seen: AbortSignal[] = [];
  const distil = modelDistiller({
    complete: ({ signal }) => (seen.push(signal), new Promise(() => undefined)),
    chunkTokens: 1_000,
  });
  const waiting = failsWith(distil(task({ base, signal: stop.signal })));
  stop.abort(new Error("too late"));
  expect(await waiting).toContain("too late");
  expect(seen).toEqual([stop.signal]);
  await failsWith(distil(task({ base, signal: stop.signal })));
  expect(seen).toHaveLength(1);
});

const word = fc.integer({ min: 0, max: 1_000_000_000 }).map((number) => `w${number.toString(36)}z`);
const words = fc
  .array(
    fc.oneof({ weight: 4, arbitrary: word }, fc.constantFrom("\n", "汉字", "<tidemark-x>", "…")),
    { minLength: 1, maxLength: 400 },
  )
  .map((all) => all.join(" "));
const anyTalk = fc.array(
  fc.oneof(
    words.map((text): Message => ({ role: "user", content: text })),
    words.map((text): Message => ({
      role: "assistant",
      content: [
        { type: "thinking", thinking: "hm", signature: "s" },
        { type: "text", text },
      ],
    })),
    words.map((text): Message => ({
      role: "assistant",
      content: [{ type: "tool_use", id: "a", name: "note", input: { text } }],
    })),
    words.map((text): Message => ({
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "a", content: text }],
    })),
  ),
  { minLength: 1, maxLength: 12 },
);

test("without a request to go on with, every word is shown in requests of bounded size", async () => {
  await fc.assert(
    fc.asyncProperty(
      anyTalk,
      fc.integer({ min: 1_500, max: 6_000 }),
      async (messages, chunkTokens) => {
        const { calls, distil } = scripted([json([{ content: "a thing", from: [1] }], "so far")], {
          chunkTokens,
        });
        await distil(task({ messages, previous: "They met in Porto." }));
        const shown = calls.map(instructionOf);
        const all = shown.join("\n");
        for (const name of new Set(JSON.stringify(messages).match(/w[0-9a-z]+z/g)))
          expect(all.includes(name)).toBe(true);
        messages.forEach((_, index) => expect(all).toContain(`[#${index + 1} `));
        for (const text of shown) expect(estimateTokens(text)).toBeLessThan(chunkTokens * 1.25);
        // The running summary goes from part to part.
        shown.forEach((text, index) =>
          expect(text).toContain(index === 0 ? "They met in Porto." : "so far"),
        );
      },
    ),
    { numRuns: runs(20) },
  );
});

test("a result is cut in its middle and says so; a long message is spread over parts", async () => {
  const result = `begin ${"x ".repeat(20_000)}end`;
  const text = Array.from({ length: 3_000 }, (_, index) => `word${index}`).join(" ");
  const messages: Message[] = [
    talk[0]!,
    talk[1]!,
    {
      role: "user",
      content: [{ type: "tool_result", tool_use_id: "t1", content: result, is_error: true }],
    },
    { role: "assistant", content: text },
  ];
  const { calls, distil } = scripted([json([{ content: "a", from: [4] }], "so far")], {
    chunkTokens: 4_000,
  });
  await distil(task({ messages }));
  const all = calls.map(instructionOf).join("\n");
  expect(all).toMatch(/failed: begin [^]*characters left out[^]*end/);
  expect(all).toMatch(/\[#4 assistant, part 1 of \d+\]/);
  for (let index = 0; index < 3_000; index += 1) expect(all).toContain(`word${index}`);
});

test("a part that fails keeps the facts of the parts before and gives no summary; the first one failing rejects", async () => {
  const good = json([{ content: "early", from: [1] }], "so far");
  const options = { chunkTokens: 1_000 };
  const messages = [...talk, ...talk, ...talk];
  const all = scripted([good], options);
  const whole = await all.distil(task({ messages }));
  expect(all.calls.length).toBeGreaterThan(2);
  expect(whole).toMatchObject({ summary: "so far", by: "model" });
  const got = await scripted([good, new Error("down")], options).distil(task({ messages }));
  expect(got.facts.map((fact) => fact.content)).toEqual(["early"]);
  expect(got.summary).toBeUndefined();
  await failsWith(scripted([new Error("down")], options).distil(task({ messages })));
  // A part without a summary breaks the chain, however well the next ones go.
  const broken = await scripted(
    [good, json([{ content: "mid", from: [2] }], ""), good],
    options,
  ).distil(task({ messages }));
  expect(broken.facts.length).toBeGreaterThan(2);
  expect(broken.summary).toBeUndefined();
});

test("what was injected into the conversation is not shown as part of it", async () => {
  const { calls, distil } = scripted([json([])]);
  await distil(
    task({
      messages: [
        {
          role: "user",
          content: `<tidemark-recall>\nold fact\n</tidemark-recall>\nHello there. ${LONG}`,
        },
      ],
    }),
  );
  expect(instructionOf(calls[0]!)).toContain("Hello there.");
  expect(instructionOf(calls[0]!)).not.toContain("old fact");
});

test("where no summary is wanted none is asked for, and no facts are an answer", async () => {
  const fact = { content: "The user's cat is called Whiskerino.", from: [1] };
  for (const facts of [[], [fact]]) {
    const { calls, distil } = scripted([JSON.stringify({ facts })]);
    expect((await distil(task({ summaryTokens: 0 }))).facts).toHaveLength(facts.length);
    expect(calls).toHaveLength(1);
    expect(instructionOf(calls[0]!).toLowerCase()).not.toContain("summary");
  }
  for (const text of ["No.", '{"facts":['])
    await failsWith(scripted([text]).distil(task({ summaryTokens: 0 })));
});

test("told briefly, the user's words are whole, and of an assistant's long lines the ends stand in whole words", async () => {
  const { calls, distil } = scripted([json([])]);
  const long = Array.from({ length: 120 }, (_, at) => `no${at}pe`).join(" ");
  const reply = `${long}\nA short line.\n${long}`;
  const messages = [
    { role: "user", content: long },
    { role: "assistant", content: reply },
  ];
  await distil(task({ messages, summaryTokens: 0, brief: true }));
  const [said = "", told = ""] = instructionOf(calls[0]!).split("[#2 assistant] ");
  expect(said).toContain(long);
  const lines = told.split("\n").slice(0, 3);
  expect(lines[1]).toBe("A short line.");
  const [first = "", last = ""] = lines[0]?.split(" […] ") ?? [];
  expect(long.startsWith(`${first} `) && long.endsWith(` ${last}`)).toBe(true);
  expect(lines[0]?.length).toBeLessThan(310);
});
