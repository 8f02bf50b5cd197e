import { typesOf, freshTidemark } from "../support/anthropic.ts";
import { describe, expect, it } from "vitest";
import type { Options } from "../../src/index.ts";
import { asReply, assistant, call, requestOf, result, user } from "../support/talk.ts";
import { freshFolder } from "../support/afterwards.ts";

const open = (options: Options = {}) =>
  freshTidemark({ workspace: freshFolder(), distil: "extractive", ...options });

describe("the messages `stats` counts", () => {
  it("are counted once, though the call they stood in failed and was made again", async () => {
    const { tidemark } = await open();
    const counted = async (): Promise<number> => (await tidemark.stats()).messages;
    await tidemark.begin(requestOf([user("Hello there.")]));
    expect(await counted()).toBe(1);
    const turn = await tidemark.begin(requestOf([user("Hello there.")]));
    await turn.end(asReply(assistant("Good day.")));
    expect(await counted()).toBe(2);
    const past = [user("Hello there."), assistant("Good day.")];
    // The second fails, is made again, and fails; then something else is said.
    await tidemark.begin(requestOf([...past, user("Where is it?")]));
    await tidemark.begin(requestOf([...past, user("Where is it?")]));
    expect(await counted()).toBe(3);
    const other = await tidemark.begin(requestOf([...past, user("Who is it?")]));
    await other.end(asReply(assistant("Ada.")));
    expect(await counted()).toBe(5);
  });
});

describe("events", () => {
  it("hold counts, ids and sizes, and no word of what was said, asked or recalled", async () => {
    const canary = "Quixotryx";
    const { tidemark, events } = await open({ recall: {} });
    await tidemark.memory.save(`The harbour fee of ${canary} is 12 euro.`);
    await tidemark.memory.recall(`what is the harbour fee of ${canary}?`);
    await tidemark.memory.search(`harbour fee ${canary}`);
    const messages = [
      user(`What is the harbour fee of ${canary}?`),
      call("t1", "lookup", { name: canary }),
      {
        ...result("t1", ""),
        content: [
          {
            type: "tool_result",
            tool_use_id: "t1",
            is_error: true,
            content: `error: no ${canary}`,
          },
        ],
      },
      assistant(`I found no ${canary}.`),
      user(`No, that's wrong: ${canary} is a harbour, and its fee is due.`),
    ];
    const turn = await tidemark.begin({
      ...requestOf(messages),
      tools: [{ name: "lookup", input_schema: { type: "object" } }],
    });
    await turn.end(asReply(assistant(`So ${canary} it is.`)));
    await tidemark.idle();
    const types = typesOf(events);
    expect(types).toEqual(expect.arrayContaining(["saved", "recalled", "learned"]));
    expect(events).toContainEqual({
      type: "notice",
      about: "learned",
      text: expect.any(String) as string,
      what: "error",
      tool: "lookup",
      characters: `error: no ${canary}`.length,
    });
    expect(
      events.filter(
        (event) =>
          event.type === "notice" && event.about === "learned" && event.what === "correction",
      ),
    ).toHaveLength(1);
    expect(JSON.stringify(events)).not.toContain(canary);
  });
});
