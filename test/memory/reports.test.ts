import { expect, it } from "vitest";
import { anthropic } from "../../src/providers/anthropic/messages.ts";
import { factsFound } from "../../src/memory/extracting/extractive.ts";
import { readTranscript } from "../../src/memory/extracting/transcript.ts";
import type { Message } from "../../src/core/request.ts";

const user = (content: unknown): Message => ({ role: "user", content });
const agent = (text: string): Message => ({ role: "assistant", content: text });
let calls = 0;
const works = (text: string, answer = "ok"): Message[] => {
  const id = `t${(calls += 1)}`;
  return [
    {
      role: "assistant",
      content: [
        { type: "text", text },
        { type: "tool_use", id, name: "run", input: { step: text } },
      ],
    },
    user([{ type: "tool_result", tool_use_id: id, content: answer }]),
  ];
};
const found = (...messages: readonly Message[]) =>
  factsFound(readTranscript(messages, anthropic), { factsFrom: 0, record: { key: "c" } });
const lines = (...messages: readonly Message[]): string[] =>
  found(...messages).flatMap(({ content }) => content || []);

it("a report that says nothing itself is no outcome", () => {
  expect(lines(user("Make the crane a bit faster."), ...works("Now."), agent("Done!"))).toEqual([]);
});

it("each thing that was made keeps its name, and a record of its own", () => {
  const booked = (name: string) => [
    user("Please book the boat shed for May."),
    ...works("Booking."),
    agent(`The shed has been booked.\n\n- **Place:** pier 3\n\nYour order number is **${name}**.`),
  ];
  const outcomes = found(...booked("KQ7T2M"), ...booked("ZX41PP")).filter(({ key }) => key);
  expect(outcomes.map(({ key }) => key)).toEqual(
    expect.arrayContaining(["c/outcome/KQ7T2M", "c/outcome/ZX41PP"]),
  );
  expect(outcomes[0]?.content).toContain("KQ7T2M");
});

it("a yes to a question stands with what it is said to", () => {
  expect(
    lines(
      user("Can you move my other crates to the dry store?"),
      ...works("Looking."),
      agent("Shall I move A, B and C?"),
      user("Yes, move all of those crates, please."),
      ...works("Moving A."),
    ).at(-1),
  ).toMatch(/^Open request: Can you move my other crates .* Yes, move all of those/);
});

it("a cause that a call rests on is kept, a guess and a plan are not", () => {
  const said = [
    "The old pump driver doesn't support RS485 framing.",
    "I think the valve can't read Modbus.",
    "We cannot see Port 4 yet.",
  ];
  const kept = lines(user("Go on."), ...said.flatMap((one) => works(one)));
  expect(kept.filter((one) => one.startsWith("Agent:"))).toEqual([`Agent: ${said[0]}`]);
});
