import { expect } from "vitest";

/** Below this nothing is slow, and what else a process does is as large as the work. */
const NOTHING_MS = 25;
const TIMES = 4;
/** Linear is 4, quadratic 16. */
const MOST = 10;

/** ms of the processor, of which a busy or slow machine takes no more: the least of six. */
async function least(work: () => unknown): Promise<number> {
  let found = Infinity;
  for (let round = 0; round < 6; round += 1) {
    const before = process.cpuUsage();
    await work();
    const { user, system } = process.cpuUsage(before);
    found = Math.min(found, (user + system) / 1_000);
    if (found < NOTHING_MS) break;
  }
  return found;
}

/** Work over so much text, and over four times as much, takes time that grows with its length only. */
export async function growsWithLength(
  work: (length: number) => unknown,
  { what, length = 50_000 }: { what: string; length?: number },
): Promise<void> {
  let ratio = Infinity;
  for (let attempt = 0; attempt < 6 && ratio > MOST; attempt += 1) {
    // One step between two lengths may be the collector's: what is too slow is so in the next, too.
    const short = length * TIMES ** (attempt % 2);
    const long = await least(() => work(short * TIMES));
    ratio = long < NOTHING_MS ? 0 : long / (await least(() => work(short)));
  }
  expect(ratio, `${what}: so many times as long for ${TIMES} times as much`).toBeLessThan(MOST);
}

/** The unit again and again, to so many characters. */
export const repeated = (unit: string, length: number): string =>
  unit.repeat(Math.ceil(length / unit.length));
