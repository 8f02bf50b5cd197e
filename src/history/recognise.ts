import { isShown, type Laid, type Line, type Reading } from "./line.ts";
import { resume } from "./resume.ts";
import { came, holdsReply, spineFrom, walk, type Walk } from "./walk.ts";

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

export interface How {
  readonly labelled: boolean;
  /** False spares the search for a history whose head was trimmed. */
  readonly trimmed?: boolean;
  /** False takes a last message in another form for another message. */
  readonly revised?: boolean;
}

/**
 * Lays a request on a line; undefined where it does not belong to it.
 *
 * The user's words are the spine: they stand in their order, none left out. Replies between them
 * may be left out, or shown in some form. A request belongs to the line where it shows a reply that
 * was archived here, or where the host's label says so. Where its head is trimmed or replaced by a
 * summary, a later run of the spine that holds a reply tells where it goes on; as many other words
 * of the user's as there stood are an edit, and an edited history is a branch.
 */
export function lay(line: Line, readings: readonly Reading[], how: How): Laid | undefined {
  const straight = walk(line, readings, { index: 0, at: 0 });
  // Some messages shown otherwise are a correction only where all the rest is this line, to its
  // end.
  const isCorrected = isFew(straight) && settle(line, readings, straight)?.kind === "same";
  const start =
    straight.changed.length === 0 || isCorrected
      ? straight
      : cutAt(straight, straight.changed[0]?.position ?? 0);
  const { positions } = start;
  const ours = (how.labelled && positions.length > 0) || holdsReply(line, positions);
  const revisedAt = (from: Walk, isOurs: boolean): Laid | undefined =>
    how.revised === false ? undefined : revision(line, readings, from, isOurs);
  const revised = revisedAt(start, ours);
  if (revised) return revised;
  if (positions.length > 0 && ours) {
    const laid = settle(line, readings, start);
    if (laid) return laid;
  }
  const later = how.trimmed === false ? undefined : resume(line, readings, start);
  const resumed = later && (revisedAt(later, true) ?? settle(line, readings, later));
  if (resumed) return resumed;
  // Trimmed, and gone back to an earlier point.
  const back = later?.gap === 0 && positions.length === 0 ? later : start;
  const isTelling = back.positions[0] === 0 ? ours : back.positions.length >= TELLING_RUN;
  return isTelling && holdsReply(line, back.positions) ? branchAt(back) : undefined;
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
  if (unanswered || elsewhere) return { ...laid, unanswered };
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
  if (reading?.own !== true || spine >= line.entries.length) return undefined;
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
    unanswered: false,
    ...(changed.length > 0 ? { changed } : {}),
  };
}
