import type { VectorStorage } from "../../src/storage/port.ts";
import { describe, expect, it } from "vitest";
import { anthropic } from "../../src/providers/anthropic/messages.ts";
import type { DistilTask } from "../../src/memory/extracting/task.ts";
import { extractive } from "../../src/memory/extracting/extractive.ts";
import { createConversations } from "../../src/conversations/conversations.ts";
import { bodiesOf } from "../../src/conversations/entries.ts";
import { createSessions } from "../../src/conversations/sessions.ts";
import type { Message } from "../../src/core/request.ts";
import { openStorage } from "../../src/storage/sqlite/sqlite-storage.ts";
import { assistant, conversations, openRoom, requestOf, user } from "../support/talk.ts";
import { counted } from "../support/turns.ts";

/** Talk of a harbour, in which every statement is one of a routine. */
const talk = (length: number): Message[] =>
  Array.from({ length }, (_, at) =>
    at % 2 === 0
      ? user(`We decided that berth ${at} belongs to boat ${at * 7}.`)
      : assistant(`Noted: berth ${at - 1} is taken.`),
  );
const task = (messages: Message[], more: Partial<DistilTask> = {}): DistilTask => ({
  ...{ dialect: anthropic, messages, factsFrom: 0, summaryTokens: 1_000 },
  ...{ signal: new AbortController().signal },
  ...more,
});

describe("the first request of a long conversation", () => {
  it("lets others have their turn while it is read and archived", async () => {
    const store = openStorage(":memory:");
    const sessions = createSessions({ store, now: () => 1, newId: () => "s", weigh: () => 1 });
    const messages = talk(4_000);
    const { made, turns } = await counted(() =>
      sessions.place({ dialect: anthropic, messages, root: "r" }),
    );
    expect(made.entries).toHaveLength(4_000);
    // Eight transactions, and what is read before, ten milliseconds at a time.
    expect(turns).toBeGreaterThanOrEqual(9);
    expect(await bodiesOf(store, "s", 0, 4_000)).toEqual(messages);
    await store.close();
  });

  it("is folded at the brim, and no message of it is lost", async () => {
    const { tidemark } = await openRoom({ window: { tokens: 9_000, reserve: 500 } });
    const messages = [...talk(700), user("Go on.")];
    const { folded } = await tidemark.begin(requestOf(messages));
    expect(folded?.messages).toBeGreaterThan(600);
    expect(await conversations(tidemark)).toEqual([messages]);
  });

  it("is one conversation, also where two requests begin it at once", async () => {
    const { tidemark } = await openRoom();
    const messages = [...talk(1_200), user("Go on.")];
    const copy = structuredClone(messages);
    await Promise.all(
      [messages, copy].map((one) => tidemark.begin(requestOf(one), { conversation: "harbour" })),
    );
    expect(await conversations(tidemark)).toEqual([messages]);
  });
});

describe("a long import", () => {
  const messages = Array.from({ length: 1_700 }, (_, at) => ({
    role: "user",
    text: `Berth ${at} is taken.`,
  }));
  const room = (store: VectorStorage) => {
    let ids = 0;
    return createConversations({
      store,
      root: "r",
      now: () => 1,
      newId: () => `s${(ids += 1)}`,
      alone: (work) => work(),
    });
  };

  it("lets others have their turn, and adds only what is new when it is told again", async () => {
    const store = openStorage(":memory:");
    const archive = room(store);
    const { made, turns } = await counted(() => archive.import({ id: "old", messages }));
    expect(made).toBe(1_700);
    expect(turns).toBeGreaterThanOrEqual(6);
    expect(await archive.import({ id: "old", messages })).toBe(0);
    expect(
      await archive.import({ id: "old", messages: [...messages, { role: "user", text: "New." }] }),
    ).toBe(1);
    expect((await archive.read({ conversation: "old" })).messages).toEqual([
      ...messages,
      { role: "user", text: "New." },
    ]);
    await store.close();
  });

  it("is not there at all when it is refused half-way", async () => {
    const store = openStorage(":memory:");
    let writes = 0;
    const full: VectorStorage = {
      ...store,
      commit: async (unit) =>
        (writes += 1) === 3 ? Promise.reject(new Error("the disk is full")) : store.commit(unit),
    };
    const archive = room(full);
    await expect(archive.import({ id: "old", messages })).rejects.toThrow("the disk is full");
    expect(await archive.list()).toEqual([]);
    expect(await archive.import({ id: "old", messages })).toBe(1_700);
    await store.close();
  });
});

describe("a long range without a model", () => {
  it("is quoted in parts, with turns for others between them and in them", async () => {
    const { turns } = await counted(() => extractive(task(talk(1_600))));
    expect(turns).toBeGreaterThanOrEqual(8);
  });

  it("keeps the user's first words and last ones, with the messages they stand in", async () => {
    const messages = [
      user("My name is Ada Quill and the ship is the Petrel."),
      ...talk(1_500),
      user("Correction: the ship is the Kittiwake, not the Petrel."),
    ];
    const { facts, summary } = await extractive(task(messages, { summaryTokens: 2_000 }));
    expect(`${summary} ${facts.map(({ content }) => content).join(" ")}`).toMatch(/Kittiwake/);
    const named = facts.find(({ content }) => content.includes("Kittiwake"));
    expect(named?.from.at(-1)).toBe(messages.length - 1);
    expect(facts.every(({ from }) => from.every((at) => messages[at] !== undefined))).toBe(true);
  });
});
