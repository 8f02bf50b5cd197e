import { kindOf } from "../support/anthropic.ts";
import { afterAll, describe, expect, it } from "vitest";
import type { Options, Tidemark, TidemarkEvent } from "../../src/index.ts";
import type { Complete, Message } from "../../src/core/request.ts";
import type { Timer } from "../../src/session/options/background.ts";
import { asReply, assistant, requestOf, user } from "../support/talk.ts";
import { openTimed } from "../support/timed.ts";

/** Longer than any test lasts, so that no time of the machine counts; less than the minute of a distiller. */
const PATIENCE = 50_000;
/** What recall may take of a turn that has waited all its patience. */
const RECALL = 50;

const opened: Tidemark[] = [];
// Each waits seconds for what hangs, so all at once.
afterAll(() => Promise.all(opened.map((one) => one.close())));

interface Alarm {
  readonly due: number;
  readonly ms: number;
  readonly work: () => void;
}

/** A clock that stands while anything moves, and goes on to the next alarm a turn has set when nothing does. */
function standing() {
  let now = 0;
  const alarms = new Set<Alarm>();
  const timer: Timer = (ms, work) => {
    const one = { due: now + ms, ms, work };
    alarms.add(one);
    return () => void alarms.delete(one);
  };
  /** ms that went by until all were done. A distiller's minute never ends here: who waits for that waits for ever. */
  async function during(works: readonly Promise<unknown>[]): Promise<number> {
    const from = now;
    let open = works.length;
    for (const work of works)
      work.then(
        () => open--,
        () => open--,
      );
    for (let idle = 0; open > 0; idle++) {
      await new Promise((resolve) => setImmediate(resolve));
      const [next] = [...alarms]
        .filter(({ ms }) => ms <= PATIENCE)
        .sort((one, other) => one.due - other.due);
      // All that can go on without the clock has gone on.
      if (next === undefined || idle < 40) continue;
      idle = 0;
      now = Math.max(now, next.due);
      alarms.delete(next);
      next.work();
    }
    await Promise.all(works);
    return now - from;
  }
  return { timer, during };
}

const hangs: Complete = ({ signal }) =>
  new Promise((_, reject) =>
    signal.addEventListener("abort", () => reject(new Error("stopped")), { once: true }),
  );
const deaf: Complete = () => new Promise(() => undefined);
const slow = (): { complete: Complete; answer: () => void } => {
  const waiting: (() => void)[] = [];
  return {
    complete: () =>
      new Promise((resolve) =>
        waiting.push(() =>
          resolve({
            text: JSON.stringify({ facts: [], summary: "They spoke of boats and gulls." }),
          }),
        ),
      ),
    answer: () => waiting.splice(0).forEach((one) => one()),
  };
};

async function room(distil: Complete, options: Options = {}) {
  const clock = standing();
  const events: TidemarkEvent[] = [];
  const tidemark = await openTimed({
    workspace: false,
    cache: false,
    inject: false,
    window: { tokens: 8_000, patience: PATIENCE },
    timer: clock.timer,
    listen: (event) => events.push(event),
    distil: { complete: distil },
    ...options,
  });
  opened.push(tidemark);
  return { tidemark, events, ...clock };
}

const words = (name: string, count: number): string =>
  Array.from({ length: count }, (_, at) => `${name}${at} gull`).join(" ");
/** So many messages that a request of them is past the brim. */
const history = (name: string, messages = 31): Message[] =>
  Array.from({ length: messages }, (_, at) =>
    (at % 2 === 0 ? user : assistant)(`${name} ${at}: ${words(`${name}${at}x`, 60)}`),
  );

