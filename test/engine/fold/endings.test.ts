import { describe, expect, it } from "vitest";
import { createEndings } from "../../../src/engine/runtime/patience.ts";

/** Alarms that ring when the test says so. */
function alarms() {
  const set: { ms: number; work: () => void }[] = [];
  return {
    set,
    timer: (ms: number, work: () => void) => {
      const one = { ms, work };
      set.push(one);
      return () => void (set.includes(one) && set.splice(set.indexOf(one), 1));
    },
    ring: () => set.shift()?.work(),
  };
}

/** A turn that waits until it is told to stop, or is let go. */
function waiter(
  endings: ReturnType<typeof createEndings>,
  { since = performance.now(), most = 60_000 } = {},
) {
  const told = { stopped: false, letGo: (): void => {} };
  const done = endings.among(
    { since, most },
    (stop) =>
      new Promise<void>((resolve) => {
        told.letGo = resolve;
        const stopped = (): void => ((told.stopped = true), resolve());
        if (stop.aborted) stopped();
        else stop.addEventListener("abort", stopped);
      }),
  );
  return { told, done };
}

describe("turns that wait at the brim at the same time", () => {
  it("leave one who is alone all the time it has", async () => {
    const { set, timer } = alarms();
    const one = waiter(createEndings(timer));
    expect(set).toEqual([]);
    one.told.letGo();
    await one.done;
    expect(one.told.stopped).toBe(false);
  });

  it("stop one by one, who is due first first, and the last waits to its end", async () => {
    const { set, timer, ring } = alarms();
    const endings = createEndings(timer);
    const since = performance.now();
    const [second, third, first] = [
      waiter(endings, { since: since + 1_000 }),
      waiter(endings, { since: since + 2_000 }),
      waiter(endings, { since }),
    ];
    expect(set).toHaveLength(1);
    const all = [first, second, third];
    const stopped = (): boolean[] => all.map(({ told }) => told.stopped);
    // An alarm that rings early stops nobody: it is set again.
    ring();
    expect(stopped()).toEqual([false, false, false]);
    expect(set).toHaveLength(1);
    first.told.letGo();
    await first.done;
    expect(set).toHaveLength(1);
    second.told.letGo();
    await second.done;
    expect(set).toEqual([]);
    third.told.letGo();
    await third.done;
    expect(stopped()).toEqual([false, false, false]);
  });

  it("stop the sooner the more of them there are, each leaving room for all behind it", () => {
    const { set, timer } = alarms();
    const endings = createEndings(timer);
    const since = performance.now();
    const first: number[] = [];
    for (let count = 1; count <= 5; count++) {
      waiter(endings, { since });
      first.push(set[0]?.ms ?? Infinity);
    }
    expect(first[0]).toBe(Infinity);
    for (let count = 2; count < 5; count++)
      expect(first[count]).toBeLessThan(first[count - 1] ?? 0);
  });

  it("stop at once all but the last when there is no room for their endings left", async () => {
    const { timer } = alarms();
    const endings = createEndings(timer);
    const all = Array.from({ length: 6 }, () =>
      waiter(endings, { since: performance.now() - 60_000, most: 60_000 }),
    );
    await Promise.all(all.slice(0, -1).map(({ done }) => done));
    expect(all.map(({ told }) => told.stopped)).toEqual([true, true, true, true, true, false]);
  });

  it("hand on what a turn's work gives and throws", async () => {
    const endings = createEndings(alarms().timer);
    expect(
      await endings.among({ since: performance.now(), most: 10 }, () => Promise.resolve(7)),
    ).toBe(7);
    await expect(
      endings.among({ since: performance.now(), most: 10 }, () =>
        Promise.reject(new Error("broken")),
      ),
    ).rejects.toThrow("broken");
    expect(await endings.timed(() => Promise.resolve(8))).toBe(8);
    await expect(endings.timed(() => Promise.reject(new Error("broken")))).rejects.toThrow(
      "broken",
    );
  });
});
