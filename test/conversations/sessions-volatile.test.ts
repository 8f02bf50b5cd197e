import { describe, expect, it } from "vitest";
import type { Message } from "../../src/core/request.ts";
import { assistant, call, openRoom, play, result, type Room, tell, user } from "../support/talk.ts";

const question = (turn: number): string =>
  `Question ${turn}: where do the crates of berth ${turn} go?`;
const answer = (turn: number): string =>
  `The crates of berth ${turn} go to shed ${turn % 7}, behind the scales. ${"They stay there. ".repeat(12)}`;

/** A message as its turn sends it, and as the caller shows it ever after. */
type Way = (turn: number) => { readonly sent: Message; readonly kept: Message };
const WAYS: Record<string, Way> = {
  "a reminder in a block of its own": (turn) => ({
    sent: user([
      { type: "text", text: question(turn) },
      { type: "text", text: "Reminder: answer briefly." },
    ]),
    kept: user([{ type: "text", text: question(turn) }]),
  }),
  "what is put in afterwards": (turn) => ({
    sent: user(question(turn)),
    kept: user(`${question(turn)} (answered)`),
  }),
};

/** Plays turns of a caller whose messages say more in their own turn than later; with a tool asked in each, if it is to be. */
async function playWay(
  { tidemark }: Room,
  way: Way,
  { tools = false, label }: { tools?: boolean; label?: string },
): Promise<Message[]> {
  const options = {
    ...(label === undefined ? {} : { conversation: label }),
    request: { tools: tools ? [{ name: "look", input_schema: { type: "object" } }] : undefined },
  };
  const history: Message[] = [];
  for (let turn = 0; turn < 12; turn++) {
    const { sent, kept } = way(turn);
    const loop = tools
      ? [call(`c${turn}`, "look", { berth: turn }), result(`c${turn}`, `berth ${turn} is free`)]
      : [];
    if (tools) await tell(tidemark, [...history, sent], loop[0], options);
    await tell(tidemark, [...history, sent, ...loop], assistant(answer(turn)), options);
    history.push(kept, ...loop, assistant(answer(turn)));
    await tidemark.idle();
  }
  return history;
}

describe.each(Object.entries(WAYS))(
  "a caller whose messages hold more in their own turn: %s",
  (_name, way) => {
    it.each([
      ["in one process", {}],
      ["with a tool asked in every turn", { tools: true }],
      ["under a label", { label: "desk" }],
    ] as const)("has one conversation, %s, and reads as it is shown", async (_where, how) => {
      const room = await openRoom();
      const history = await playWay(room, way, how);
      const listed = await room.tidemark.history.list();
      expect(listed.map(({ messages }) => messages)).toEqual([history.length]);
      const { messages } = await room.tidemark.history.read({ conversation: listed[0]!.id });
      // The last turn is as it was sent: the caller has not shown it otherwise yet.
      const settled = history.length - ("tools" in how ? 4 : 2);
      expect(messages.slice(0, settled)).toEqual(history.slice(0, settled));
    });
  },
);

describe("another conversation that gave the same reply", () => {
  const reply = assistant("The crates go to the long shed, behind the scales.");
  it.each([
    [
      "to another question",
      [user("Where do the crates go today?")],
      [user("What about the barrels?")],
      reply,
    ],
    [
      "that many would give",
      [user("Are you there? It is noon.")],
      [user("Are you there?")],
      assistant("Yes."),
    ],
  ] as const)("%s stays one of its own", async (_what, first, second, same) => {
    const room = await openRoom();
    await tell(room.tidemark, first, same);
    await tell(
      room.tidemark,
      [...second, same, user("Thank you.")],
      assistant("You are welcome, come again soon."),
    );
    expect(await room.tidemark.history.list()).toHaveLength(2);
  });

  it("is left where a fold speaks for the message that was changed", async () => {
    const room = await openRoom();
    const history: Message[] = [];
    await play(room.tidemark, { messages: history, calls: question, turns: 8, reply: answer });
    const [source] = await room.tidemark.history.list();
    const done = await room.tidemark.fold({ conversation: source!.id });
    if ("refused" in done) throw new Error(done.refused);
    const edited = [...history.with(0, user(`${question(0)} And be quick.`)), user("Go on.")];
    const { request } = await tell(room.tidemark, edited);
    expect(request.messages).toEqual(edited);
    expect(
      (await tell(room.tidemark, [...history, user("Go on.")])).request.messages.length,
    ).toBeLessThan(history.length);
  });
});
