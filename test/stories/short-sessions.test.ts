import { readFileSync, writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, expect, it } from "vitest";
import type { Options } from "../../src/index.ts";
import {
  asked,
  clientOf,
  freshFolder,
  freshServer,
  freshTidemark,
  loopOf,
  typesOf,
} from "../support/anthropic.ts";
import { handTimer } from "../support/hand-timer.ts";
import type { TimedOptions } from "../support/timed.ts";
import type { MessagesServer, Reply } from "../support/messages-server/index.ts";

const START = Date.parse("2026-05-04T09:00:00Z");
const PETS = [
  "My cat is called Whiskerino.",
  "I live in Rotterdam, by the harbour.",
  "I am allergic to peanuts.",
];
const TRIP = [
  "I'm planning a trip to Japan in April.",
  "My budget is 4,000 euro.",
  "I prefer trains to planes.",
];

interface Fact {
  readonly content: string;
  readonly category?: string;
  readonly importance?: number;
  readonly key?: string;
  readonly from?: readonly number[];
}
const answer = (...facts: readonly Fact[]): Reply =>
  JSON.stringify({
    facts: facts.map((fact) => ({ importance: 0.8, category: "identity", from: [1], ...fact })),
    summary: "They spoke of themselves.",
  });
/** Which of these texts a call of Tidemark's own was about. */
const about = (server: MessagesServer, texts: readonly string[]): number[] =>
  asked(server).map(({ body }) => texts.findIndex((text) => JSON.stringify(body).includes(text)));

/** Processes one after another on one folder, under one clock. */
async function place() {
  const server = await freshServer({
    window: 1_000_000,
    distil: () => answer({ content: "A model has read of the cat Whiskerino." }),
  });
  const workspace = freshFolder();
  const clock = { now: START };
  const open = async (options: TimedOptions = {}, { apiKey = "test" } = {}) => {
    const hand = handTimer();
    const room = await freshTidemark({
      workspace,
      now: () => (clock.now += 1),
      timer: hand.timer,
      ...options,
    });
    const client = clientOf(server, room.tidemark, { apiKey, hurries: true });
    const say = async (texts: readonly string[]) => {
      const loop = loopOf(client);
      for (const text of texts) await loop.say(text);
      return loop;
    };
    const contents = async () => (await room.tidemark.memory.list()).map(({ content }) => content);
    return {
      ...room,
      ...hand,
      client,
      say,
      contents,
      queued: async () => (await room.tidemark.stats()).queued,
    };
  };
  /** A process that says this and ends. */
  const session = async (
    texts: readonly string[],
    options: Options = {},
    key: { apiKey?: string } = {},
  ) => {
    const process = await open(options, key);
    await process.say(texts);
    await process.tidemark.close();
    clock.now += 60_000;
  };
  /** One that says one thing, and has done all it does behind that. */
  const start = async (options: Options = {}, key: { apiKey?: string } = {}) => {
    const process = await open(options, key);
    await process.say(["Good morning."]);
    await process.tidemark.idle();
    return process;
  };
  return { server, workspace, clock, open, session, start };
}

describe("a conversation below the marks that rests", () => {
  it("is queued from one exchange on, and read once when the pause goes on; what is new since, in the pause after that", async () => {
    const { server, open } = await place();
    const { quiet, fire, say, tidemark, queued, events } = await open();
    const loop = await say(PETS.slice(0, 1));
    const [rest, ...others] = quiet();
    expect([Math.ceil(rest!.ms), others]).toEqual([270_000, []]);
    expect(asked(server)).toEqual([]);
    fire(rest!);
    await tidemark.idle();
    expect([await queued(), asked(server).length]).toEqual([1, 0]);
    const [goesOn] = quiet();
    expect(Math.ceil(goesOn!.ms)).toBe(3_240_000);
    fire(goesOn!);
    await tidemark.idle();
    expect(about(server, PETS)).toEqual([0]);
    expect(await queued()).toBe(0);
    expect(typesOf(events).filter((type) => ["queued", "distilled"].includes(type))).toEqual([
      "queued",
      "distilled",
    ]);

    await loop.say(TRIP[0]!);
    for (let pause = 0; pause < 2; pause++) {
      fire(quiet()[0]!);
      await tidemark.idle();
    }
    expect(asked(server)).toHaveLength(2);
    expect(JSON.stringify(asked(server)[1]!.body)).not.toContain(PETS[0]);
    await tidemark.close();
    expect(asked(server)).toHaveLength(2);
  });

  it("is read in the pause of the next conversation, and not where it goes on before that", async () => {
    const { server, clock, open } = await place();
    const { quiet, fire, say, tidemark, queued } = await open();
    const pets = await say(PETS);
    fire(quiet()[0]!);
    await tidemark.idle();
    await pets.say("And what do I eat today?");
    expect(quiet()).toHaveLength(1);
    fire(quiet()[0]!);
    await tidemark.idle();
    expect([await queued(), asked(server).length]).toEqual([1, 0]);
    clock.now += 300_000;
    await say(TRIP);
    fire(quiet().find(({ ms }) => ms < 300_000)!);
    await tidemark.idle();
    expect(about(server, PETS)).toEqual([0]);
    expect(await queued()).toBe(1);
  });
});

