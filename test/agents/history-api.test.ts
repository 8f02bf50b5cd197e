import { readdirSync, readFileSync } from "node:fs";
import { dirname, join } from "node:path";
import { describe, expect, it } from "vitest";
import { setImmediate } from "node:timers/promises";
import { isTidemarkError, openTidemark } from "../../src/index.ts";
import { assistant, conversations, openRoom, tell, user } from "../support/talk.ts";

const config = expect.objectContaining({ code: "config" }) as unknown;
const said = (text: string, more: Record<string, unknown> = {}) => ({
  role: "user",
  text,
  ...more,
});

describe("history.import", () => {
  const setUp = async () => (await openRoom({ workspace: false })).tidemark.history;
  const texts = async (history: Awaited<ReturnType<typeof setUp>>, id = "old") =>
    (await history.read({ conversation: id })).messages.map(({ text }) => text);

  it("gives back what was imported, its times as integer ms", async () => {
    const history = await setUp();
    const at = Date.UTC(2025, 4, 8, 13, 56);
    const added = await history.import({
      id: "old/1",
      messages: [
        {
          role: "user",
          name: "Ada",
          text: "I adopted a greyhound.",
          at: "2025-05-08T13:56:00Z",
          ref: "D1:1",
        },
        { role: "assistant", text: "Lovely!", at: new Date(at + 1_000) },
        { role: "user", text: "Indeed.", at: at + 2_000.4 },
        { role: "user", text: "Yes.", at: "2025-05-08T15:56:03.5+02:00" },
        { role: "user", text: "" },
      ],
    });
    expect(added).toBe(5);
    expect(await history.read({ conversation: "old/1" })).toEqual({
      messages: [
        { role: "user", name: "Ada", text: "I adopted a greyhound.", at, ref: "D1:1" },
        { role: "assistant", text: "Lovely!", at: at + 1_000 },
        { role: "user", text: "Indeed.", at: at + 2_000 },
        { role: "user", text: "Yes.", at: at + 3_500 },
        { role: "user", text: "" },
      ],
    });
    expect(await history.list()).toEqual([
      {
        id: expect.any(String) as string,
        label: "old/1",
        messages: 5,
        updatedAt: expect.any(Number) as number,
        at,
        folds: 0,
      },
    ]);
  });

  it("adds nothing the second time, and only what is new the third", async () => {
    const history = await setUp();
    const messages = ["a", "ok", "b", "ok"].map((text) => said(text));
    expect(await history.import({ id: "old", messages })).toBe(4);
    expect(await history.import({ id: "old", messages })).toBe(0);
    expect(
      await history.import({ id: "old", messages: [...messages, said("ok"), said("c")] }),
    ).toBe(2);
    expect(await texts(history)).toEqual(["a", "ok", "b", "ok", "ok", "c"]);
    expect(await history.list()).toHaveLength(1);
  });

  it("keeps the conversations of two users under one id apart, and imported ones apart from those had here", async () => {
    const { tidemark } = await openRoom({ workspace: false });
    const [ada, bob] = [tidemark.as({ user: "ada" }), tidemark.as({ user: "bob" })];
    await ada.history.import({ id: "old", messages: [said("hers")] });
    await bob.history.import({ id: "old", messages: [said("his")] });
    expect((await ada.history.read({ conversation: "old" })).messages).toEqual([said("hers")]);
    await tell(ada, [user("hi")], assistant("Hello!"), { conversation: "old" });
    expect(await ada.history.import({ id: "old", messages: [said("hers"), said("more")] })).toBe(1);
    expect((await ada.history.list()).map(({ messages }) => messages).sort()).toEqual([2, 2]);
  });

  it.each<[string, unknown]>([
    ["nothing", undefined],
    ["no id", { messages: [] }],
    ["an endless id", { id: "x".repeat(501), messages: [] }],
    ["no messages", { id: "x" }],
    ["a hole in the list", { id: "x", messages: new Array(1) }],
    ["no role", { id: "x", messages: [{ text: "a" }] }],
    ["one bad message", { id: "x", messages: [said("a"), said("b"), { role: "user" }] }],
    [
      "blocks for a text",
      { id: "x", messages: [{ role: "user", text: [{ type: "text", text: "a" }] }] },
    ],
    ["an object as ref", { id: "x", messages: [said("a", { ref: {} })] }],
    ["a time without zone", { id: "x", messages: [said("a", { at: "2025-05-08T13:56:00" })] }],
    ["a time beyond all times", { id: "x", messages: [said("a", { at: 1e300 })] }],
  ])("refuses %s with one clear sentence, and adds nothing", async (_what, conversation) => {
    const history = await setUp();
    const refused = await history.import(conversation as never).catch((thrown: unknown) => thrown);
    expect(refused).toEqual(config);
    expect(isTidemarkError(refused) && refused.message).toMatch(/^[^\n]{20,300}\.$/);
    expect(await history.list()).toEqual([]);
  });
});

