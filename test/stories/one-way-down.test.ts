import { dirname } from "node:path";
import Database from "better-sqlite3";
import { describe, expect, it } from "vitest";
import type { TidemarkEvent } from "../../src/core/errors-and-events.ts";
import type { Complete, Message } from "../../src/core/request.ts";
import type { Options, Turn } from "../../src/session/options/tidemark-api.ts";
import { asReply, assistant, openRoom, requestOf, type Room, user } from "../support/talk.ts";

const WINDOW = 8_000;
const prose = (words: number, at: number): string =>
  `${at === 0 ? "By the way, my cat's name is Whiskerino. We decided to use port 5432 for staging. " : ""}Part ${at}: the harbour crane number ${at} needs oil. ${"And so on and so forth. ".repeat(Math.ceil(words / 5))}`;

/** A history of about so many tokens, ending with the user. */
function talkOf(tokens: number): Message[] {
  const messages: Message[] = [];
  for (let at = 0; at < 2 * Math.ceil(tokens / 600); at += 1)
    messages.push((at % 2 === 0 ? user : assistant)(prose(220, at)));
  return [...messages, user("Go on, please.")];
}

const model: Complete = async () => ({
  text: JSON.stringify({
    facts: [
      { content: "Crane number 0 needs oil.", category: "decision", importance: 0.9, from: [1] },
    ],
    summary: "They talk about cranes.",
  }),
});
const overflow = Object.assign(new Error("prompt is too long: 9000 tokens > 8000 maximum"), {
  status: 400,
  error: {
    type: "error",
    error: {
      type: "invalid_request_error",
      message: "prompt is too long: 9000 tokens > 8000 maximum",
    },
  },
});

const begin = (
  room: Room,
  messages: Message[],
  extra: Record<string, unknown> = {},
): Promise<Turn> => room.tidemark.begin(requestOf(messages, extra));

interface Way {
  readonly options?: Partial<Options>;
  readonly run: (room: Room) => Promise<unknown>;
  /** Shrinks nothing by itself: only its facts are looked for. */
  readonly keeps?: true;
}

const WAYS: Readonly<Record<string, Way>> = {
  "the flush mark": {
    keeps: true,
    run: async (room) => {
      const turn = await begin(room, talkOf(4_000));
      expect(turn.window.mark).toBe("flush");
      await turn.end(asReply(assistant("Gladly.")));
      await room.tidemark.idle();
    },
  },
  "the compact mark": {
    run: async (room) => {
      const messages = talkOf(5_000);
      await (await begin(room, messages)).end(asReply(assistant("Gladly.")));
      await room.tidemark.idle();
      await begin(room, [...messages, assistant("Gladly."), user(prose(600, 99))]);
    },
  },
  "the brim": {
    options: {
      distil: () => new Promise(() => {}),
      window: { tokens: WINDOW, reserve: 500, patience: 1 },
    },
    run: (room) => begin(room, talkOf(9_500)),
  },
  "the brim without a model": {
    options: { distil: "extractive" },
    run: (room) => begin(room, talkOf(9_500)),
  },
  "an overflow": {
    run: async (room) => {
      const turn = await begin(room, talkOf(4_000));
      expect(await turn.recover(overflow)).toBeDefined();
    },
  },
  "a fold on demand": { run: (room) => room.tidemark.fold({ request: requestOf(talkOf(4_000)) }) },
  "a model with a smaller window": {
    options: {
      window: { reserve: 500 },
      advanced: { models: { big: { window: 100_000 }, small: { window: WINDOW } } },
    },
    run: async (room) => {
      const messages = talkOf(7_300);
      await (await begin(room, messages, { model: "big" })).end(asReply(assistant("Gladly.")));
      await begin(room, [...messages, assistant("Gladly."), user("And now with another model.")], {
        model: "small",
      });
    },
  },
  close: {
    keeps: true,
    run: async (room) => {
      await (await begin(room, talkOf(2_000))).end(asReply(assistant("Gladly.")));
      await room.reopen();
    },
  },
  "the start after a process that died": {
    keeps: true,
    options: { distil: "extractive" },
    run: async (room) => {
      await (await begin(room, talkOf(2_000))).end(asReply(assistant("Gladly.")));
      // Nothing is closed: as if it had been killed. Another one opens the same folder.
      const { openTidemark } = await import("../../src/index.ts");
      const next = await openTidemark({
        workspace: dirname(dirname(room.file)),
        distil: "extractive",
      });
      await next.memory.recall("which crane needs oil?");
      await next.close();
    },
  },
};

/** What is on disk at this moment, read past the library: messages of history, facts, jobs for later. */
function onDisk(room: Room): { messages: number; facts: number; jobs: number } {
  const database = new Database(room.file, { readonly: true });
  try {
    const count = (table: string): number =>
      database.prepare(`select count(*) from ${table}`).pluck().get() as number;
    return { messages: count("entry"), facts: count("memory"), jobs: count("job") };
  } finally {
    database.close();
  }
}

describe("every way down distils before it shrinks", () => {
  it.each(Object.entries(WAYS))("%s", async (_name, { options = {}, run, keeps }) => {
    const seen: { event: TidemarkEvent; disk: ReturnType<typeof onDisk> }[] = [];
    const room: Room = await openRoom({
      distil: model,
      window: { tokens: WINDOW, reserve: 500 },
      ...options,
      listen: (event) => event.type === "folded" && seen.push({ event, disk: onDisk(room) }),
    });
    await run(room);
    expect(seen.length > 0).toBe(keeps !== true);
    for (const { event, disk } of seen) {
      if (event.type !== "folded") continue;
      expect(disk.messages).toBeGreaterThanOrEqual(event.messages);
      expect(disk.facts + disk.jobs).toBeGreaterThan(0);
    }
    await room.tidemark.idle();
    const after = onDisk(room);
    expect(after.facts + after.jobs).toBeGreaterThan(0);
  });
});
