import { describe, expect, it } from "vitest";
import type { Format, Message } from "../../src/core/request.ts";
import type { Options } from "../../src/index.ts";
import { seededHistory } from "../support/histories.ts";
import { chance } from "../support/histories-random.ts";
import { deepFreeze } from "../support/histories-rewrites.ts";
import { replay } from "../support/replay.ts";
import { type Behaviour, scripted } from "../support/replay-distillers.ts";
import { anthropicJudge } from "../support/replay-judge.ts";
import { runs } from "../support/runs.ts";
import { freshTidemark, words } from "../support/anthropic.ts";
import { assistant, result, user } from "../support/talk.ts";

const RUNS = runs(16);
const DISTILLERS: readonly Exclude<Behaviour, "hang">[] = [
  "extractive",
  "extractive",
  "well",
  "well",
  "junk",
  "fail",
  "cut",
];

describe("a random conversation played through the whole stack", () => {
  it(`breaks no law in any of ${RUNS}, with random marks, windows and distillers`, async () => {
    const broken: unknown[] = [];
    let folds = 0;
    for (let seed = 0; seed < RUNS && broken.length < 5; seed++) {
      const random = chance(seed ^ 0x777);
      const format: Format = random.maybe(0.6) ? "anthropic" : "openai-chat";
      const messages = seededHistory(format, seed, {
        turns: 14,
        text: random.pick([60, 300, 900]),
        long: random.pick([1_000, 8_000, 30_000]),
      });
      const flushAt = 0.4 + random.nat(30) / 100;
      const compactAt = flushAt + random.nat(15) / 100;
      const brimAt = Math.min(1, compactAt + 0.02 + random.nat(25) / 100);
      const keepLast = 1 + random.nat(7);
      const window = random.pick([6_000, 8_000, 12_000]);
      const report = await replay(
        {
          name: `seed ${seed}`,
          format,
          messages,
          ...(format === "anthropic" ? { system: "Be kind." } : {}),
        },
        {
          window,
          distiller: random.pick(DISTILLERS),
          keepLast,
          brimAt,
          reparse: random.maybe(0.5),
          options: {
            window: { tokens: window, patience: 5, flushAt, compactAt, brimAt, keepLast },
          },
        },
      );
      folds += report.folds;
      if (report.broken.length > 0)
        broken.push({ seed, distiller: report.distiller, laws: report.broken });
    }
    expect(broken).toEqual([]);
    expect(folds).toBeGreaterThan(RUNS);
  });
});

const reads = (id: string, input: unknown = { path: "notes.md" }) => ({
  ...{ type: "tool_use", id, name: "read", input },
});
const text = (said: string) => ({ type: "text", text: said });
const said = (...texts: string[]): Message => assistant(texts.map(text));
const picture = (seed: number) => ({
  type: "image",
  source: {
    ...{ type: "base64", media_type: "image/png" },
    data: Buffer.alloc(300, seed).toString("base64"),
  },
});
const chat = (turns: number): Message[] =>
  Array.from({ length: turns }, (_, index) => [
    user(`Question ${index}: ${words(60, "q")}`),
    said(`Answer ${index}: ${words(60, "a")}`),
  ]).flat();
const many = <T>(count: number, make: (index: number) => T): T[] =>
  Array.from({ length: count }, (_, index) => make(index));
/** A call and its result, behind some talk. */
const called = (content: unknown, input?: unknown): Message[] => [
  ...[...chat(3), user("Read it."), assistant([reads("t1", input)]), result("t1", content)],
];
const tools = [{ name: "read", input_schema: { type: "object" } }];
const SYSTEM = { system: "Be kind.", max_tokens: 1_000 };

const start = (options: Options = {}) =>
  freshTidemark({ cache: false, distil: "extractive", ...options });