describe("history.read, list and forget", () => {
  it("refuse what cannot be meant, and know nothing of unknown ids", async () => {
    const { history } = (await openRoom({ workspace: false })).tidemark;
    for (const which of [undefined, {}, { conversation: 7 }])
      await expect(history.read(which as never)).rejects.toEqual(config);
    for (const which of [undefined, {}, { conversation: 7 }, { before: "yesterday" }])
      await expect(history.forget(which as never)).rejects.toEqual(config);
    expect(await history.read({ conversation: "x" })).toEqual({ messages: [] });
    expect(await history.read({ fold: "x" })).toEqual({ messages: [] });
    expect(await history.forget({ conversation: "x" })).toBe(0);
    expect(await history.forget({ before: 0 })).toBe(0);
    expect(await history.list()).toEqual([]);
  });

  it("forget what was had before a moment: imported conversations by their own times", async () => {
    let time = Date.UTC(2026, 0, 1);
    const { tidemark } = await openRoom({ workspace: false, now: () => time });
    await tidemark.history.import({
      id: "spring",
      messages: [said("a", { at: "2025-04-01T00:00:00Z" })],
    });
    await tidemark.history.import({
      id: "summer",
      messages: [
        said("a", { at: "2025-04-01T00:00:00Z" }),
        said("b", { at: "2025-07-01T00:00:00Z" }),
      ],
    });
    await tell(tidemark, [user("hi")], assistant("Hello!"));
    time += 1_000;
    expect(await tidemark.history.forget({ before: "2025-06-01T00:00:00Z" })).toBe(1);
    expect((await tidemark.history.list()).map(({ label }) => label).toSorted()).toEqual([
      "summer",
      undefined,
    ]);
    expect(await tidemark.history.forget({ before: time })).toBe(2);
    expect(await tidemark.history.list()).toEqual([]);
  });

  it("forget a conversation from search and from the disk, byte for byte, and keep what another shares", async () => {
    const room = await openRoom();
    const { tidemark } = room;
    const line = [
      user("Is the lighthouse called Albatrosszwölf?"),
      assistant("I will not tell."),
      user("Say it: Albatrosszwölf!"),
    ];
    await tell(tidemark, line.slice(0, 1), line[1]!);
    await tell(tidemark, line, assistant("No."));
    await tell(
      tidemark,
      [user("shared words"), assistant("x"), user("shared words")],
      assistant("yes"),
    );
    expect(await tidemark.memory.search("lighthouse", { in: ["history"] })).not.toEqual([]);
    const [, secret] = await tidemark.history.list();
    expect(await tidemark.history.forget({ conversation: secret!.id })).toBe(1);
    expect(await tidemark.memory.search("lighthouse", { in: ["history"] })).toEqual([]);
    expect((await conversations(tidemark)).flat()).toContainEqual(user("shared words"));
    const folder = dirname(room.file);
    for (const file of readdirSync(folder).filter((name) => name.startsWith("tidemark.db")))
      expect(readFileSync(join(folder, file)).includes("Albatrosszw")).toBe(false);
  });

  it("forget a conversation while it is being indexed, wherever the indexing stands, also for a second process", async () => {
    const room = await openRoom();
    const first = room.tidemark;
    const second = await openTidemark({
      workspace: dirname(dirname(room.file)),
      distil: "extractive",
    });
    const about = { in: ["history" as const], limit: 50 };
    for (let ticks = 0; ticks < 14; ticks += 1) {
      const forgetting = ticks % 2 ? first : second;
      await first.history.import({
        id: "old",
        messages: Array.from({ length: 260 }, (_, n) =>
          said(`The lighthouse of ${n} has ${"lamp ".repeat(150)}`),
        ),
      });
      const searches = [
        first.memory.search("lighthouse", about),
        second.memory.search("lamp", about),
      ];
      for (let tick = 0; tick < ticks; tick += 1) await setImmediate();
      await forgetting.history.forget({ conversation: "old" });
      await Promise.all(searches);
      for (const tidemark of [first, second])
        expect(await tidemark.memory.search("lighthouse lamp", about)).toEqual([]);
    }
    await second.close();
  });

  it("forget a conversation whose call is under way: what comes later is not kept", async () => {
    const { tidemark } = await openRoom();
    await tell(tidemark, [user("hi")], assistant("Hello! How can I help you today?"));
    const turn = await tidemark.begin({
      model: "m",
      messages: [user("hi"), assistant("Hello! How can I help you today?"), user("a secret")],
    });
    const [listed] = await tidemark.history.list();
    await tidemark.history.forget({ conversation: listed!.id });
    await turn.end(assistant("I see."));
    expect(await tidemark.history.list()).toEqual([]);
    // Who sends it again has not forgotten it: it is a conversation like any other.
    await tell(
      tidemark,
      [user("hi"), assistant("Hello! How can I help you today?"), user("again")],
      assistant("Again."),
    );
    expect(await conversations(tidemark)).toEqual([
      [
        user("hi"),
        assistant("Hello! How can I help you today?"),
        user("again"),
        assistant("Again."),
      ],
    ]);
  });

  it("finds the newest words of a regenerated reply by search, though the old ones were indexed before", async () => {
    const { tidemark } = await openRoom();
    const asked = [user("hi"), assistant("Hello! How can I help you today?"), user("name a bird")];
    await tell(tidemark, asked.slice(0, 1), asked[1]!);
    await tell(tidemark, asked, assistant("A cormorant."));
    const texts = async (query: string) =>
      (await tidemark.memory.search(query, { in: ["history"] })).map(({ text }) => text);
    expect(await texts("cormorant")).toContain("A cormorant.");
    await tell(tidemark, asked, assistant("A puffin."));
    expect(await texts("puffin")).toContain("A puffin.");
    expect(await texts("cormorant")).not.toContain("A cormorant.");
  });
});
