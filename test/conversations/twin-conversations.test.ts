import fc from "fast-check";
import { describe, expect, it } from "vitest";
import type { Message } from "../../src/core/request.ts";
import {
  assistant,
  call,
  leaveRooms,
  openRoom,
  result,
  type Room,
  tell,
  user,
} from "../support/talk.ts";

/** In which of its turns a conversation says the same as its twin, as arguments and as results. */
type Shares = readonly { readonly input: boolean; readonly result: boolean }[];

/** The messages of one turn: the words and calls are always the same. */
function turnOf(who: string, turn: number, shares: Shares[number]): Message[] {
  const own = (what: string, shared: boolean): string =>
    shared ? `both-${what}-${turn}` : `${who}-${what}-${turn}`;
  return [
    user(`Step ${turn} of the script, please.`),
    call(`c${turn}`, "look", { order: own("order", shares.input) }),
    result(
      `c${turn}`,
      `${own("parcel", shares.result)} waits on the quay. ${"It rains on the crates. ".repeat(30)}`,
    ),
    assistant(`Step ${turn} is done, and all is well with it.`),
  ];
}

/** Plays one turn, and answers all that its requests said. */
async function play(
  room: Room,
  line: Message[],
  [ask, called, answer, reply]: readonly Message[],
): Promise<string> {
  if (!ask || !called || !answer || !reply) throw new Error("a turn has four messages");
  const first = await tell(room.tidemark, [...line, ask], called);
  const second = await tell(room.tidemark, [...line, ask, called, answer], reply);
  line.push(ask, called, answer, reply);
  await room.tidemark.idle();
  return JSON.stringify([first.request, second.request]);
}

const openTight = () =>
  openRoom({ workspace: false, inject: false, window: { tokens: 1_600, patience: 0 } });

/** Two conversations of one identity; the second is first seen from a later turn on. Answers what each was sent of the other's. */
async function crossed({
  shares,
  seen,
  first,
}: {
  shares: Shares;
  seen: number;
  first: number;
}): Promise<string[]> {
  const room = await openTight();
  const [ada, bob]: [Message[], Message[]] = [[], []];
  const found: string[] = [];
  const told = (who: string, sent: string): void =>
    void found.push(...(sent.match(new RegExp(`${who}-\\w+-\\d+`, "g")) ?? []));
  for (let turn = 0; turn < first; turn++)
    await play(
      room,
      ada,
      turnOf("ada", turn, {
        input: shares[turn]?.input ?? false,
        result: shares[turn]?.result ?? false,
      }),
    );
  for (let turn = 0; turn < shares.length; turn++) {
    const one = shares[turn] ?? { input: false, result: false };
    if (turn < seen) bob.push(...turnOf("bob", turn, one));
    else told("ada", await play(room, bob, turnOf("bob", turn, one)));
    if (turn >= first) told("bob", await play(room, ada, turnOf("ada", turn, one)));
  }
  await leaveRooms();
  return found;
}

describe("two conversations of one identity in the same words", () => {
  it("show nothing of each other, whatever they share and whenever the second is first seen", async () => {
    const shares = fc.array(fc.record({ input: fc.boolean(), result: fc.boolean() }), {
      minLength: 3,
      maxLength: 7,
    });
    await fc.assert(
      fc.asyncProperty(shares, fc.nat(5), fc.nat(7), async (script, seen, first) => {
        expect(
          await crossed({
            shares: script,
            seen: Math.min(1 + seen, script.length - 1),
            first: Math.min(first, script.length),
          }),
        ).toEqual([]);
      }),
      {
        numRuns: 20,
        examples: [
          [[..."fftfff"].map((input, turn) => ({ input: input === "t", result: turn < 5 })), 4, 0],
        ],
      },
    );
  });
});
