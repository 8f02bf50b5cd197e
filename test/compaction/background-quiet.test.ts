import { describe, expect, it } from "vitest";
import type { Options, TidemarkEvent, Turn } from "../../src/index.ts";
import type { Complete, Message } from "../../src/core/request.ts";
import { afterwards, freshFolder, prose, typesOf, until } from "../support/anthropic.ts";
import { handTimer } from "../support/hand-timer.ts";
import { runProgram } from "../support/program.ts";
import { asReply, assistant, play, requestOf, user } from "../support/talk.ts";
import { openTimed, type TimedOptions } from "../support/timed.ts";

const well =
  (calls: string[]): Complete =>
  async ({ messages }) => {
    calls.push(JSON.stringify(messages));
    return {
      text: JSON.stringify({
        facts: [
          {
            content: `The pilot of call ${calls.length} is called Nixe.`,
            category: "core",
            importance: 0.9,
            from: [1],
          },
        ],
        summary: "They spoke of a boat.",
      }),
    };
  };

async function room(
  complete: Complete,
  {
    distil,
    ...options
  }: Omit<TimedOptions, "distil"> & { distil?: Exclude<Options["distil"], string | Complete> } = {},
) {
  const events: TidemarkEvent[] = [];
  const clock = handTimer();
  const tidemark = await openTimed({
    workspace: false,
    cache: false,
    window: { tokens: 40_000 },
    timer: clock.timer,
    listen: (event) => events.push(event),
    distil: { complete, ...distil },
    ...options,
  });
  afterwards(() => tidemark.close());
  const messages: Message[] = [];
  const say = (words = 800, until: (turn: Turn) => boolean = () => true) =>
    play(tidemark, {
      messages,
      calls: () => `Note ${messages.length}. ${prose(words, messages.length)}`,
      reply: () => `Noted ${messages.length}.`,
      until,
    });
  const fill = (level: number) => say(800, ({ window }) => window.level >= level);
  return { tidemark, events, clock, messages, say, fill };
}

describe("a conversation that falls quiet", () => {
  it("is distilled as far as it is, before the provider's cache has died", async () => {
    const calls: string[] = [];
    const { tidemark, events, clock, fill, say } = await room(well(calls));
    await fill(0.6);
    await tidemark.idle();
    expect(calls).toHaveLength(1);
    await fill(0.67);
    await tidemark.idle();
    expect(calls).toHaveLength(1);
    const [timer, ...others] = clock.quiet();
    expect(others).toEqual([]);
    expect(timer!.ms).toBeGreaterThan(200_000);
    expect(timer!.ms).toBeLessThan(300_000);
    clock.fire(timer!);
    await until(() => typesOf(events).filter((type) => type === "distilled").length === 2);
    expect(calls[1]!.length).toBeGreaterThan(calls[0]!.length);
    // Nothing is left to wait for, until somebody speaks.
    await tidemark.idle();
    expect(clock.all).toEqual([]);
    let turn = await say();
    while (!turn.folded) turn = await say();
    expect(turn.folded.messages).toBeGreaterThan(20);
    expect(typesOf(events)).not.toContain("waited");
  });

  it("is left alone while it speaks, and where little is new", async () => {
    const calls: string[] = [];
    const { tidemark, clock, fill, say } = await room(well(calls));
    await fill(0.6);
    await tidemark.idle();
    await say(40);
    const turn = await tidemark.begin(requestOf([user("Good morning.")]));
    await turn.end(asReply(assistant("Yes.")));
    for (const timer of clock.quiet()) clock.fire(timer);
    await tidemark.idle();
    expect(calls).toHaveLength(1);
  });
});

describe("below the first mark", () => {
  it("no model is called, no timer is set but the one for its rest, and nothing waits", async () => {
    const calls: string[] = [];
    const { tidemark, clock, say, events } = await room(well(calls));
    for (let turns = 0; turns < 20; turns++) {
      const turn = await say();
      expect(turn.window.mark).toBe("below");
      expect(clock.all).toEqual(clock.quiet().slice(0, 1));
    }
    await tidemark.idle();
    expect(calls).toEqual([]);
    expect(typesOf(events)).not.toContain("waited");
  });
});

describe("a process", () => {
  it("ends by itself with a conversation that is quiet and a distiller that hangs", async () => {
    const { out, code } = await runProgram(`
let asked = 0;
const tidemark = await open({ distil: () => { asked++; return new Promise(() => {}); } });
console.log(await talk(tidemark, 0.62));
for (let step = 0; step < 200 && asked === 0; step++) await new Promise((resolve) => setImmediate(resolve));
console.log("asked", asked, process.getActiveResourcesInfo().filter((name) => name === "Timeout").length);`);
    // Neither the minute of the call nor the minutes of the quiet are waited for.
    expect(out).toBe("flush\nasked 1 0\n");
    expect(code).toBe(0);
  });
});

describe("the next start", () => {
  it("catches up with what a dead process left: conversations nobody read, and those that were being distilled", async () => {
    const workspace = freshFolder();
    const events = await new Promise<string>((resolve, reject) => {
      const child = runProgram(`
const tidemark = await open({ workspace: ${JSON.stringify(workspace)}, distil: () => new Promise(() => {}) });
const turn = await tidemark.begin({ model: "m", max_tokens: 100, messages: [{ role: "user", content: "My cat is called Whiskerino." }] });
await turn.end({ id: "m", type: "message", model: "m", stop_reason: "end_turn", role: "assistant", content: [{ type: "text", text: "Fine." }], usage: { input_tokens: 0, output_tokens: 1 } });
console.log(await talk(tidemark, 0.62));
await new Promise((resolve) => setImmediate(resolve));
process.kill(process.pid, "SIGKILL");`);
      child.then(({ out }) => resolve(out), reject);
    });
    expect(events).toBe("flush\n");
    const calls: string[] = [];
    let later = 3_600_000;
    const next = await room(well(calls), { workspace, now: () => Date.now() + later });
    await next.say(10);
    await next.tidemark.idle();
    // Read without a model at once; what the model was at when the process died, by the model.
    expect(
      (await next.tidemark.memory.search("cat", { limit: 3 })).some(({ text }) =>
        text.includes("Whiskerino"),
      ),
    ).toBe(true);
    expect(typesOf(next.events)).toContain("queued");
    later += 60_000;
    await next.say(10);
    await next.tidemark.idle();
    expect(calls.some((asked) => asked.includes("the quiet boat"))).toBe(true);
    expect(
      next.events.filter((event) => event.type === "distilled" && event.by === "model"),
    ).toHaveLength(1);
    expect(calls.filter((asked) => asked.includes("Whiskerino"))).toHaveLength(0);
    // What did not fit into one reading waits for the next pause.
    expect((await next.tidemark.stats()).queued).toBeLessThanOrEqual(1);
  });
});
