import { expect, it } from "vitest";
import type { TidemarkEvent } from "../../../src/index.ts";
import { isCorrection } from "../../../src/distil/task/instruction.ts";
import type { Message } from "../../../src/model/request.ts";
import { afterwards, prose, typesOf, until } from "../../support/anthropic.ts";
import { asReply, assistant, requestOf, user } from "../../support/talk.ts";
import { openTimed } from "../../support/timed.ts";

const SUMMARY = "They spoke of boats for a while.";
const answer = JSON.stringify({
  facts: [{ content: "The boat is called Nixe.", importance: 0.9, from: [1] }],
  summary: SUMMARY,
});

/** Rules in words of their own: a second call is made for four that are missing. */
const RULES = [
  "Never restart the billing worker on a Friday.",
  "Always run the linter before you push.",
  "Never send letters to the harbour master.",
  "Always keep receipts in the green folder.",
  "Never paint the hull in the rain.",
  "Always lock the shed at night.",
];

/** A conversation whose first summary leaves out so much that it is asked for once more; calls are answered, and minutes pass, when the test says so. */
async function room() {
  const events: TidemarkEvent[] = [];
  const calls: { again: boolean; signal: AbortSignal; answer: () => void }[] = [];
  const minutes: (() => void)[] = [];
  const tidemark = await openTimed({
    ...{
      workspace: false,
      cache: false,
      window: { tokens: 20_000, patience: 1 },
      listen: (event) => void events.push(event),
    },
    timer: (ms, work) => {
      if (ms !== 60_000) {
        const running = setTimeout(work, ms);
        return () => clearTimeout(running);
      }
      minutes.push(work);
      return () => void (minutes.includes(work) && minutes.splice(minutes.indexOf(work), 1));
    },
    // Signals are not listened to.
    distil: ({ messages, signal }) =>
      new Promise((resolve) =>
        calls.push({
          again: isCorrection(messages),
          signal,
          answer: () => resolve({ text: answer }),
        }),
      ),
  });
  const messages: Message[] = RULES.flatMap((rule) => [user(rule), assistant("Noted.")]);
  const say = async () => {
    const n = messages.length;
    messages.push(user(prose(500, n)));
    const turn = await tidemark.begin(requestOf(messages));
    const reply = assistant(`Noted ${n}.`);
    await turn.end(asReply(reply));
    messages.push(reply);
    return turn;
  };
  while (calls.length === 0) {
    const { window } = await say();
    if (window.mark !== "below") await until(() => calls.length === 1);
  }
  afterwards(async () => {
    [...minutes].forEach((passes) => passes());
    await tidemark.close();
  });
  return { tidemark, events, calls, minutes, say };
}

it("each call of one distilling has a minute of its own", async () => {
  const { tidemark, events, calls, minutes } = await room();
  const [first] = minutes;
  expect(minutes).toHaveLength(1);
  calls[0]!.answer();
  await until(() => calls.length === 2);
  expect(calls[1]!.again).toBe(true);
  expect([minutes.length, minutes[0] === first]).toEqual([1, false]);
  calls[1]!.answer();
  await tidemark.idle();
  expect([minutes.length, typesOf(events).filter((type) => type.startsWith("distil"))]).toEqual([
    0,
    ["distilled"],
  ]);
});

it("a correction that hangs costs its minute, and not the answer before it", async () => {
  const { tidemark, events, calls, minutes, say } = await room();
  calls[0]!.answer();
  await until(() => calls.length === 2);
  minutes[0]!();
  await tidemark.idle();
  expect(calls[1]!.signal.aborted).toBe(true);
  expect(typesOf(events).filter((type) => type.startsWith("distil"))).toEqual(["distilled"]);
  const asked = calls.length;
  let turn = await say();
  while (!turn.folded && turn.window.level < 0.85) turn = await say();
  expect([turn.folded !== undefined, calls.length]).toEqual([true, asked]);
  expect(JSON.stringify(turn.request.messages[0])).toContain(SUMMARY);
  expect((await tidemark.stats()).calls.correct.calls).toBe(1);
});
