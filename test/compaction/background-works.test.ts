import { kindOf } from "../support/anthropic.ts";
import fc from "fast-check";
import { afterEach, describe, expect, it } from "vitest";
import { openTidemark, type Options, type Tidemark, type TidemarkEvent } from "../../src/index.ts";
import type { Message } from "../../src/core/request.ts";
import { chance } from "../support/histories-random.ts";
import { asReply, assistant, requestOf, user } from "../support/talk.ts";
import { runs } from "../support/runs.ts";

/** One call of the distiller, answered when the test says so. */
interface Ask {
  /** What it was shown of the conversation, as tags. */
  readonly tags: readonly string[];
  readonly signal: AbortSignal;
  open: boolean;
  answer(how: "well" | "junk" | "fail"): void;
}

const opened: { tidemark: Tidemark; asks: Ask[] }[] = [];
afterEach(async () => {
  for (const { tidemark, asks } of opened.splice(0)) await closed(tidemark, asks);
});

/** Closed; the distiller ends what it was asked, given up or not, as it would hold up the close by seconds. */
async function closed(
  tidemark: Tidemark,
  asks: readonly Ask[],
  how: "well" | "fail" = "fail",
): Promise<void> {
  const closing = tidemark.close();
  while (await Promise.race([closing.then(() => false), settle().then(() => true)]))
    for (const ask of asks) ask.answer(how);
}

const tagsIn = (text: string): string[] => [...new Set(text.match(/«[\w.]+»/g) ?? [])];
const settle = async (): Promise<void> => {
  for (let rounds = 0; rounds < 6; rounds++) await new Promise((resolve) => setImmediate(resolve));
};
const until = async (holds: () => boolean): Promise<void> => {
  while (!holds()) await settle();
};

/** A Tidemark whose distiller waits to be told what to answer. */
async function room(options: Options = {}) {
  const asks: Ask[] = [];
  const events: TidemarkEvent[] = [];
  const tidemark = await openTidemark({
    workspace: false,
    cache: false,
    recall: false,
    window: { tokens: 40_000, patience: 0 },
    listen: (event) => events.push(event),
    distil: ({ messages, signal }) => {
      // Asked to put in what it left out, it says the same once more.
      const said = messages.at(-2);
      if (said?.role === "assistant" && String(said.content).startsWith('{"facts"'))
        return Promise.resolve({ text: String(said.content) });
      return new Promise((resolve, reject) => {
        const instruction = String(messages.at(-1)?.content);
        const last = Number(/^Range: messages \d+ to (\d+)/m.exec(instruction)?.[1]);
        const previous =
          /<tidemark-previous-summary[\s\S]*?<\/tidemark-previous-summary>/.exec(
            instruction,
          )?.[0] ?? "";
        const tags =
          messages.length > 1
            ? tagsIn(JSON.stringify(messages.slice(0, last)) + previous)
            : tagsIn(instruction);
        const ask: Ask = {
          tags,
          signal,
          open: true,
          answer: (how) => {
            ask.open = false;
            if (how === "fail") reject(new Error("529 overloaded"));
            else
              resolve({
                text:
                  how === "junk"
                    ? "Certainly!"
                    : JSON.stringify({ facts: [], summary: `Seen: ${tags.join(" ")}` }),
              });
          },
        };
        signal.addEventListener("abort", () => (ask.open = false), { once: true });
        asks.push(ask);
      });
    },
    ...options,
  });
  opened.push({ tidemark, asks });
  return { tidemark, asks, events, open: () => asks.filter((ask) => ask.open) };
}

let count = 0;
const line = (session: string, words = 800): string =>
  `«${session}.${count++}» ${"boat pier gull rope ".repeat(words / 4)}`;

async function say(
  tidemark: Tidemark,
  messages: Message[],
  { session, words = 800, ends = true }: { session: string; words?: number; ends?: boolean },
) {
  messages.push(user(line(session, words)));
  // A loop has its model to wait for; what stands behind it goes on meanwhile.
  await new Promise((resolve) => setImmediate(resolve));
  const turn = await tidemark.begin(requestOf(messages));
  const reply = assistant(line(session, 200));
  if (ends) await turn.end(asReply(reply));
  messages.push(reply);
  return turn;
}

/** Talks until the level has reached a mark. */
async function fill(tidemark: Tidemark, messages: Message[], session: string, level: number) {
  for (;;) {
    const turn = await say(tidemark, messages, { session });
    if (turn.window.level >= level) return turn;
  }
}

const summaryIn = ({ messages }: { messages: readonly Message[] }): string =>
  messages
    .map(({ content }) => (typeof content === "string" ? content : JSON.stringify(content)))
    .find((text) => text.includes("<tidemark-summary")) ?? "";