describe("what a turn waits for a summary, by a clock that only waiting moves,", () => {
  it.each([
    ["hangs", hangs],
    ["hangs and hears no signal", deaf],
  ] as const)("is at most patience at the brim, when the distiller %s", async (_, distil) => {
    const { tidemark, events, during } = await room(distil);
    const begun = tidemark.begin(requestOf(history("a")));
    expect(await during([begun])).toBe(PATIENCE);
    expect((await begun).folded).toBeDefined();
    expect(events.filter((event) => kindOf(event) === "waited")).toMatchObject([
      { ms: PATIENCE, text: "the request is at the brim and no summary was ready" },
    ]);
    expect(events).toContainEqual(expect.objectContaining({ type: "distilled", by: "extractive" }));
  });

  it("is at most patience once between the marks, and nothing in the turns after it, for the same work", async () => {
    const { tidemark, during } = await room(hangs);
    const messages = history("m", 1);
    const waits: number[] = [];
    for (let at = 0; at < 12; at++) {
      const begun = tidemark.begin(requestOf(messages));
      waits.push(await during([begun]));
      const turn = await begun;
      const reply = assistant(`Reply ${at}: ${words(`r${at}x`, 90)}`);
      await turn.end(asReply(reply));
      messages.push(reply, user(`Next ${at}: ${words(`n${at}x`, 90)}`));
    }
    for (const ms of waits) expect(ms).toBeLessThanOrEqual(PATIENCE);
    expect(waits.filter((ms) => ms > 0).length).toBeGreaterThan(0);
    expect(waits.filter((ms) => ms > 0).length).toBeLessThanOrEqual(3);
  });

  it("and for an embedder that hangs is one patience together, and the little that recall has in any case", async () => {
    let silent = false;
    const embed = {
      dimensions: 3,
      embed: (texts: readonly string[], signal?: AbortSignal) =>
        silent
          ? new Promise<never>((_, reject) =>
              signal?.addEventListener("abort", () => reject(new Error("stopped"))),
            )
          : Promise.resolve(texts.map(() => [1, 0, 0])),
    };
    const { tidemark, during, events } = await room(hangs, { embed, recall: {} });
    await tidemark.memory.save("The deploy key lives in the blue vault.");
    await tidemark.idle();
    silent = true;
    const begun = tidemark.begin(
      requestOf([...history("e", 30), user("Where does the deploy key live?")]),
    );
    expect(await during([begun])).toBeLessThanOrEqual(PATIENCE + RECALL);
    expect((await begun).folded).toBeDefined();
    expect(events).toContainEqual(
      expect.objectContaining({ type: "degraded", where: "recall for a turn" }),
    );
  });

  it("is used to make the fold ready, and of that nothing is stored before the wait is over, or if a summary comes", async () => {
    const told = [
      user("My name is Inger Holm, and my boat is called Skarven."),
      assistant("Noted."),
      ...history("w"),
    ];
    const pause = async (): Promise<void> => {
      for (let idle = 0; idle < 60; idle++) await new Promise((resolve) => setImmediate(resolve));
    };
    for (const comes of [true, false]) {
      const { complete, answer } = slow();
      const { tidemark, during, events } = await room(complete);
      const begun = tidemark.begin(requestOf(told));
      await pause();
      expect(events.filter(({ type }) => type === "distilled" || type === "folded")).toEqual([]);
      expect(await tidemark.history.folds()).toEqual([]);
      expect((await tidemark.memory.list()).length).toBe(0);
      const waited = during([begun]);
      const settled = begun.then(() => true);
      while (
        comes &&
        !(await Promise.race([
          settled,
          new Promise<false>((resolve) => setImmediate(() => resolve(false))),
        ]))
      )
        answer();
      await waited;
      expect((await begun).folded).toBeDefined();
      const distilled = events.flatMap((event) => (event.type === "distilled" ? [event] : []));
      expect(distilled.map(({ by }) => by)).toEqual([comes ? "model" : "extractive"]);
      // The model said that nothing is worth a memory, and its word is final.
      if (comes) expect(distilled[0]?.facts).toBe(0);
      else expect(distilled[0]?.facts).toBeGreaterThan(0);
      expect(await tidemark.memory.list()).toHaveLength(distilled[0]?.facts ?? 0);
    }
  });
});

describe("a fold on demand", () => {
  /** A conversation below the marks. */
  async function talked(distil: Complete) {
    const made = await room(distil);
    const turn = made.tidemark.begin(requestOf(history("d", 15)));
    await made.during([turn]);
    await (await turn).end(asReply(assistant("Seen.")));
    return made;
  }

  it("waits for its distiller until it is called off, and keeps what comes of it for the next", async () => {
    const { complete, answer } = slow();
    const { tidemark, events } = await talked(complete);
    const off = new AbortController();
    const folding = tidemark.fold(undefined, { signal: off.signal });
    setImmediate(() => off.abort());
    expect(await folding).toEqual({ refused: expect.stringMatching(/called off/) as string });
    await expect.poll(() => (answer(), events.map(({ type }) => type))).toContain("distilled");
    expect(events.map(({ type }) => type)).not.toContain("folded");
    expect(await tidemark.fold()).toMatchObject({ messages: 12 });
  });

  it("ends with the signal of a turn too: at the brim it folds without the model", async () => {
    const { tidemark, during } = await room(hangs);
    const begun = tidemark.begin(requestOf(history("b")), { signal: AbortSignal.abort() });
    expect(await during([begun])).toBe(0);
    expect((await begun).folded).toBeDefined();
  });
});
