import { describe, expect, it } from "vitest";
import {
  clientOf,
  freshServer,
  freshTidemark,
  type Loop,
  loopOf,
  prose,
  typesOf,
  until,
} from "../../support/anthropic.ts";
import type { MessagesServer, Received } from "../../support/messages-server/index.ts";

const SLOTS = 4;
const TALKS = 6;
const compactions = (server: MessagesServer): Received[] =>
  server.requests.filter(({ body }) => body.compaction !== undefined);

/** Conversations whose fold is due while the provider's summary of them never comes; a minute passes when the test says so. */
async function hanging(talks: number) {
  const server = await freshServer({ compact: "hang" });
  const timers: { work: () => void; off: boolean }[] = [];
  const timer = (ms: number, work: () => void) => {
    if (ms !== 60_000) {
      const real = setTimeout(work, ms).unref();
      return () => clearTimeout(real);
    }
    const made = { work, off: false };
    timers.push(made);
    return () => void (made.off = true);
  };
  const { tidemark, events } = await freshTidemark({
    inject: false,
    window: { tokens: 12_000 },
    advanced: { thinking: "server", timer },
  });
  // Its own waits are what is looked at.
  const client = clientOf(server, tidemark, { hurries: true });
  const loops: Loop[] = Array.from({ length: talks }, () =>
    loopOf(client, { thinking: { type: "adaptive" } }),
  );
  const distilled = () => events.filter(({ type }) => type === "distilled").length;
  // Each has its own text ready; then all of them cross the mark.
  for (const [at, loop] of loops.entries()) {
    for (let turn = 0; distilled() <= at; turn++) {
      await loop.say(`Talk ${at}, turn ${turn}: ${prose(300, turn + 7 * at)}`);
      await tidemark.idle();
    }
  }
  const due = () =>
    Promise.all(loops.map((loop, at) => loop.say(`And now ${at}: ${prose(1_500, at)}`)));
  return {
    server,
    tidemark,
    client,
    events,
    loops,
    due,
    minutes: () => timers.filter(({ off }) => !off),
  };
}

describe("the provider's own summary", () => {
  it("that never comes is given up after a minute, and the conversation folds with our own text", async () => {
    const { server, tidemark, events, loops, due, minutes } = await hanging(1);
    await due();
    await until(() => compactions(server).length === 1);
    expect(minutes()).toHaveLength(1);
    minutes()[0]!.work();
    await tidemark.idle();
    expect(events.find(({ type }) => type === "distil-failed")).toMatchObject({
      error: expect.stringContaining("did not answer within 60 s") as string,
    });
    await loops[0]!.say("Let us go on.");
    expect(typesOf(events)).toContain("folded");
    expect(JSON.stringify(server.requests.at(-1)!.body)).toContain("<tidemark-summary");
    expect(minutes()).toEqual([]);
    expect(server.refusals).toEqual([]);
  });

  it("is asked for four conversations at once; the others wait until one of them is done", async () => {
    const { server, tidemark, client, due, minutes } = await hanging(TALKS);
    await due();
    for (let over = 0; over <= TALKS - SLOTS; over++) {
      await until(() => compactions(server).length >= SLOTS + over);
      // Time for one more to be asked.
      await loopOf(client).say("A conversation beside them.");
      expect(compactions(server)).toHaveLength(SLOTS + over);
      minutes()[0]!.work();
    }
    for (const one of minutes()) one.work();
    await tidemark.idle();
    expect(compactions(server)).toHaveLength(TALKS);
  });
});
