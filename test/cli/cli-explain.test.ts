import { describe, expect, it } from "vitest";
import type { Message } from "../../src/model/request.ts";
import { unremembered } from "../../src/cli/replay/explain.ts";

const messages: Message[] = [
  { role: "user", content: "Never push to main. Is the build green? Thanks a lot!" },
  { role: "assistant", content: "Let me look at the build first." },
];

describe("what was not remembered", () => {
  const conversation = {
    file: "x.json",
    format: "anthropic",
    messages,
    around: {},
    notes: [],
  } as never;

  it("has the gate's reason for each sentence", () => {
    const found = unremembered(conversation, [{ content: "User: Never push to main." }]);
    expect(Object.fromEntries(found.map(({ why, examples }) => [why, examples]))).toEqual({
      question: ["Is the build green?"],
      applause: ["Thanks a lot!"],
      step: ["Let me look at the build first."],
    });
  });

  it("names what passed the gate and is no memory all the same", () => {
    expect(
      unremembered(conversation, []).find(({ why }) => why === "nothing lasting")?.examples,
    ).toEqual(["Never push to main."]);
  });
});
