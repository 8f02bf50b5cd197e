// How the time of each reader of texts grows with the text.
import { cpuUsage } from "node:process";
import type { Shape } from "./hostile-shapes.ts";

export interface Reader {
  readonly name: string;
  readonly run: (text: string) => unknown;
}
export interface Slow {
  readonly reader: string;
  readonly shape: string;
  /** So many characters took so many ms, and four times as many so many times as long. */
  readonly length: number;
  readonly ms: number;
  readonly times: number;
}
export interface Bounds {
  /** Lengths, each four times the one before; the last two are judged. */
  readonly lengths: readonly number[];
  /** So many times as long may four times the text take. */
  readonly most: number;
  /** What takes less says nothing about growth. */
  readonly leastMs: number;
}

const AGAIN = 5;

/** No text comes twice: what was made of it may be remembered. */
let texts = 0;

/** Time of the processor, not of the clock: what else runs on the machine counts little. Both kinds, since a busy system divides short ones by luck. A reader may refuse a text. */
async function msOf({ run }: Reader, shape: Shape, length: number): Promise<number> {
  texts += 1;
  const text = shape.of(length + (texts % 100));
  const before = cpuUsage();
  try {
    await run(text);
  } catch {
    // Refused is read too.
  }
  const { user, system } = cpuUsage(before);
  return (user + system) / 1_000;
}

/** Its length squared: what stays below that cannot reach `leastMs` at the last length. */
const mayGrow = (ms: number, length: number, { lengths, leastMs }: Bounds): boolean =>
  ms * ((lengths.at(-1) ?? 0) / length) ** 2 > leastMs / 4;

/** A step that grows too fast is measured again, and the least of each length counts: a disturbed machine only adds. The longer ones are then not tried. */
async function grown(reader: Reader, shape: Shape, bounds: Bounds): Promise<Slow | undefined> {
  const { lengths, most, leastMs } = bounds;
  let before = await msOf(reader, shape, lengths[0] ?? 0);
  for (const [at, length] of lengths.slice(1).entries()) {
    const shorter = lengths[at] ?? 0;
    let now = await msOf(reader, shape, length);
    if (now > leastMs && now > most * before) {
      const times: [number, number][] = [];
      for (let time = 0; time < AGAIN; time += 1)
        times.push([await msOf(reader, shape, shorter), await msOf(reader, shape, length)]);
      before = Math.min(...times.map(([one]) => one));
      now = Math.min(...times.map(([, other]) => other));
      // One step between two lengths may be the collector's: what is too slow is so in the next, too.
      const next = await msOf(reader, shape, length * 4);
      if (now > leastMs && now > most * before && next > most * now)
        return {
          reader: reader.name,
          shape: shape.name,
          length: shorter,
          ms: Math.round(before),
          times: Math.round((10 * now) / before) / 10,
        };
    }
    if (!mayGrow(now, length, bounds)) return undefined;
    before = now;
  }
  return undefined;
}

export async function sweep(
  readers: readonly Reader[],
  shapes: readonly Shape[],
  bounds: Bounds,
): Promise<{ pairs: number; slow: Slow[] }> {
  const slow: Slow[] = [];
  for (const reader of readers)
    for (const shape of shapes) {
      const found = await grown(reader, shape, bounds);
      if (found !== undefined) slow.push(found);
    }
  return { pairs: readers.length * shapes.length, slow };
}
