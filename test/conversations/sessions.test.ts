import { describe, expect, it } from "vitest";
import type { Message } from "../../src/core/request.ts";
import {
  asReply,
  assistant,
  conversations,
  copied,
  openRoom,
  requestOf,
  tell,
  user,
} from "../support/talk.ts";

const HI = user("hi");
const HELLO = assistant("Hello! How can I help you today?");

describe("conversations that say the same", () => {
  it("keeps two with the same hi and the same reply apart, each in its line", async () => {
    const { tidemark } = await openRoom();
    await tell(tidemark, [HI], HELLO);
    await tell(tidemark, [HI], HELLO);
    await tell(tidemark, [HI, HELLO, user("weather?")], assistant("Sunny."));
    await tell(tidemark, [HI, HELLO, user("cats?")], assistant("They purr."));
    await tell(
      tidemark,
      [HI, HELLO, user("weather?"), assistant("Sunny."), user("thanks")],
      assistant("Welcome."),
    );
    await tell(
      tidemark,
      [HI, HELLO, user("cats?"), assistant("They purr."), user("why?")],
      assistant("Nobody knows."),
    );
    const lines = await conversations(tidemark);
    expect(lines).toHaveLength(2);
    expect(lines).toContainEqual([
      HI,
      HELLO,
      user("weather?"),
      assistant("Sunny."),
      user("thanks"),
      assistant("Welcome."),
    ]);
    expect(lines).toContainEqual([
      HI,
      HELLO,
      user("cats?"),
      assistant("They purr."),
      user("why?"),
      assistant("Nobody knows."),
    ]);
  });

  it("shares neither epoch, watermark, calibration nor folds among them", async () => {
    const room = await openRoom({ window: { tokens: 4_000, reserve: 400 } });
    const { tidemark } = room;
    const page = (name: string) =>
      `${name}: ${"boats wait for the tide and somebody counts crates on the quay. ".repeat(12)}`;
    const one: Message[] = [HI, HELLO];
    await tell(tidemark, [HI], HELLO);
    for (let index = 0; index < 12; index++) {
      one.push(user(page(`question ${index}`)));
      const reply = assistant(page(`answer ${index}`));
      const turn = await tidemark.begin(requestOf(one));
      await turn.end({
        ...(asReply(reply) as object),
        usage: {
          input_tokens: Math.ceil(JSON.stringify(turn.request.messages).length / 3),
          output_tokens: 9,
        },
      });
      one.push(reply);
    }
    expect(room.events.filter(({ type }) => type === "folded").length).toBeGreaterThan(0);
    await tell(tidemark, [HI], HELLO);
    const turn = await tidemark.begin(requestOf([HI, HELLO, user("cats?")]));
    expect(turn.request.messages.slice(0, 2).map(({ role }) => role)).toEqual([
      "user",
      "assistant",
    ]);
    expect(JSON.stringify(turn.request.messages)).not.toContain("tidemark-summary");
    const [latest] = await tidemark.history.list();
    expect(latest).toMatchObject({ messages: 3, folds: 0 });
    const [session] = await room.inspect((history) => history.sessions({ ids: [latest!.id] }));
    expect(session).toMatchObject({ watermark: 0 });
    expect(session!.state.calibration).toBeUndefined();
  });

  it("starts a conversation of its own for each use of the same few-shots, by one user or by two", async () => {
    const { tidemark } = await openRoom();
    const shots = [user("2+2"), assistant("4"), user("3+3"), assistant("6")];
    for (const who of [tidemark, tidemark.as({ user: "ada" }), tidemark.as({ user: "bob" })]) {
      await tell(who, [...shots, user("4+4")], assistant("8"));
      await tell(who, [...shots, user("5+5")], assistant("10"));
      await tell(who, [...shots, user("4+4")], assistant("8"));
      expect((await who.history.list()).map(({ messages }) => messages)).toEqual([6, 6, 6]);
    }
  });
});

describe("two calls at once on one conversation", () => {
  it("gives each its own line when their last messages differ", async () => {
    const { tidemark } = await openRoom();
    await tell(tidemark, [HI], HELLO);
    const turns = await Promise.all(
      ["A", "B", "C"].map((name) => tidemark.begin(requestOf([HI, HELLO, user(name)]))),
    );
    await Promise.all(
      turns.map((turn, index) => turn.end(asReply(assistant(`for ${"ABC"[index]}`)))),
    );
    const lines = await conversations(tidemark);
    expect(lines).toHaveLength(3);
    for (const name of "ABC")
      expect(lines).toContainEqual([HI, HELLO, user(name), assistant(`for ${name}`)]);
    for (const name of "CAB")
      await tell(
        tidemark,
        [HI, HELLO, user(name), assistant(`for ${name}`), user("and?")],
        assistant(`more for ${name}`),
      );
    const later = await conversations(tidemark);
    expect(later).toHaveLength(3);
    for (const name of "ABC")
      expect(later).toContainEqual([
        HI,
        HELLO,
        user(name),
        assistant(`for ${name}`),
        user("and?"),
        assistant(`more for ${name}`),
      ]);
  });

  it("keeps both replies of one request sent twice: one in line, one aside", async () => {
    const room = await openRoom();
    const { tidemark } = room;
    await tell(tidemark, [HI], HELLO);
    const asked = [HI, HELLO, user("pick a number")];
    const turns = await Promise.all([
      tidemark.begin(requestOf(asked)),
      tidemark.begin(requestOf(copied(asked))),
    ]);
    await Promise.all(
      turns.map((turn, index) => turn.end(asReply(assistant(`It is number ${index}.`)))),
    );
    await tell(
      tidemark,
      [...asked, assistant("It is number 0."), user("why?")],
      assistant("Because."),
    );
    expect(await conversations(tidemark)).toEqual([
      [...asked, assistant("It is number 0."), user("why?"), assistant("Because.")],
    ]);
    const { id } = (await tidemark.history.list())[0]!;
    expect(await room.inspect((history) => history.asides(id))).toContainEqual(
      expect.objectContaining({ body: assistant("It is number 1.") }),
    );
  });

  it("loses nothing between two processes on one workspace", async () => {
    const room = await openRoom();
    const other = await (
      await import("../../src/index.ts")
    ).openTidemark({
      workspace: room.file.replace(/\.tidemark.*/, ""),
      distil: "extractive",
      window: { tokens: 1_000_000 },
    });
    await tell(room.tidemark, [HI], HELLO);
    const line: Message[] = [HI, HELLO];
    for (let index = 0; index < 10; index++) {
      line.push(user(`question ${index}`));
      await tell(index % 2 === 0 ? other : room.tidemark, line, assistant(`answer ${index}`));
      line.push(assistant(`answer ${index}`));
    }
    const both = [user("from one"), user("from the other")];
    // A call that was answered before the next begins is what the next may take the place of; these two are under way at once.
    const turns = await Promise.all(
      both.map((last, index) => tell(index === 0 ? other : room.tidemark, [...line, last])),
    );
    await Promise.all(turns.map((turn, index) => turn.end(asReply(assistant(`for ${index}`)))));
    await other.close();
    const lines = await conversations(room.tidemark);
    for (const [index, last] of both.entries())
      expect(lines).toContainEqual([...line, last, assistant(`for ${index}`)]);
    expect(lines).toHaveLength(2);
  });
});