describe("a process that closes", () => {
  it("leaves its conversations quoted at once and queued, and the next start reads each once", async () => {
    const { server, open, session, start } = await place();
    await session(PETS);
    expect(asked(server)).toEqual([]);
    const next = await open();
    expect(await next.queued()).toBe(1);
    expect((await next.contents()).some((content) => content.includes("Rotterdam"))).toBe(true);
    await next.tidemark.close();
    await start();
    expect(about(server, PETS)).toEqual([0]);
    const third = await start();
    expect(asked(server)).toHaveLength(1);
    expect(await third.queued()).toBe(0);
  });

  it("queues the conversations of all its identities, and each is read with a client and the key of its own", async () => {
    const { server, open, start } = await place();
    const first = await open();
    for (const [name, texts] of [
      ["ada", PETS],
      ["bob", TRIP],
    ] as const) {
      const loop = loopOf(
        clientOf(server, first.tidemark.as({ user: name }), { apiKey: name, hurries: true }),
      );
      for (const text of texts) await loop.say(text);
    }
    await first.tidemark.close();
    await start();
    expect(asked(server)).toEqual([]);
    await start({ identity: { agent: "default", user: "bob" } }, { apiKey: "bob" });
    expect(about(server, [PETS[0]!, TRIP[0]!])).toEqual([1]);
    expect(asked(server)[0]!.headers.authorization).toBe("Bearer bob");
    await start({ identity: { agent: "default", user: "ada" } }, { apiKey: "ada" });
    expect(asked(server)[1]!.headers.authorization).toBe("Bearer ada");
  });
});

