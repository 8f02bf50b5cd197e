import { describe, expect, it } from "vitest";
import type { Message } from "../../src/core/request.ts";
import {
  assistant,
  conversations,
  countingDistiller,
  openRoom,
  type Room,
  tell,
  user,
} from "../support/talk.ts";

const at = (number: number): Message =>
  (number % 2 === 0 ? user : assistant)(
    `«${number}» what was said as number ${number}, ${"about crates on the quay ".repeat(4)}`,
  );
const lineOf = (length: number): Message[] => Array.from({ length }, (_, number) => at(number));

describe("a conversation that leaves its line", () => {
  /** Archives messages [from, to) as a loop would, and answers the id of their conversation. */
  async function talk(room: Room, from: number, to: number): Promise<string> {
    const { tidemark } = room;
    for (let length = from + 1; length < to; length += 2)
      await tell(tidemark, lineOf(length), at(length));
    return (await tidemark.history.list())[0]!.id;
  }
  async function fold(room: Room, conversation: string): Promise<{ id: string; messages: number }> {
    const done = await room.tidemark.fold({ conversation });
    if ("refused" in done) throw new Error(done.refused);
    return done;
  }
  const sends = async (room: Room, messages: Message[]) =>
    (await room.tidemark.begin({ model: "m", max_tokens: 100, messages })).request.messages;

  it("is sent as it is when message 10 was edited after a fold at 40, with all that came later or without", async () => {
    const room = await openRoom({ distil: countingDistiller().complete, inject: false });
    const source = await talk(room, 0, 44);
    const folded = await fold(room, source);
    expect(folded.messages).toBe(40);
    await talk(room, 44, 60);

    const edited = lineOf(61).with(10, user("something else entirely"));
    expect(await sends(room, edited)).toEqual(edited);
    const truncated = edited.slice(0, 11);
    expect(await sends(room, truncated)).toEqual(truncated);

    // The line that was left goes on with its fold.
    const original = await sends(room, lineOf(61));
    expect(original).toHaveLength(1 + 61 - 40);
    expect(JSON.stringify(original[0])).toContain(folded.id);
    expect(
      (await room.tidemark.history.list()).map(({ id, messages, folds }) => [
        id === source,
        messages,
        folds,
      ]),
    ).toEqual(
      expect.arrayContaining([
        [true, 61, 1],
        [false, 61, 0],
        [false, 11, 0],
      ]),
    );
    expect((await room.tidemark.history.read({ fold: folded.id })).messages).toEqual(lineOf(40));
  });

  it("takes along the folds that lie whole below, the pins, and what was distilled of what it shares", async () => {
    const { complete, seen } = countingDistiller();
    const room = await openRoom({ distil: complete });
    const source = await talk(room, 0, 24);
    const first = await fold(room, source);
    expect(first.messages).toBe(20);
    await room.tidemark.pin("Zephyrine keeps the keys.", { conversation: source });
    await talk(room, 24, 60);
    const second = await fold(room, source);
    expect(second.messages).toBe(56);
    expect(seen).toEqual(lineOf(56).map((_, number) => `«${number}»`));

    const branch = [...lineOf(30), user("«30» another way")];
    const sent = await sends(room, branch);
    expect(sent).toHaveLength(1 + 11);
    expect(JSON.stringify(sent[0])).toContain(first.id);
    expect(sent.slice(1)).toEqual(branch.slice(20));

    await tell(room.tidemark, branch, assistant("«31» fine"));
    for (let number = 32; number < 40; number += 2) {
      branch.push(number === 32 ? assistant("«31» fine") : at(number - 1), at(number));
      await tell(room.tidemark, branch, at(number + 1));
    }
    seen.length = 0;
    const [{ id }] = (await room.tidemark.history.list()) as unknown as [{ id: string }];
    expect(id).not.toBe(source);
    const third = await fold(room, id);
    expect(seen).toEqual(["«30»", "«31»", "«32»", "«33»", "«34»", "«35»"]);
    const later = await sends(room, [...branch, at(39), user("and on")]);
    expect(JSON.stringify(later[0])).toContain(third.id);
    expect(JSON.stringify(later[0])).toContain("Zephyrine keeps the keys.");

    // What the branch took along is its own: the source may be forgotten.
    await room.tidemark.history.forget({ conversation: source });
    expect((await (await room.reopen()).history.read({ fold: first.id })).messages).toEqual(
      lineOf(20),
    );
    expect((await room.tidemark.history.read({ fold: second.id })).messages).toEqual([]);
  });
});

