import { describe, expect, it } from "vitest";
import type { TidemarkEvent } from "../../src/index.ts";
import type { Message } from "../../src/core/request.ts";
import { afterwards, prose, until } from "../support/anthropic.ts";
import { asReply, assistant, requestOf, user } from "../support/talk.ts";
import { openTimed } from "../support/timed.ts";

const REPLY = JSON.stringify({
  facts: [{ content: "The pilot is called Nixe.", category: "core", importance: 0.9, from: [1] }],
  summary: "They spoke of a boat.",
});

/** A loop that holds every call of the distiller until it is let go, so that the caller has gone on by the time it is asked. */
async function held(change: (messages: Message[]) => void) {
  const events: TidemarkEvent[] = [];
  const asked: { messages: readonly Message[] }[] = [];
  let idle = (): void => undefined;
  const tidemark = await openTimed({
    workspace: false,
    cache: false,
    window: { tokens: 40_000 },
    listen: (event) => events.push(event),
    // What goes off after so long is the flush of a conversation that has fallen quiet.
    timer: (ms, work) => {
      if (ms > 60_000) idle = work;
      return () => undefined;
    },
    distil: ({ messages }) => {
      asked.push({ messages: structuredClone([...messages]) });
      return Promise.resolve({ text: REPLY });
    },
  });
  afterwards(() => tidemark.close());
  const messages: Message[] = [];
  const sent: string[] = [];
  let level = 0;
  while (level < 0.6) {
    messages.push(user(`Note ${messages.length}. ${prose(1_200, messages.length)}`));
    const turn = await tidemark.begin(requestOf(messages));
    ({ level } = turn.window);
    sent.splice(0, sent.length, ...turn.request.messages.map((message) => JSON.stringify(message)));
    const reply = assistant(`Noted ${messages.length}.`);
    const ended = turn.end(asReply(reply));
    // Before the distilling that the end of the turn begins has asked anything.
    if (level >= 0.6) change(messages);
    await ended;
    if (level < 0.6) messages.push(reply);
  }
  idle();
  await until(() => asked.length > 0);
  await tidemark.idle();
  return { asked: asked[0]!.messages.map((message) => JSON.stringify(message)), sent, events };
}

describe("a request that is distilled when the caller has gone on with its array", () => {
  it.each<[string, (messages: Message[]) => void]>([
    [
      "has pushed the reply and its next words",
      (messages) => void messages.push(assistant("Noted."), user("And now?")),
    ],
    ["has taken out the first messages", (messages) => void messages.splice(0, 4)],
    ["has emptied it", (messages) => void (messages.length = 0)],
    [
      "has put another message in the place of one",
      (messages) => void (messages[2] = user("Put differently.")),
    ],
  ])(
    "is the one that was sent, with the instruction behind it: the caller %s",
    async (_, change) => {
      const { asked, sent, events } = await held(change);
      expect(asked.slice(0, -1)).toEqual(sent);
      expect(asked.at(-1)).toContain("[tidemark] distil");
      expect(events.filter(({ type }) => type === "degraded" || type === "distil-failed")).toEqual(
        [],
      );
    },
  );

  it("is read from the archive where a message was changed in place: nothing that was said is passed over", async () => {
    const first = `Note 0. ${prose(1_200, 0)}`.slice(0, 200);
    const { asked, sent } = await held(
      (messages) => void Object.assign(messages[0]!, { content: "[cleared]" }),
    );
    expect(asked.slice(0, -1)).not.toEqual(sent);
    expect(asked.join("")).toContain(JSON.stringify(first).slice(1, -1));
    expect(asked.join("")).not.toContain("[cleared]");
  });
});