describe("distilling behind the conversations", () => {
  it("is one work a session: new turns neither cancel it nor start another, and what it made is folded in by its prefix", async () => {
    const { tidemark, asks, open, events } = await room();
    const messages: Message[] = [];
    await fill(tidemark, messages, "a", 0.6);
    await until(() => asks.length === 1);
    const [ask] = asks;
    for (let more = 0; more < 2; more++)
      await say(tidemark, messages, { session: "a", words: 200 });
    expect([asks.length, ask!.signal.aborted, open().length]).toEqual([1, false, 1]);
    ask!.answer("well");
    await tidemark.idle();
    let turn = await say(tidemark, messages, { session: "a" });
    while (!turn.folded) turn = await say(tidemark, messages, { session: "a" });
    expect(new Set(tagsIn(summaryIn(turn.request)))).toEqual(new Set(ask!.tags));
    // What was said since the snapshot stands word for word behind the summary: rolling, not from the start.
    const kept = tagsIn(JSON.stringify(turn.request.messages.slice(1)));
    expect([...ask!.tags, ...kept]).toEqual(tagsIn(JSON.stringify(messages.slice(0, -1))));
    expect(events.some((event) => kindOf(event) === "waited")).toBe(false);
  });

  it("is shared by a branch as far as it is the same, and by nobody else's conversation", async () => {
    const { tidemark, asks } = await room({ window: { tokens: 40_000, patience: 0 } });
    const messages: Message[] = [];
    await fill(tidemark, messages, "a", 0.6);
    await until(() => asks.length === 1);
    asks[0]!.answer("well");
    await tidemark.idle();
    // Another answer to the last question but one, and the conversation goes on from there.
    const branch = [...messages.slice(0, -2), user(line("branch"))];
    const turnOf = async (who: Tidemark, talk: Message[]) => {
      const turn = await who.begin(requestOf(talk));
      await turn.end(asReply(assistant("Noted.")));
      talk.push(assistant("Noted."), user(line("more")));
      return turn;
    };
    let turn = await turnOf(tidemark, branch);
    while (!turn.folded) turn = await turnOf(tidemark, branch);
    expect(new Set(tagsIn(summaryIn(turn.request)))).toEqual(new Set(asks[0]!.tags));
    expect(asks.filter(({ tags }) => tags.join() === asks[0]!.tags.join())).toHaveLength(1);
    const other = [...messages, user(line("other"))];
    const stranger = await turnOf(tidemark.as({ user: "eve" }), other);
    expect([stranger.window.mark, stranger.folded]).toEqual(["flush", undefined]);
    for (let turns = 0; turns < 8; turns++)
      expect((await turnOf(tidemark.as({ user: "eve" }), other)).folded).toBeUndefined();
  });

  it("holds all of that over random turns, edits, forks and distillers that are slow, fail or talk nonsense", async () => {
    await fc.assert(
      fc.asyncProperty(fc.integer({ min: 0, max: 1e9 }), async (seed) => {
        const random = chance(seed);
        const { tidemark, asks, events, open } = await room();
        const talks = Array.from({ length: 7 }, (_, index) => ({
          name: `t${index}`,
          messages: [] as Message[],
        }));
        for (let step = 0; step < 80; step++) {
          const talk = talks[random.nat(talks.length - 1)]!;
          const { messages } = talk;
          if (random.maybe(0.06) && messages.length > 6)
            messages.splice(
              2 * random.nat(messages.length / 2 - 1),
              random.maybe(0.5) ? messages.length : 1,
              user(line(`${talk.name}e`)),
            );
          if (messages.at(-1)?.role === "user") messages.push(assistant(line(talk.name, 40)));
          if (random.maybe(0.04) && talks.length < 10)
            talks.push({ name: `${talk.name}f`, messages: [...messages] });
          // Another turn of the same or another conversation begins while the first is under way.
          const turns = [
            talk,
            ...(random.maybe(0.3) ? [talks[random.nat(talks.length - 1)]!] : []),
          ].filter((one, index, all) => all.indexOf(one) === index);
          const before = events.length;
          const done = await Promise.all(
            turns.map((one) =>
              say(tidemark, one.messages, {
                session: one.name,
                words: random.pick([200, 1_600, 3_200]),
                ends: random.maybe(0.8),
              }),
            ),
          );
          done.forEach((turn, index) => {
            const current = new Set(tagsIn(JSON.stringify(turns[index]!.messages)));
            expect(tagsIn(summaryIn(turn.request)).filter((tag) => !current.has(tag))).toEqual([]);
            expect(turn.window.used).toBeLessThanOrEqual(turn.window.limit);
          });
          expect(events.slice(before).filter((event) => kindOf(event) === "waited")).toEqual([]);
          expect(open().length).toBeLessThanOrEqual(4);
          if (random.maybe(0.5)) await settle();
          const pending = open();
          if (pending.length > 0 && random.maybe(0.4))
            random.pick(pending).answer(random.pick(["well", "well", "well", "junk", "fail"]));
          expect(events.filter(({ type }) => type === "degraded")).toEqual([]);
        }
        await closed(tidemark, asks, "well");
        expect(open()).toEqual([]);
      }),
      { numRuns: runs(3) },
    );
  });
});