describe("the queue", () => {
  it("delays neither the start nor a turn, and waits where the model hangs or fails, for two more tries", async () => {
    const { server, session, open, start, clock } = await place();
    await session(PETS);
    server.script({ distil: "hang" });
    const first = await open();
    await first.say(["Good morning.", "And how are you?"]);
    expect(await first.queued()).toBe(1);
    server.script({ distil: () => "No." });
    for (let tries = 0; tries < 4; tries++) {
      clock.now += 3_600_000;
      await start();
    }
    // One hung, two failed.
    expect(asked(server)).toHaveLength(3);
    expect(await (await start()).queued()).toBe(0);
  });

  it("is read in one call, each conversation fenced and each fact of the one it cites last", async () => {
    const { server, open, start } = await place();
    const talks = [[PETS[0]!], TRIP, ["Ich wohne in Kiel."], ["hi", "thank you so much!"]];
    const first = await open();
    for (const talk of talks) await first.say(talk);
    await first.tidemark.close();
    const numberOf = (body: unknown, text: string): number =>
      Number(new RegExp(`\\[#(\\d+) user\\] ${text}`).exec(JSON.stringify(body))?.[1]);
    server.script({
      distil: (body) =>
        answer(
          {
            content: "The cat of the user is called Whiskerino.",
            from: [numberOf(body, PETS[0]!)],
          },
          { content: "Der Nutzer wohnt in Kiel.", from: [numberOf(body, "Ich wohne")] },
          {
            content: "The user plans a trip to Japan in April.",
            from: [PETS[0]!, TRIP[0]!].map((text) => numberOf(body, text)),
          },
        ),
    });
    const next = await start();
    expect(await next.queued()).toBe(0);
    expect(asked(server)).toHaveLength(1);
    const said = JSON.stringify(asked(server)[0]!.body);
    expect(said.match(/<tidemark-transcript>/g)).toHaveLength(3);
    expect(said).not.toContain("thank you so much");
    const list = await next.tidemark.memory.list();
    expect(Object.fromEntries(list.map(({ content, origin }) => [content, origin]))).toEqual({
      "The cat of the user is called Whiskerino.": "user",
      "Der Nutzer wohnt in Kiel.": "user",
      "The user plans a trip to Japan in April.": "user",
    });
  });

  it("is read whole where it opens as another did, and leaves out what holds no statement", async () => {
    const { server, session, start } = await place();
    await session(["Hi", PETS[0]!]);
    await session(["Hi", TRIP[0]!]);
    await session(["hello", "What is the capital of Peru?"]);
    await start();
    await start();
    const told = asked(server).map(({ body }) => JSON.stringify(body));
    expect(told.map((text) => text.match(/\[#\d+ user\] Hi/g)?.length)).toEqual([1, 1]);
    expect(about(server, [PETS[0]!, TRIP[0]!])).toEqual([0, 1]);
  });

  it("is emptied where a person takes a line out of MEMORY.md", async () => {
    const { server, workspace, session, start } = await place();
    await session([...PETS, ...TRIP]);
    const page = join(workspace, "MEMORY.md");
    const lines = readFileSync(page, "utf8").split("\n");
    expect(lines.filter((line) => line.includes("Rotterdam"))).toHaveLength(1);
    writeFileSync(page, lines.filter((line) => !line.includes("Rotterdam")).join("\n"));
    const next = await start();
    expect([asked(server), await next.queued()]).toEqual([[], 0]);
    expect((await next.contents()).join()).not.toContain("Rotterdam");
  });

  it.each(["conversation", "memory"] as const)("is emptied by forgetting a %s", async (what) => {
    const { server, session, open, start } = await place();
    await session(PETS);
    const here = await open();
    const [first] =
      what === "memory" ? await here.tidemark.memory.list() : await here.tidemark.history.list();
    expect(
      await (what === "memory"
        ? here.tidemark.memory.forget(first!.id)
        : here.tidemark.history.forget({ conversation: first!.id })),
    ).toBe(1);
    expect(await here.queued()).toBe(0);
    await here.tidemark.close();
    await start();
    expect(asked(server)).toEqual([]);
  });
});

describe("the model's word on a rested conversation", () => {
  const told = (server: MessagesServer, ...facts: readonly Fact[]): void =>
    server.script({ distil: () => answer(...facts) });

  it("takes the place of the lines that were quoted from it, in memory and on its page", async () => {
    const { server, workspace, session, start } = await place();
    told(server, { content: "The user lives in Rotterdam with a cat called Whiskerino." });
    await session(PETS);
    const page = () => readFileSync(join(workspace, "MEMORY.md"), "utf8");
    expect(page()).toContain("peanuts");
    const next = await start();
    expect(await next.contents()).toEqual([
      "The user lives in Rotterdam with a cat called Whiskerino.",
    ]);
    expect(page()).not.toContain("peanuts");
    expect(page()).toContain("with a cat called Whiskerino");
  });

  it("does not end what another conversation has said since, though that was read before", async () => {
    const { server, session, start } = await place();
    server.script({
      distil: (body) =>
        answer({
          content: JSON.stringify(body).includes("5,500 euro now")
            ? "The user's budget is 5,500 euro."
            : "The user's budget is 4,000 euro.",
          key: "user.trip.budget",
        }),
    });
    await session(TRIP, { identity: { agent: "default", user: "ada" } });
    await session([...PETS, "My budget is 5,500 euro now."], {
      identity: { agent: "other", user: "ada" },
    });
    const as = (agent: string) => start({ identity: { agent, user: "ada" } });
    await as("other");
    const next = await as("default");
    expect(about(server, ["5,500 euro now", TRIP[1]!])).toEqual([0, 1]);
    const budgets = (await next.contents()).filter((content) =>
      content.startsWith("The user's budget"),
    );
    expect(budgets).toEqual(["The user's budget is 5,500 euro."]);
    expect(JSON.stringify(asked(server)[1]!.body)).toContain("The last message is of 2026-05-04.");
  });

  it("leaves what somebody has edited", async () => {
    const { server, open, session, start } = await place();
    told(server, { content: "The user lives in Rotterdam." });
    await session(PETS);
    const here = await open({ distil: "extractive" });
    const cat = (await here.tidemark.memory.list()).find(({ content }) =>
      content.includes("Whiskerino"),
    );
    await here.tidemark.memory.update(cat!.id, {
      content: "The cat is called Whiskerino, and is three.",
    });
    await here.tidemark.close();
    const left = (await (await start()).contents()).join("\n");
    expect(left).toContain("The cat is called Whiskerino, and is three.");
    expect(left.match(/Rotterdam/g)).toHaveLength(1);
  });

  it("takes their place where it says nothing, and is asked for once", async () => {
    const { server, session, start } = await place();
    told(server);
    await session([...PETS.slice(0, 2), "I'd love a trip to Japan in April, by train."]);
    expect(await (await start()).contents()).toEqual([]);
    await start();
    expect(asked(server)).toHaveLength(1);
  });
});
