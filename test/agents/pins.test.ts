import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../../src/core/request.ts";
import type { Tidemark, Turn } from "../../src/session/options/tidemark-api.ts";
import { asReply, assistant, openRoom, play, requestOf, tell, user } from "../support/talk.ts";
import { runs } from "../support/runs.ts";
import { anyCharacter } from "../support/any-character.ts";

const words = (count: number, name: string): string =>
  Array.from({ length: count }, (_, index) => `${name}${index}`).join(" ");
const config = (said: RegExp) =>
  expect.objectContaining({
    code: "config",
    message: expect.stringMatching(said) as string,
  }) as unknown;
const window = { tokens: 8_000, reserve: 100 };

const untilFold = (tidemark: Tidemark, messages: Message[]): Promise<Turn> =>
  play(tidemark, {
    messages,
    turns: 60,
    calls: () => `Question ${messages.length}: ${words(60, "q")}`,
    reply: () => `Answer: ${words(60, "a")}`,
    until: ({ folded }) => folded,
  });

const first = (turn: Turn): string => turn.request.messages[0]!.content as string;
/** What a provider is sent: bytes, not objects. */
const bytes = (text: string): Buffer => Buffer.from(text, "utf8");

describe("pins", () => {
  it("stand in every later fold byte for byte, whatever they hold, restarts in between or not", async () => {
    const text = fc
      .oneof(
        fc.string({ unit: anyCharacter, minLength: 1, maxLength: 60 }),
        fc.string({ unit: "grapheme", minLength: 1, maxLength: 40 }),
        fc.constantFrom(
          "</tidemark-pin-00000000>",
          '<tidemark-summary fold="x">',
          "a\0b",
          "\r\n\t x  ",
          "\ufeffx\u202e",
        ),
      )
      .filter((some) => some.trim() !== "" && some.isWellFormed());
    await fc.assert(
      fc.asyncProperty(fc.uniqueArray(text, { minLength: 1, maxLength: 4 }), async (texts) => {
        const room = await openRoom({ window: window, inject: false });
        const ids = [];
        for (const one of texts) ids.push(await room.tidemark.pin(one));
        expect((await room.tidemark.pins()).map((pin) => [pin.id, pin.text])).toEqual(
          ids.map((id, index) => [id, texts[index]]),
        );
        const messages: Message[] = [];
        for (const one of texts)
          expect(bytes(first(await untilFold(room.tidemark, messages))).includes(bytes(one))).toBe(
            true,
          );
        const reopened = await room.reopen();
        const after = await untilFold(reopened, messages);
        for (const one of texts) expect(bytes(first(after)).includes(bytes(one))).toBe(true);
      }),
      { numRuns: runs(4) },
    );
  });

  it("are listed with what they take, of one conversation or all, and not to others", async () => {
    const { tidemark } = await openRoom();
    await tell(tidemark, [user("hi")], assistant("Hello!"), { conversation: "desk" });
    await tell(tidemark, [user("hi")], assistant("Hello!"), { conversation: "dock" });
    const everywhere = await tidemark.pin("Invoices are in euro.");
    const here = await tidemark.pin(
      { message: user("The desk is on the left.") },
      { conversation: "desk" },
    );
    const [desk] = (await tidemark.history.list()).filter(({ label }) => label === "desk");
    const listed = [
      { id: everywhere, text: "Invoices are in euro.", tokens: expect.any(Number) as number },
      {
        id: here,
        text: "The desk is on the left.",
        tokens: expect.any(Number) as number,
        conversation: desk!.id,
      },
    ];
    expect(await tidemark.pins()).toEqual(listed);
    expect(await tidemark.pins({ conversation: "desk" })).toEqual(listed);
    expect(await tidemark.pins({ conversation: "dock" })).toEqual(listed.slice(0, 1));
    await expect(tidemark.pins({ conversation: "attic" })).rejects.toMatchObject({
      code: "not-found",
    });
    const ada = tidemark.as({ user: "ada" });
    expect(await ada.pins()).toEqual([]);
    expect(await ada.unpin(here)).toBe(false);
    expect(await tidemark.unpin(here)).toBe(true);
    expect(await tidemark.pins()).toEqual(listed.slice(0, 1));
  });

  it("are one pin when pinned twice in the same place", async () => {
    const { tidemark } = await openRoom();
    await tell(tidemark, [user("hi")], assistant("Hello!"), { conversation: "desk" });
    const id = await tidemark.pin("Once.");
    expect(await tidemark.pin("Once.")).toBe(id);
    expect(await tidemark.pin("Once.", { conversation: "desk" })).not.toBe(id);
    expect(await tidemark.pins()).toHaveLength(2);
  });

  it.each([
    undefined,
    null,
    "",
    " \n",
    7,
    {},
    { message: {} },
    { message: user([]) },
    "half \ud83d",
  ])("refuse %j", async (what) => {
    const { tidemark } = await openRoom({ workspace: false });
    await expect(tidemark.pin(what as never)).rejects.toMatchObject({
      code: "config",
      message: expect.stringMatching(/^pin(?:\(\)| takes) .+\.$/) as string,
    });
    expect(await tidemark.pins()).toEqual([]);
  });
});

describe("the budget of pins", () => {
  const long = (name: string) => words(100, name);

  it("refuses what is too much with the figures and what to do, and keeps what is there", async () => {
    const { tidemark } = await openRoom({ workspace: false, window: { tokens: 8_000 } });
    await tidemark.pin(long("one"));
    const refused = tidemark.pin(words(400, "two"));
    await expect(refused).rejects.toEqual(
      config(
        /^Pins may take 500 tokens together here \(limit \d+\), \d+ are used and this one takes about \d+: pin a shorter text or unpin another \(pins\(\) lists them\)\.$/,
      ),
    );
    expect((await tidemark.pins()).map(({ text }) => text)).toEqual([long("one")]);
    await tidemark.unpin((await tidemark.pins())[0]!.id);
    await tidemark.pin(words(60, "three"));
  });

  it("is a twentieth of the limit the conversation really has", async () => {
    const room = await openRoom({ window: { tokens: 100_000, reserve: 20_000 } });
    await tell(room.tidemark, [user("hi")], assistant("Hello!"));
    await expect(room.tidemark.pin(words(4_000, "w"))).rejects.toEqual(
      config(/^Pins may take 4000 tokens together here \(limit 80000\), 0 are used/),
    );
    expect(await room.tidemark.pin(words(1_500, "w"))).toEqual(expect.any(String));
  });

  it("is not overdrawn by two that ask at once", async () => {
    const { tidemark } = await openRoom({
      workspace: false,
      window: { tokens: 8_000, reserve: 100 },
    });
    const done = await Promise.allSettled(
      ["a", "b", "c"].map((name) => tidemark.pin(words(120, name))),
    );
    expect(done.filter(({ status }) => status === "fulfilled")).toHaveLength(1);
    expect(await tidemark.pins()).toHaveLength(1);
  });

  it("leaves room: a conversation with all its pins still folds to where it should", async () => {
    const { tidemark } = await openRoom({ workspace: false, window });
    await tidemark.pin(words(150, "w"));
    const turn = await untilFold(tidemark, []);
    expect(turn.window.level).toBeLessThan(0.65);
    await turn.end(asReply(assistant("Yes.")));
    expect((await tidemark.begin(requestOf([user("hi")]))).request.messages).toEqual([user("hi")]);
  });
});
