import { afterEach, describe, expect, it } from "vitest";
import { leaveRooms, openRoom } from "../../support/talk.ts";
import { NOON } from "../../support/workspace.ts";

afterEach(leaveRooms);

const said = (text: string, more: object = {}, role = "user") => ({ role, text, ...more });
const CHAT = [
  said("Where is the key?"),
  said("Under the mat.", {}, "assistant"),
  said("And the lamp?"),
  said("In the hall.", {}, "assistant"),
];
const room = async () => (await openRoom({ workspace: false })).tidemark.history;
const texts = async (history: Awaited<ReturnType<typeof room>>) =>
  (await history.read({ conversation: "old" })).messages.map(({ text }) => text);

describe("a conversation that is imported again", () => {
  it.each([
    ["in the middle", 1],
    ["at its beginning", 0],
    ["at its end", 3],
  ])("with a message changed %s has it in its place; how it was is kept beside", async (_, at) => {
    const history = await room();
    await history.import({ id: "old", messages: CHAT });
    const changed = { ...CHAT[at], role: CHAT[at]?.role ?? "", text: "Something else." };
    const messages = CHAT.with(at, changed);
    expect(await history.import({ id: "old", messages })).toBe(1);
    expect(await texts(history)).toEqual(messages.map(({ text }) => text));
    expect((await history.read({ conversation: "old" })).earlier).toMatchObject([
      { at, message: { text: CHAT[at]?.text } },
    ]);
    expect(await history.import({ id: "old", messages })).toBe(0);
    expect(await history.import({ id: "old", messages: [...messages, said("Thanks.")] })).toBe(1);
    expect((await texts(history)).at(-1)).toBe("Thanks.");
  });

  it("knows a message by its reference, though it is told alone", async () => {
    const history = await room();
    const named = CHAT.map((message, at) => ({ ...message, ref: `m${at}` }));
    await history.import({ id: "old", messages: named });
    const again = [said("In the cellar.", { ref: "m3" }, "assistant")];
    expect(await history.import({ id: "old", messages: again })).toBe(1);
    expect(await texts(history)).toEqual([
      ...CHAT.slice(0, 3).map(({ text }) => text),
      "In the cellar.",
    ]);
  });

  it("with a tail that was asked anew and goes on longer has the new one in its place", async () => {
    const history = await room();
    await history.import({ id: "old", messages: CHAT });
    const tail = [said("And the boat?"), said("Sold.", {}, "assistant"), said("Pity.")];
    await history.import({ id: "old", messages: [...CHAT.slice(0, 2), ...tail] });
    expect(await texts(history)).toEqual([...CHAT.slice(0, 2), ...tail].map(({ text }) => text));
  });

  it("in part adds what is new behind", async () => {
    const history = await room();
    await history.import({ id: "old", messages: CHAT });
    await history.import({ id: "old", messages: [...CHAT.slice(2), said("Thanks.")] });
    await history.import({ id: "old", messages: [said("Bye.")] });
    expect(await texts(history)).toEqual([...CHAT.map(({ text }) => text), "Thanks.", "Bye."]);
  });
});

describe("the moment of an imported message", () => {
  it("may be seconds, with parts of them; before 2000 and in the future it is asked about", async () => {
    const history = await room();
    for (const at of [1_767_000_000.25, 1_767_000_000]) {
      await history.import({ id: `${at}`, messages: [said("Hello", { at })] });
      const { messages } = await history.read({ conversation: `${at}` });
      expect(messages[0]?.at).toBe(at * 1_000);
    }
    for (const at of [0, 12, "1999-12-31T00:00:00Z", NOON + 100 * 86_400_000 * 365, 4e9]) {
      const refused = history.import({ id: "odd", messages: [said("Hello", { at })] });
      await expect(refused).rejects.toThrow(
        /^history\.import: [^\n]*(before 2000|in the future); [^\n]*leave "at" out\.$/,
      );
    }
  });
});
