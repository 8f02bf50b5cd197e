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
  it("a rule that was missed stands as it was stated, and one that is not stated as a rule in the summary", () => {
    const { facts } = withoutGaps(task(work.slice(0, 3)), whole);
    expect(facts.map(({ content }) => content)).toEqual(["User: Never push directly to main."]);
    const told = { content: "Nothing goes to main unreviewed.", importance: 0.8, from: [0] };
    const its = [{ ...told, origin: "user" as const }];
    expect(withoutGaps(task(work.slice(0, 3)), { ...whole, facts: its }).facts).toEqual(its);
    const last = withoutGaps(task(work.slice(6, 9)), whole);
    expect(last.facts).toEqual([]);
    expect(last.summary).toContain("## Rules and corrections\n- Invalid themes must never crash");
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