describe("users and labels", () => {
  it("keeps apart by the host's label what content cannot tell, and finds it again by that label", async () => {
    const room = await openRoom();
    const line = [user("hi"), assistant("Hello! How can I help you today?"), user("tides?")];
    for (const conversation of ["one", "two"]) {
      await tell(room.tidemark, line.slice(0, 1), line[1]!, { conversation });
      // Without a reply only the label can tell that it is the same call made again.
      await tell(room.tidemark, line.slice(0, 1), line[1]!, { conversation });
    }
    await tell(room.tidemark.as({ conversation: "one" }), line, assistant("High at noon."));
    await tell(room.tidemark, line.slice(0, 1), line[1]!);
    const { history } = await room.reopen();
    expect((await history.list()).map(({ label, messages }) => [label, messages])).toEqual([
      [undefined, 2],
      ["one", 4],
      ["two", 2],
    ]);
    expect((await history.read({ conversation: "one" })).messages).toEqual([
      ...line,
      assistant("High at noon."),
    ]);
    expect(await history.forget({ conversation: "two" })).toBe(1);
    expect(await history.read({ conversation: "two" })).toEqual({ messages: [] });
    expect(await history.list()).toHaveLength(2);
  });
});

describe("bound thinking", () => {
  const thinking = (number: number): Message =>
    assistant([
      { type: "thinking", thinking: `thought ${number}`, signature: `sig-${number}` },
      { type: "text", text: `answer ${number}` },
    ]);
  const request = { system: "You are kind.", thinking: { type: "adaptive" } };
  const thoughts = (messages: readonly Message[]) =>
    messages.filter(
      ({ content }) =>
        Array.isArray(content) &&
        content.some((block: { type: string }) => block.type === "thinking"),
    ).length;

  it("of a tool loop under way is left alone when Tidemark comes in: what it has to add waits for the loop's end", async () => {
    const room = await openRoom();
    await room.tidemark.memory.save("The harbour master is called Zephyrine.");
    const asks = (number: number): Message =>
      assistant([
        { type: "thinking", thinking: "…", signature: `sig-${number}` },
        { type: "tool_use", id: `t${number}`, name: "look", input: {} },
      ]);
    const answers = (number: number): Message =>
      user([{ type: "tool_result", tool_use_id: `t${number}`, content: "a boat" }]);
    const line = [user("look around"), asks(0), answers(0)];
    const first = await tell(room.tidemark, line, asks(1), { request });
    expect(first.request.system).toBe("You are kind.");
    expect(thoughts(first.request.messages)).toBe(1);
    line.push(asks(1), answers(1));
    const second = await tell(room.tidemark, line, thinking(2), { request });
    expect(thoughts(second.request.messages)).toBe(2);
    line.push(thinking(2), user("thanks"));
    const third = await tell(room.tidemark, line, thinking(3), { request });
    expect(JSON.stringify(third.request.system)).toContain("Zephyrine");
    expect(await conversations(room.tidemark)).toEqual([[...line, thinking(3)]]);
  });

  it("of one of two conversations with the same words is not sent behind the other's system text", async () => {
    const room = await openRoom();
    const says = (signature: string): Message =>
      assistant([
        { type: "thinking", thinking: "…", signature },
        { type: "text", text: "Hello! How can I help you today?" },
      ]);
    await room.tidemark.memory.save("The harbour master is called Zephyrine.");
    await tell(room.tidemark, [user("hi")], says("one"), { request });
    await room.tidemark.memory.save("The ferry is called Aurelia.");
    await tell(room.tidemark, [user("hi")], says("two"), { request });
    await room.reopen();
    for (const [signature, knows] of [
      ["one", false],
      ["two", true],
    ] as const) {
      const begun = await tell(
        room.tidemark,
        [user("hi"), says(signature), user("go on")],
        undefined,
        { request },
      );
      expect(thoughts(begun.request.messages)).toBe(1);
      expect(JSON.stringify(begun.request.system).includes("Aurelia")).toBe(knows);
    }
  });
});
