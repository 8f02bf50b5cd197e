import type { Entry } from "../model/history.ts";
import type { Line, Reading } from "./line.ts";
import { holdsReply, walk, type Walk } from "./walk.ts";

/**
 * Places of the user's words in a line, by their digests; a line is asked many times and never
 * changes.
 */
const spines = new WeakMap<readonly Entry[], Map<string, number[]>>();

function spineOf(entries: readonly Entry[]): Map<string, number[]> {
  let places = spines.get(entries);
  if (places === undefined) {
    const own = entries.flatMap((entry, place) => (entry.role === "user" ? [place] : []));
    places = Map.groupBy(own, (place) => entries[place]?.said ?? "");
    spines.set(entries, places);
  }
  return places;
}

/** The first words may stand in another form, where pages were put into each question. */
function ownPlaces(line: Line, reading: Reading, isFirst: boolean): readonly number[] {
  const spine = spineOf(line.entries);
  const places = spine.get(reading.said());
  if (places !== undefined || !isFirst) return places ?? [];
  const latest = [...spine.values()].flat().sort((one, other) => one - other);
  return latest.slice(-PLACES_TRIED).filter((place) => line.shows(place, reading) === "part");
}

/**
 * Words that are said again and again ("go on") are tried at so many of their places, the latest
 * first.
 */
const PLACES_TRIED = 32;
/** A run further on, behind what stands from the beginning and what stands in between. */
interface Resumed extends Walk {
  /** Messages of the gap before the run: a caller's own summary. */
  readonly gap: number;
}

/**
 * Finds where a request goes on whose head was trimmed, or stands condensed in a summary of the
 * caller's.
 */
export function resume(line: Line, readings: readonly Reading[], start: Walk): Resumed | undefined {
  for (let index = start.positions.length; index < readings.length; index += 1) {
    const run = longestFrom(line, readings, { index, start });
    if (run === undefined) continue;
    const gap = readings.slice(start.positions.length, run.index);
    const between = line.entries.slice(start.at, run.positions[0]);
    const isCondensed =
      gap.filter(({ own }) => own).length < between.filter(({ role }) => role === "user").length;
    // A summary calls no tools: a request that does only ends in the same words.
    if (!isCondensed || gap.some(({ tools }) => tools)) return undefined;
    const positions = [...start.positions, ...gap.map(() => -1), ...run.positions];
    return { ...run, positions, gap: gap.length };
  }
  return undefined;
}

function longestFrom(
  line: Line,
  readings: readonly Reading[],
  { index, start }: { index: number; start: Walk },
): (Walk & { index: number }) | undefined {
  const reading = readings[index];
  if (reading?.own !== true) return undefined;
  let best: (Walk & { index: number }) | undefined;
  const isFirst = index === start.positions.length;
  const places = ownPlaces(line, reading, isFirst).filter(
    (place) => place > start.at || (place === start.at && index === 0),
  );
  for (const place of places.slice(-PLACES_TRIED).reverse()) {
    const run = widened(line, readings, { index, place });
    if (run.positions.length < 2 || !holdsReply(line, run.positions)) continue;
    if (run.positions.length > (best?.positions.length ?? 0)) best = run;
    // No earlier place can be longer.
    if (run.at >= line.confirmed && run.index === 0) break;
  }
  return best;
}

/** A run from a place on, with the replies before it up to the user's words before. */
function widened(
  line: Line,
  readings: readonly Reading[],
  { index, place }: { index: number; place: number },
): Walk & { index: number } {
  const run = walk(line, readings, { index, at: place });
  const before: number[] = [];
  let [first, at] = [index, place];
  while (first > 0 && at > 0 && readings[first - 1]?.own === false) {
    const found = backwards(line, readings[first - 1], at);
    if (found === undefined) break;
    before.unshift(found);
    [first, at] = [first - 1, found];
  }
  return { ...run, index: first, positions: [...before, ...run.positions] };
}

function backwards(line: Line, reading: Reading | undefined, at: number): number | undefined {
  for (let place = at - 1; place >= 0 && line.entries[place]?.role !== "user"; place -= 1)
    if (reading !== undefined && line.entries[place]?.content === reading.content) return place;
  return undefined;
}
