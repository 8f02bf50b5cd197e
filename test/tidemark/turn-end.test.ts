import { describe, expect, it } from "vitest";
import type { Message } from "../../src/core/request.ts";
import type { Tidemark } from "../../src/session/options/tidemark-api.ts";
import { assistant, openRoom, requestOf, user } from "../support/talk.ts";

const reply = (content: unknown, output = 5) => ({
  id: "msg_1",
  type: "message",
  model: "claude-sonnet-5-5",
  role: "assistant",
  content,
  stop_reason: "end_turn",
  usage: { input_tokens: 1_000, output_tokens: output },
});
const tooLong = {
  status: 400,
  error: {
    error: {
      type: "invalid_request_error",
      message: "prompt is too long: 9000 tokens > 8000 maximum",
    },
  },
};

async function sums(tidemark: Tidemark) {
  const { turn } = (await tidemark.stats()).calls;
  const [conversation] = await tidemark.history.list();
  const { messages } = await tidemark.history.read({ conversation: conversation!.id });
  return {
    calls: turn.calls,
    output: turn.output,
    messages,
  };
}

async function begun(messages: Message[] = [user("Which boat is ours?")]) {
  const room = await openRoom();
  const turn = await room.tidemark.begin(requestOf(messages, { model: "claude-sonnet-5-5" }));
  const degraded = () => room.events.filter(({ type }) => type === "degraded");
  return { ...room, turn, degraded };
}

const once = (content: unknown, output = 5) => ({
  calls: 1,
  output,
  messages: [user("Which boat is ours?"), { role: "assistant", content }],
});

describe("a turn ends once", () => {
  it("with the same reply twice, one after the other or at once, in another form of it too", async () => {
    const { tidemark, turn, degraded } = await begun();
    const given = reply("The Nixe.");
    await Promise.all([turn.end(given), turn.end(given)]);
    await turn.end({ usage: given.usage, reply: reply([{ type: "text", text: "The Nixe." }]) });
    expect(await sums(tidemark)).toEqual(once("The Nixe."));
    expect(degraded()).toEqual([]);
  });

  it("with its first reply; another is told of, and has its place where the next request holds it", async () => {
    const { tidemark, turn, degraded } = await begun();
    await turn.end(reply("The Ni"));
    await turn.end(reply("Ours is the Undine.", 9));
    expect(await sums(tidemark)).toEqual(once("The Ni"));
    expect(degraded()).toEqual([
      { type: "degraded", where: "end", error: expect.stringContaining("another reply") as string },
    ]);
    const messages = [
      user("Which boat is ours?"),
      assistant("Ours is the Undine."),
      user("And theirs?"),
    ];
    await (
      await tidemark.begin(requestOf(messages, { model: "claude-sonnet-5-5" }))
    ).end(reply("The Nixe."));
    expect(await sums(tidemark)).toMatchObject({
      calls: 2,
      messages: [...messages, { role: "assistant", content: "The Nixe." }],
    });
  });

  it("after what was no reply, or could not be read, with the first that is one; a later mess changes nothing", async () => {
    const { tidemark, turn, degraded } = await begun();
    await turn.end("an error page");
    await turn.end(undefined);
    expect(degraded()).toHaveLength(1);
    await turn.end(reply("The Nixe."));
    const trap = {
      get content() {
        throw new Error("trap");
      },
      role: "assistant",
    };
    await turn.end(trap);
    await turn.end(null);
    expect(degraded()).toHaveLength(2);
    await turn.end(reply("The Undine."));
    expect(await sums(tidemark)).toEqual(once("The Nixe."));
  });

  it("and never rejects, whatever stands for the reply; a thenable is waited for", async () => {
    const { tidemark, turn, degraded } = await begun();
    const { proxy, revoke } = Proxy.revocable({}, {});
    revoke();
    const trap = {
      get then() {
        throw new Error("trap");
      },
    };
    const broken = { then: (_: unknown, fail: (error: Error) => void) => fail(new Error("cut")) };
    for (const one of [proxy, trap, broken, Promise.reject(new Error("late")), () => 1, 7n])
      await turn.end(one);
    expect(degraded().length).toBeGreaterThan(2);
    await turn.end({ then: (done: (value: unknown) => void) => done(reply("The Nixe.")) });
    expect(await sums(tidemark)).toEqual(once("The Nixe."));
  });

  it("together with the smaller turn that took its place, whichever is ended first", async () => {
    for (const smallerFirst of [true, false]) {
      const messages = Array.from({ length: 40 }, (_, index) =>
        index % 2 === 0
          ? user(`Question ${index}: ${"boat ".repeat(150)}`)
          : assistant(`Answer ${index}: ${"pier ".repeat(150)}`),
      );
      messages.push(user("Which boat is ours?"));
      const { tidemark, turn, degraded } = await begun(messages);
      const smaller = await turn.recover(tooLong);
      expect(smaller).toBeDefined();
      const [first, second] = smallerFirst ? [smaller!, turn] : [turn, smaller!];
      await first.end(reply("The Nixe."));
      await second.end(reply("The Nixe."));
      await second.end(reply("The Undine."));
      const { messages: kept, ...counted } = await sums(tidemark);
      expect(counted).toEqual({ calls: 1, output: 5 });
      expect(kept.slice(-2)).toEqual([
        user("Which boat is ours?"),
        { role: "assistant", content: "The Nixe." },
      ]);
      expect(degraded()).toHaveLength(1);
    }
  });

  it("and not at all behind the close, without a word or a rejection", async () => {
    const { turn, tidemark, degraded, reopen } = await begun();
    await tidemark.close();
    await expect(turn.end(reply("The Nixe."))).resolves.toBeUndefined();
    expect(degraded()).toEqual([]);
    expect((await (await reopen()).stats()).calls.turn.calls).toBe(0);
  });
});

describe("a host that never ends its turns", () => {
  const told = ({ events }: Pick<Awaited<ReturnType<typeof openRoom>>, "events">) =>
    events.flatMap((event) => (event.type === "notice" ? [event.about] : []));
  const talk = async (
    { tidemark }: { tidemark: Tidemark },
    turns: number,
    {
      end = false,
      grows = true,
      ...options
    }: { end?: boolean; grows?: boolean; conversation?: string } = {},
  ) => {
    const messages = [user("Which boat is ours?"), assistant("The Nixe."), user("And theirs?")];
    for (let index = 0; index < turns; index += 1) {
      const turn = await tidemark.begin(requestOf(messages), options);
      if (end) await turn.end(reply(`It is boat ${index}.`));
      if (grows) messages.push(assistant(`It is boat ${index}.`), user(`And boat ${index + 1}?`));
    }
  };

  it("is told so once, with what to do", async () => {
    const room = await openRoom();
    await talk(room, 4);
    expect(told(room)).toEqual([]);
    await talk(room, 9);
    expect(told(room)).toEqual(["turns-not-ended"]);
    expect(room.events.find(({ type }) => type === "notice")).toMatchObject({
      text: expect.stringContaining("turn.end(reply)") as string,
    });
  });

  it("and nobody else: not who ends one, has a label, only observes, or tries the same call again and again", async () => {
    const rooms = [
      await openRoom(),
      await openRoom(),
      await openRoom({ mode: "observe" }),
      await openRoom(),
    ] as const;
    await talk(rooms[0], 1, { end: true });
    await talk(rooms[0], 9);
    await talk(rooms[1], 9, { conversation: "boats" });
    await talk(rooms[2], 9);
    await talk(rooms[3], 20, { grows: false });
    expect(rooms.map(told)).toEqual([[], [], [], []]);
  });
});