const HUGE: Readonly<Record<string, readonly Message[]>> = {
  "a text of 300,000 tokens as the only message": [user(words(150_000, "w"))],
  "a text of 300,000 tokens earlier on": [
    ...[...chat(3), user(words(150_000, "w")), assistant("Noted."), user("Go on.")],
  ],
  "an answer of 100,000 tokens": [
    ...[...chat(3), user("Tell me all."), said(words(50_000, "s")), user("Thanks.")],
  ],
  "a result of 1 MB": called(words(140_000, "x")),
  "a result of 1 MB of unbroken Chinese": called("潮汐标记会议".repeat(60_000)),
  "a result in two hundred blocks": called(many(200, (index) => text(words(300, `b${index}x`)))),
  "a call with an input of 100,000 tokens": called("written", { content: words(50_000, "c") }),
  "thirty parallel calls that answer with pictures": [
    ...[...chat(3), user("Look."), assistant(many(30, (index) => reads(`t${index}`)))],
    user(
      many(30, (index) => ({
        ...{ type: "tool_result", tool_use_id: `t${index}` },
        content: [text("A shot."), picture(index)],
      })),
    ),
  ],
  "a document of text": [
    ...chat(3),
    user([
      {
        type: "document",
        source: { type: "text", media_type: "text/plain", data: words(60_000, "d") },
      },
      text("Sum it up."),
    ]),
  ],
  "a tool loop of sixty rounds": [
    ...chat(1),
    user(`Do it all. ${words(800, "task")}`),
    ...many(60, (index) => [
      assistant([text("Next."), reads(`t${index}`)]),
      result(`t${index}`, words(150, "r")),
    ]).flat(),
  ],
};

describe("one message too large for any window", () => {
  it.each(
    Object.entries(HUGE).flatMap(([name, messages]) =>
      (name.includes("300,000") ? [8_000, 200_000] : [8_000]).map((window) => ({
        ...{ name, messages, window },
      })),
    ),
  )("is made to fit: $name, window $window", async ({ messages, window }) => {
    const judge = anthropicJudge({ window });
    const { tidemark, events } = await start({ window: { tokens: window } });
    const turn = await tidemark.begin(
      deepFreeze({ model: judge.model, ...SYSTEM, tools, messages }),
    );
    expect(turn.window.used).toBeLessThanOrEqual(turn.window.limit);
    expect(judge.refusal(turn.request)).toBeUndefined();
    expect(judge.overflow(turn.request)).toBeUndefined();
    expect(events.filter(({ type }) => type === "degraded")).toEqual([]);
    const [conversation] = await tidemark.history.list();
    expect((await tidemark.history.read({ conversation: conversation!.id })).messages).toEqual(
      messages,
    );
  });
});

describe("a smaller model in mid-conversation", () => {
  it.each(["extractive", "well", "hang"] as const)(
    "gets a request it can read, the distiller being %s",
    async (distiller) => {
      const { tidemark, events } = await start({
        distil: distiller === "extractive" ? distiller : scripted(distiller).complete,
        window: { patience: 20 },
      });
      const large = anthropicJudge({ window: 200_000, model: "claude-sonnet-4-5" });
      const small = anthropicJudge({ window: 16_000, model: "small-model" });
      const messages: Message[] = [];
      const begin = ({ model }: { model: string }) =>
        tidemark.begin({ model, ...SYSTEM, messages: [...messages] });
      for (let turn = 0; turn < 15; turn++) {
        messages.push(user(`Question ${turn}: ${words(800, `q${turn}x`)}`));
        const begun = await begin(large);
        const reply = said(`Answer ${turn}: ${words(400, `a${turn}x`)}`);
        await begun.end(large.reply(reply, large.tokens(begun.request)));
        messages.push(reply);
      }
      messages.push(user("And now you, small one?"));
      const first = await begin(small);
      const overflow = small.overflow(first.request);
      // Nobody has said how large its window is: the provider does.
      expect(overflow).toBeDefined();
      const second = await first.recover(overflow);
      expect(second && small.overflow(second.request)).toBeUndefined();
      expect(second && small.refusal(second.request)).toBeUndefined();
      expect(second?.request.messages.at(-1)).toEqual(messages.at(-1));
      expect(events.some(({ type }) => type === "overflow-recovered")).toBe(true);
      expect(await second?.recover(overflow)).toBeUndefined();

      messages.push(assistant("Yes."), user("Good."));
      expect(small.overflow((await begin(small)).request)).toBeUndefined();
    },
  );
});

