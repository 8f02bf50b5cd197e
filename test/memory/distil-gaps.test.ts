import { describe, expect, it } from "vitest";
import { anthropic } from "../../src/providers/anthropic/messages.ts";
import type { DistilTask } from "../../src/memory/extracting/task.ts";
import { withAsked } from "../../src/memory/extracting/extractive.ts";
import type { Message } from "../../src/core/request.ts";
import { user } from "../support/talk.ts";

const agent = (text: string): Message => ({
  role: "assistant",
  content: [
    { type: "text", text },
    { type: "tool_use", id: text, name: "bash", input: { command: text } },
  ],
});
const result = (id: string): Message => ({
  role: "user",
  content: [{ type: "tool_result", tool_use_id: id, content: "ok" }],
});
const task = (messages: readonly Message[]): DistilTask => ({
  dialect: anthropic,
  messages,
  factsFrom: 0,
  summaryTokens: 400,
  signal: new AbortController().signal,
});
const work = [
  ...[user("Never push directly to main."), agent("noted"), result("noted")],
  ...[user("Invalid themes must never crash the app."), agent("ok"), result("ok")],
];

describe("beside a model's word", () => {
  it("a rule that was missed stands as it was stated, and none that is not stated as one", () => {
    const facts = withAsked(task(work), []);
    expect(facts.map(({ content }) => content)).toEqual(["User: Never push directly to main."]);
    const told = { content: "Nothing goes to main unreviewed.", importance: 0.8, from: [0] };
    const its = [{ ...told, origin: "user" as const }];
    expect(withAsked(task(work), its)).toEqual(its);
  });

  it("what the user asked to remember is kept in the user's sentence", () => {
    const messages = [
      user("Remember that my dentist is Dr. Moss on Main Street."),
      agent("noted"),
      result("noted"),
    ];
    expect(withAsked(task(messages), [])).toEqual([
      expect.objectContaining({
        content: "User: Remember that my dentist is Dr. Moss on Main Street.",
        origin: "user",
      }),
    ]);
    const told = [
      {
        content: "The user's dentist is Dr. Moss, Main Street: asked to remember that.",
        importance: 0.7,
        from: [0],
        origin: "user" as const,
      },
    ];
    expect(withAsked(task(messages), told)).toEqual(told);
  });
});
