import { matches, type Line, type Reading } from "./line.ts";

/** Messages `start`… of a request that lie at `at`… of a line. */
export interface Run {
  readonly start: number;
  readonly at: number;
  readonly length: number;
}

/** A run must be this long to tell where a trimmed history lies: one message alone ("OK") stands in many places. */
const LEAST = 2;

/** Where each reply of a line stands; a line is asked many times and never changes. */
const replies = new WeakMap<Line["entries"], Map<string, number[]>>();

function placesOf(entries: Line["entries"]): Map<string, number[]> {
  const made = replies.get(entries);
  if (made) return made;
  const places = new Map<string, number[]>();
  entries.forEach((entry, position) => {
    if (!entry.reply) return;
    const known = places.get(entry.content);
    if (known) known.push(position);
    else places.set(entry.content, [position]);
  });
  replies.set(entries, places);
  return places;
}

/** The run around the request's latest reply that the line knows: the longest, of equals the latest. */
export function findRun(line: Line, readings: readonly Reading[]): Run | undefined {
  const places = placesOf(line.entries);
  for (let index = readings.length - 1; index >= 0; index--) {
    const reading = readings[index];
    if (reading === undefined || !reading.assistant) continue;
    let best: Run | undefined;
    for (const place of (places.get(reading.content) ?? []).toReversed()) {
      const run = widen(line, readings, { index, place });
      if (run.length >= LEAST && (best === undefined || run.length > best.length)) best = run;
      // Nothing earlier can be longer: in a history that repeats itself this spares a look at every repetition.
      if (run.start === 0 && run.at + run.length >= line.confirmed) break;
    }
    if (best) return best;
  }
  return undefined;
}

function widen(
  line: Line,
  readings: readonly Reading[],
  from: { index: number; place: number },
): Run {
  let { index: start, place: at } = from;
  for (
    let before = readings[start - 1];
    before && at > 0 && matches(line, at - 1, before);
    before = readings[start - 1]
  ) {
    start--;
    at--;
  }
  let length = from.index - start + 1;
  for (
    let next = readings[start + length];
    next && matches(line, at + length, next);
    next = readings[start + length]
  )
    length++;
  return { start, at, length };
}
