import { expect, it } from "vitest";
import { createSlots } from "../../src/session/options/background.ts";

it("so many calls are made at once; the others wait until one of them is done", async () => {
  const slots = createSlots(4);
  const begun: number[] = [];
  const ends: (() => void)[] = [];
  const never = new AbortController().signal;
  const runs = Array.from({ length: 6 }, (_, at) =>
    slots.run(never, async () => {
      begun.push(at);
      await new Promise<void>((end) => ends.push(end));
      return at;
    }),
  );
  for (const many of [4, 5, 6]) {
    await new Promise((later) => setImmediate(later));
    expect(begun).toHaveLength(many);
    ends.shift()?.();
  }
  while (ends.length > 0) ends.shift()?.();
  expect(await Promise.all(runs)).toEqual([0, 1, 2, 3, 4, 5]);
});