describe("a fold on demand", () => {
  const system = words(300, "sys");
  async function talked(distiller: Exclude<Behaviour, "hang">, size = 80) {
    const { tidemark } = await start({
      distil: distiller === "extractive" ? distiller : scripted(distiller).complete,
      window: { tokens: 20_000 },
    });
    const judge = anthropicJudge({ window: 20_000 });
    const messages: Message[] = [];
    const base = { model: judge.model, max_tokens: 1_000, system };
    const say = async (asked: string) => {
      messages.push(user(asked));
      const turn = await tidemark.begin({ ...base, messages: [...messages] });
      const reply = said(`Answer ${messages.length}: ${words(size, `a${messages.length}x`)}`);
      await turn.end(judge.reply(reply, judge.tokens(turn.request)));
      messages.push(reply);
      return turn;
    };
    for (let turn = 0; turn < 8; turn++) await say(`Question ${turn}: ${words(size, `q${turn}x`)}`);
    return { tidemark, judge, base, messages, say };
  }

  it.each(["extractive", "well"] as const)(
    "shrinks the next request by what it says, the distiller being %s",
    async (distiller) => {
      const { tidemark, judge, say } = await talked(distiller);
      const done = await tidemark.fold();
      if ("refused" in done) throw new Error(done.refused);
      expect(done.after).toBeLessThan(done.before);
      expect(done.messages).toBe(12);
      const turn = await say("Next?");
      expect(turn.request.messages).toHaveLength(1 + 4 + 1);
      expect(judge.refusal(turn.request)).toBeUndefined();
      // What was promised holds but for the new words, within the counter's error.
      expect(Math.abs(judge.tokens(turn.request) - done.after) / done.after).toBeLessThan(0.1);
    },
  );

  it.each(["junk", "fail", "cut"] as const)(
    "is refused with the reason, and changes nothing, when the distiller is %s",
    async (distiller) => {
      const { tidemark, messages, say } = await talked(distiller);
      expect(await tidemark.fold()).toEqual({
        refused: expect.stringMatching(/the distiller gave no summary/) as string,
      });
      const turn = await say("Next?");
      expect(turn.folded).toBeUndefined();
      expect(turn.request.messages).toHaveLength(messages.length - 1);
    },
  );

  it("is refused when nothing worth it would be freed, when all is folded, and when there is no conversation", async () => {
    const little = await talked("extractive", 3);
    expect(await little.tidemark.fold()).toEqual({
      refused: expect.stringMatching(/would land at/) as string,
    });
    const much = await talked("extractive");
    await much.tidemark.fold();
    expect(await much.tidemark.fold()).toEqual({
      refused: "all before the last messages is folded already",
    });
    const { tidemark } = await start();
    expect(await tidemark.fold()).toEqual({ refused: "there is no conversation yet" });
    await expect(tidemark.fold({ conversation: "nowhere" })).rejects.toMatchObject({
      code: "not-found",
    });
  });

  it("folds the request it is given before it is sent", async () => {
    const { tidemark, messages, base } = await talked("extractive");
    const request = { ...base, messages: [...messages, user("Last one.")] };
    expect(await tidemark.fold({ request })).toMatchObject({ messages: 13 });
    const turn = await tidemark.begin(request);
    expect(turn.request.messages).toHaveLength(1 + 4);
    expect(turn.request.messages.at(-1)).toEqual(user("Last one."));
  });
});
