import { describe, expect, it } from "vitest";
import { anthropic } from "../../src/providers/anthropic/messages.ts";
import type { DistilTask } from "../../src/memory/extracting/task.ts";
import { withoutGaps } from "../../src/memory/extracting/checked-facts.ts";
import type { Message } from "../../src/core/request.ts";

const user = (content: string): Message => ({ role: "user", content });
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
const task = (messages: readonly Message[], more: Partial<DistilTask> = {}): DistilTask => ({
  dialect: anthropic,
  messages,
  factsFrom: 0,
  summaryTokens: 400,
  signal: new AbortController().signal,
  ...more,
});
const RULES = [
  "Never push directly to main.",
  "Always run the linter before a commit.",
  "Invalid themes must never crash the app.",
  "Only use hex colours in the themes.",
];
const work = [
  ...RULES.flatMap((rule) => [user(rule), agent(`noted ${rule}`), result(`noted ${rule}`)]),
];
const whole = {
  facts: [],
  summary: "## Where it stands\n- The themes are ported.",
  by: "model" as const,
};

describe("beside a model's word", () => {
  it("code adds no fact, and puts a rule that was missed into the summary", () => {
    const { facts, summary } = withoutGaps(task(work.slice(0, 3)), whole);
    expect(facts).toEqual([]);
    expect(summary).toContain("## Rules and corrections\n- Never push directly to main.");
  });

  it("what the user asked to remember is kept in the user's sentence", () => {
    const messages = [
      user("Remember that my dentist is Dr. Moss on Main Street."),
      agent("noted"),
      result("noted"),
    ];
    const { facts } = withoutGaps(task(messages), whole);
    expect(facts).toEqual([
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
    expect(withoutGaps(task(messages), { ...whole, facts: told }).facts).toEqual(told);
  });

  it("rules of the last summary outlast the next one", () => {
    const previous = `## Rules and corrections\n${RULES.map((rule) => `- ${rule}`).join("\n")}\n## Decisions\n- Themes are JSON.`;
    const { summary, facts } = withoutGaps(
      task([user("Go on."), agent("Working."), result("Working.")], { previous }),
      whole,
    );
    for (const rule of RULES) expect(summary).toContain(`- ${rule}`);
    expect(summary).not.toContain("Themes are JSON");
    expect(facts).toEqual([]);
  });

  it("nothing is checked where no summary will stand in a request", () => {
    expect(withoutGaps(task(work, { summaryTokens: 0 }), whole).summary).toBe(whole.summary);
  });
});
