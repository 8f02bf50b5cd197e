import type { Entry } from "../core/history.ts";
import {
  came,
  holdsReply,
  isShown,
  type Laid,
  type Line,
  type Reading,
  spineFrom,
  walk,
  type Walk,
} from "./spine.ts";

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
function resume(line: Line, readings: readonly Reading[], start: Walk): Resumed | undefined {
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

/**
 * So many messages stand as they did for each that has changed; else it is another conversation.
 */
const STEADY_PER_CHANGE = 4;

const isFew = ({ positions, changed }: Walk): boolean => {
  const bare = changed.filter(({ usual, proven }) => !usual && !proven).length;
  const steady = Math.floor((positions.length - changed.length) / STEADY_PER_CHANGE);
  return bare <= Math.min(1, steady) && changed.length <= Math.max(1, steady);
};

/** A run this long is no coincidence even where the line goes on otherwise. */
const TELLING_RUN = 4;

/**
 * Lays a request on a line; undefined where it does not belong to it.
 *
 * The user's words are the spine: they stand in their order, none left out. Replies between them
 * may be left out, or shown in some form. A request belongs to the line where it shows a reply that
 * was archived here, or where the host's label says so. Where its head is trimmed or replaced by a
 * summary, a later run of the spine that holds a reply tells where it goes on; as many other words
 * of the user's as there stood are an edit, and an edited history is a branch.
 */
export function lay(line: Line, readings: readonly Reading[], labelled: boolean): Laid | undefined {
  const straight = walk(line, readings, { index: 0, at: 0 });
  // Some messages shown otherwise are a correction only where all the rest is this line, to its
  // end.
  const isCorrected = isFew(straight) && settle(line, readings, straight)?.kind === "same";
  const start =
    straight.changed.length === 0 || isCorrected
      ? straight
      : cutAt(straight, straight.changed[0]?.position ?? 0);
  const { positions } = start;
  const ours = (labelled && positions.length > 0) || holdsReply(line, positions);
  const revised = revision(line, readings, start, ours);
  if (revised) return revised;
  if (positions.length > 0 && ours) {
    const laid = settle(line, readings, start);
    if (laid) return laid;
  }
  const later = resume(line, readings, start);
  const resumed = later && (revision(line, readings, later, true) ?? settle(line, readings, later));
  if (resumed) return resumed;
  // Trimmed, and gone back to an earlier point.
  const back = later?.gap === 0 && positions.length === 0 ? later : start;
  const isRun = back.positions.length >= TELLING_RUN && holdsReply(line, back.positions);
  return (back.positions[0] === 0 ? ours : isRun) ? branchAt(back) : undefined;
}

const cutAt = ({ positions, changed }: Walk, position: number): Walk => {
  const kept = positions.slice(0, positions.indexOf(position));
  return {
    positions: kept,
    at: (kept.at(-1) ?? -1) + 1,
    changed: changed.filter((one) => one.position < position),
  };
};

/**
 * Goes on with the line where the caller shows all that it had confirmed; undefined where it does
 * not.
 */
function settle(line: Line, readings: readonly Reading[], start: Walk): Laid | undefined {
  const { entries, confirmed } = line;
  const rest = readings.slice(start.positions.length);
  // Replies that the host does not show stay in the line: only words of the user's follow them.
  const spine = spineFrom(line, start.at);
  const at = rest[0]?.own === true && spine >= confirmed ? spine : start.at;
  // Asked again: nothing was said behind the last words of the user's.
  const isAgain = rest.length === 0 && spineFrom(line, at) >= entries.length;
  if (at < confirmed && !isAgain) return undefined;
  const laid = branchAt({ ...start, at });
  const gone = entries.slice(at);
  const unanswered = gone.length > 0 && !gone.some(({ reply }) => reply);
  const goesOn = rest.some(({ assistant }) => assistant);
  // Another message in the place of the last one, and a conversation had behind it: another line.
  const elsewhere = gone[0]?.role === "user" && rest[0]?.assistant === false && goesOn;
  if (unanswered || elsewhere) return laid;
  return { ...laid, kind: "same", leaf: gone.length === 0 && !goesOn };
}

/**
 * A context, a clock, a reminder that stood in the last message for its own turn alone: the caller
 * shows it otherwise now, and behind it all that came of it to the line's end, and goes on.
 */
function revision(
  line: Line,
  readings: readonly Reading[],
  start: Walk,
  ours: boolean,
): Laid | undefined {
  const index = start.positions.length;
  const reading = readings[index];
  const spine = spineFrom(line, start.at);
  // No summary may speak for what is said otherwise now.
  const isFolded = spine < line.folded;
  if (reading?.own !== true || isFolded || spine >= line.entries.length) return undefined;
  if (!came(line, readings, { index, spine })) return undefined;
  const shown = line.shows(spine, reading);
  const isForm = isShown(shown) || shown === "kin" || shown === "more";
  const tokens = readings
    .slice(index + 1, index + line.entries.length - spine)
    .reduce((sum, one) => sum + one.tokens, 0);
  if (!isForm || !(ours || tokens >= TELLING_TOKENS)) return undefined;
  return { ...branchAt({ ...start, at: spine }), kind: "same", revised: shown ?? "unread" };
}

/** Tokens of a reply that few others would be. */
const TELLING_TOKENS = 8;

/** A branch behind what matches. */
function branchAt({ positions, at, changed }: Walk): Laid {
  const stand = positions.filter((position) => position >= 0);
  return {
    kind: "branch",
    positions,
    keep: at,
    matched: stand.length,
    leaf: false,
    ...(changed.length > 0 ? { changed } : {}),
  };
}
