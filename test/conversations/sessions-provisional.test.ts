import { describe, expect, it } from "vitest";
import type { Message } from "../../src/core/request.ts";
import { assistant, call, conversations, openRoom, result, tell, user } from "../support/talk.ts";

const HI = user("hi");

const HELLO = assistant("Hello! How can I help you today?");

describe("last messages, until the next request confirms them", () => {
  const talk = async () => {
    const room = await openRoom();
    await tell(room.tidemark, [HI], HELLO);
    return room;
  };
  const replaced = (room: Awaited<ReturnType<typeof talk>>) =>
    room.inspect(async (history) =>
      (await history.asides((await room.tidemark.history.list())[0]!.id)).map(({ body }) => body),
    );

  it("keeps a regenerated reply in line and the old one aside", async () => {
    const room = await talk();
    const asked = [HI, HELLO, user("a poem")];
    await tell(room.tidemark, asked, assistant("Roses are red."));
    await tell(room.tidemark, asked, assistant("Violets are blue."));
    expect(await conversations(room.tidemark)).toEqual([
      [...asked, assistant("Violets are blue.")],
    ]);
    expect(await replaced(room)).toEqual([assistant("Roses are red.")]);
  });

  it("lets go of a fold with the calls it stood for when their question is asked again", async () => {
    const room = await openRoom({ window: { tokens: 4_000, patience: 0 }, inject: false });
    await tell(room.tidemark, [HI], HELLO);
    const asked = [HI, HELLO, user("Read all the pages, please.")];
    const pages = (length: number, text: string) =>
      Array.from({ length }, (_, at) => [
        next(at),
        result(`c${at}`, `Page ${at} says: ${text}`),
      ]).flat();
    const next = (at: number) => call(`c${at}`, "page", { at });
    let [many, folded] = [0, 0];
    while (folded < 6) {
      many += 1;
      const old = pages(many, "The tide is out. ".repeat(50));
      folded = (await tell(room.tidemark, [...asked, ...old], next(many))).folded?.messages ?? 0;
    }
    await tell(room.tidemark, asked, next(0));
    const anew = [...asked, ...pages(many + 1, "It is in.")];
    await tell(room.tidemark, anew.slice(0, -2), next(many));
    expect((await tell(room.tidemark, anew)).request.messages).toEqual(anew);
  });

  it("keeps an edited last message in line and the old one with its reply aside", async () => {
    const room = await talk();
    await tell(room.tidemark, [HI, HELLO, user("a pome")], assistant("A what?"));
    await tell(room.tidemark, [HI, HELLO, user("a poem")], assistant("Roses."));
    expect(await conversations(room.tidemark)).toEqual([
      [HI, HELLO, user("a poem"), assistant("Roses.")],
    ]);
    expect(await replaced(room)).toEqual([user("a pome"), assistant("A what?")]);
  });

  it.each<[string, (asked: Message, whole: string) => Message[]]>([
    [
      "as far as it came",
      (asked, whole) => [asked, assistant(whole.slice(0, 40)), user("continue")],
    ],
    [
      "with a mark",
      (asked, whole) => [asked, assistant(`${whole.slice(0, 40)} [interrupted]`), user("continue")],
    ],
    [
      "with a mark in a block of its own",
      (asked, whole) => [
        asked,
        assistant([
          { type: "text", text: whole.slice(0, 40) },
          { type: "text", text: "[Request interrupted by user]" },
        ]),
        user("continue"),
      ],
    ],
    ["not at all", (asked) => [asked, user("continue")]],
    [
      "not at all, the user's words joined",
      (asked) => [
        user([
          { type: "text", text: asked.content },
          { type: "text", text: "continue" },
        ]),
      ],
    ],
    [
      "not at all, the user's words joined in one text",
      (asked) => [user(`${String(asked.content)}\n\ncontinue`)],
    ],
  ])("goes on when a cut reply comes back %s", async (_how, next) => {
    const whole = "Once upon a time there was a tide that came in twice and went out once.";
    for (const begun of [[], [HI, HELLO]]) {
      for (const archived of [whole, whole.slice(0, 50)]) {
        const room = await openRoom();
        if (begun.length > 0) await tell(room.tidemark, [HI], HELLO);
        const asked = user("Tell me a story about the sea");
        await tell(room.tidemark, [...begun, asked], assistant(archived));
        const again = [...begun, ...next(asked, archived)];
        await tell(room.tidemark, again, assistant("The end."));
        const lines = await conversations(room.tidemark);
        // A first exchange that comes back without its reply, or with other words of the user's, proves nothing: that is a new conversation.
        const isKept = again.some(({ content }) => content === asked.content);
        const proves = begun.length > 0 || again[1]?.role === "assistant";
        // Of a reply that is shown cut, or not at all, the whole of what came is kept.
        expect(lines[0]).toEqual(
          proves && isKept
            ? [...begun, asked, assistant(archived), user("continue"), assistant("The end.")]
            : [...again, assistant("The end.")],
        );
        expect(lines.length === 1).toBe(proves);
      }
    }
  });

  it("tries a failed call again in the same place", async () => {
    const room = await talk();
    for (let attempt = 0; attempt < 3; attempt++)
      await tell(room.tidemark, [HI, HELLO, user("again")]);
    await tell(room.tidemark, [HI, HELLO, user("again")], assistant("At last."));
    expect(await conversations(room.tidemark)).toEqual([
      [HI, HELLO, user("again"), assistant("At last.")],
    ]);
  });
});
