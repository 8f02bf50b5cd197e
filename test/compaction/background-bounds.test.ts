import { join } from "node:path";
import { freshFolder, prose, until } from "../support/anthropic.ts";
import { describe, expect, it } from "vitest";
import type { Tidemark, TidemarkEvent } from "../../src/index.ts";
import type { Complete, Message } from "../../src/core/request.ts";
import { counted } from "../support/counted-distiller.ts";
import { play } from "../support/talk.ts";
import { identityKey } from "../../src/core/identity.ts";
import { openStorage } from "../../src/storage/sqlite/sqlite-storage.ts";
import { openTimed, type TimedOptions } from "../support/timed.ts";

const SLOTS = 4;
const HOUR = 3_600_000;

async function room(
  distiller: { complete: Complete },
  {
    workspace = freshFolder(),
    later = 0,
    ...options
  }: Pick<TimedOptions, "timer"> & { workspace?: string; later?: number } = {},
) {
  const events: TidemarkEvent[] = [];
  const tidemark = await openTimed({
    ...{
      workspace,
      cache: false,
      inject: false,
      window: { tokens: 40_000, patience: 0 },
      now: () => Date.now() + later,
      listen: (event) => events.push(event),
    },
    distil: { complete: distiller.complete },
    ...options,
  });
  return { tidemark, events, workspace };
}

const say = (tidemark: Tidemark, name: string, messages: Message[], words = 20) =>
  play(tidemark, {
    messages,
    calls: [`«${name}» ${prose(words, messages.length)}`],
    conversation: name,
  });

async function fill(
  tidemark: Tidemark,
  name: string,
  messages: Message[] = [],
): Promise<Message[]> {
  while ((await say(tidemark, name, messages, 1_600)).window.mark === "below");
  return messages;
}

/** ms; less than a first try is put off for. */
const NOT_DUE = 30_000;

const names = (stem: string, count: number): string[] =>
  Array.from({ length: count }, (_, at) => `${stem}${at}`);

/** A workspace whose conversations are all still owed one call. */
async function owing(talks: readonly string[]): Promise<string> {
  const { tidemark, workspace } = await room({
    complete: () => Promise.reject(new Error("529 overloaded")),
  });
  for (const name of talks) await say(tidemark, name, []);
  await tidemark.close();
  const history = openStorage(join(workspace, ".tidemark", "tidemark.db"));
  for (const session of await history.sessions({ root: identityKey({}) })) {
    const { id, length } = session;
    const job = { id: `owed ${id}`, session: id, from: 0, to: length, attempts: 0, error: "529" };
    await history.commit({
      session: {
        session: { ...session, watermark: length, revision: session.revision + 1 },
        ...{ from: length, entries: [] },
      },
    });
    await history.commit({ queued: { ...job, notBefore: Date.now() + NOT_DUE } });
  }
  await history.close();
  return workspace;
}

describe("calls behind the conversations", () => {
  it("of a catch-up are made one by one, each once, and give every place back", async () => {
    const talks = names("left", 7);
    const workspace = await owing(talks);
    const distiller = counted();
    const { tidemark } = await room(distiller, { workspace, later: HOUR });
    await say(tidemark, "new", []);
    await distiller.drain(tidemark.idle());
    expect(distiller.asks.map(({ of }) => of).sort()).toEqual(talks);
    expect(distiller.most.over).toBe(1);
    expect((await tidemark.stats()).queued).toBe(0);
    await distiller.drain(tidemark.close());
  });

  it("are given up by their signals when a close has waited long enough: of a catch-up and of conversations at the mark", async () => {
    const workspace = await owing(["left"]);
    const distiller = counted();
    // No minute of its own ends a call: only the close can.
    const { tidemark } = await room(distiller, {
      workspace,
      later: HOUR,
      timer: () => () => undefined,
    });
    await say(tidemark, "short", []);
    await until(() => distiller.open().length === 1);
    for (const name of names("full", SLOTS)) await fill(tidemark, name);
    await until(() => distiller.open().length === SLOTS);
    await tidemark.close();
    expect(distiller.open()).toEqual([]);
    expect(distiller.asks.every(({ signal }) => signal.aborted)).toBe(true);
  });

  it("of a catch-up are given up after a minute of their own, by their signal, and tried again later", async () => {
    const workspace = await owing(["left"]);
    const distiller = counted();
    const minutes: { work: () => void; off: boolean }[] = [];
    const timer = (ms: number, work: () => void) => {
      const made = { work, off: false };
      if (ms === 60_000) minutes.push(made);
      return () => void (made.off = true);
    };
    const { tidemark, events } = await room(distiller, {
      workspace,
      later: HOUR,
      timer,
    });
    await say(tidemark, "new", []);
    await until(() => distiller.open().length === 1);
    expect(minutes.filter(({ off }) => !off)).toHaveLength(1);
    minutes[0]!.work();
    await tidemark.idle();
    expect(distiller.asks.map(({ signal }) => signal.aborted)).toEqual([true]);
    expect(events.find(({ type }) => type === "distil-failed")).toMatchObject({
      error: expect.stringContaining("did not answer within 60 s") as string,
    });
    expect((await tidemark.stats()).queued).toBe(1);
    distiller.answerAll();
    await tidemark.close();
  });
});
