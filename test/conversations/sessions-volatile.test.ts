import { describe, expect, it } from "vitest";
import type { Message } from "../../src/core/request.ts";
import { assistant, call, openRoom, play, result, type Room, tell, user } from "../support/talk.ts";

const question = (turn: number): string =>
  `Question ${turn}: where do the crates of berth ${turn} go?`;
const answer = (turn: number): string =>
  `The crates of berth ${turn} go to shed ${turn % 7}, behind the scales. ${"They stay there. ".repeat(12)}`;
const pages = (turn: number): string =>
  `Page ${turn} of the harbour book: ${"cranes and ropes ".repeat(60)}`;

/** A message as its turn sends it, and as the caller shows it ever after. */
type Way = (turn: number) => { readonly sent: Message; readonly kept: Message };
const WAYS: Record<string, Way> = {
  "found pages before the question": (turn) => ({
    sent: user(`${pages(turn)}\n\n${question(turn)}`),
    kept: user(question(turn)),
  }),
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
  room: Room,
  way: Way,
  {
    from = 0,
    to,
    history = [],
    tools = false,
    label,
  }: {
    from?: number;
    to: number;
    history?: Message[];
    tools?: boolean;
    label?: string;
  },
) {
  const options = {
    ...(label === undefined ? {} : { conversation: label }),
    request: { tools: tools ? [{ name: "look", input_schema: { type: "object" } }] : undefined },
  };
  let folds = 0;
  let last = 0;
  for (let turn = from; turn < to; turn++) {
    const { tidemark } = room;
    const { sent, kept } = way(turn);
    const loop = tools
      ? [call(`c${turn}`, "look", { berth: turn }), result(`c${turn}`, `berth ${turn} is free`)]
      : [];
    if (tools) await tell(tidemark, [...history, sent], loop[0], options);
    const { folded, request } = await tell(
      tidemark,
      [...history, sent, ...loop],
      assistant(answer(turn)),
      options,
    );
    if (folded) folds++;
    last = request.messages.length;
    history.push(kept, ...loop, assistant(answer(turn)));
    await tidemark.idle();
  }
  return { history, folds, last };
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
      const { history } = await playWay(room, way, { to: 12, ...how });
      const listed = await room.tidemark.history.list();
      expect(listed.map(({ messages }) => messages)).toEqual([history.length]);
      const { messages } = await room.tidemark.history.read({ conversation: listed[0]!.id });
      // The last turn is as it was sent: the caller has not shown it otherwise yet.
      const settled = history.length - ("tools" in how ? 4 : 2);
      expect(messages.slice(0, settled)).toEqual(history.slice(0, settled));
    });

    it("keeps its fold, and folds no more often than one whose messages stay", async () => {
      const tight = { window: { tokens: 3_500 } };
      const [changing, plain] = [await openRoom(tight), await openRoom(tight)];
      const one = await playWay(changing, way, { to: 60 });
      const other = await playWay(
        plain,
        (turn) => ({ sent: way(turn).kept, kept: way(turn).kept }),
        {
          to: 60,
        },
      );
      expect(other.folds).toBeGreaterThan(1);
      expect(one.folds).toBeLessThanOrEqual(other.folds + 2);
      expect(one.last).toBeLessThan(one.history.length / 2);
      expect(await changing.tidemark.history.list()).toHaveLength(1);
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
