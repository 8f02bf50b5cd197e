import { endOfRun } from "../base/runs.ts";
import {
  matches,
  type Line,
  type Reading,
  type Change,
  changedIn,
  holdsReply,
  resembles,
} from "./match-line.ts";

/** Messages `start`… of a request that lie at `at`… of a line. */
interface Run {
  readonly start: number;
  readonly at: number;
  readonly length: number;
}

/** A run must be this long to tell where a trimmed history lies: one message alone ("OK") stands in many places. */
const SHORTEST_RUN = 2;

/** Where the replies of a line stand, by their contents; a line is asked many times and never changes. */
const replies = new WeakMap<Line["entries"], Map<string, number[]>>();

function repliesIn(entries: Line["entries"]): Map<string, number[]> {
  const made = replies.get(entries);
  if (made) return made;
  const places = entries.flatMap(({ reply }, place) => (reply ? [place] : []));
  const found = Map.groupBy(places, (place) => entries[place]?.content ?? "");
  replies.set(entries, found);
  return found;
}

/** The run around the request's latest reply that the line knows: the longest, of equals the latest. */
function findRun(line: Line, readings: readonly Reading[]): Run | undefined {
  const known = repliesIn(line.entries);
  for (let index = readings.length - 1; index >= 0; index--) {
    const reading = readings[index];
    if (!reading?.assistant) continue;
    let best: Run | undefined;
    for (const place of (known.get(reading.content) ?? []).toReversed()) {
      const run = widen(line, readings, { index, place });
      if (run.length > (best?.length ?? SHORTEST_RUN - 1)) best = run;
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
  { index, place }: { index: number; place: number },
): Run {
  const shift = place - index;
  const before = endOfRun(0, (n) => matches(line, place - n - 1, readings[index - n - 1]));
  const end = endOfRun(index + 1, (next) => matches(line, next + shift, readings[next]));
  const start = index - before;
  return { start, at: place - before, length: end - start };
}

/** How a request lies on a line it belongs to. */
export interface Laid {
  /** "same": it goes on with the session. "branch": it leaves the line behind entry `keep - 1`. */
  readonly kind: "same" | "branch";
  /** Where message i stands, -1 for one that stands nowhere (a caller's own summary); those behind are new. */
  readonly positions: readonly number[];
  /** Entries from here on are provisional and give way; what is new follows entry `keep - 1`. */
  readonly keep: number;
  readonly matched: number;
  /** The request goes on exactly where the line ends, and nothing in it could lie deeper in another. */
  readonly leaf: boolean;
  /** From the very beginning on, nothing trimmed. */
  readonly straight: boolean;
  /** A branch only because what would give way waits for its answer. */
  readonly unanswered: boolean;
  /** "same" only if the message that gives way says more or less than the caller's in its place, or other figures. */
  readonly revised?: "unread" | "more or less" | "kin";
  /** "same", but these messages are shown otherwise than they were. */
  readonly changed?: readonly Change[];
}

export interface How {
  readonly labelled: boolean;
  readonly trimmed?: boolean;
  readonly revised?: boolean;
}

/**
 * Lays a request on a line; undefined where it does not belong to it.
 *
 * A common beginning is compared first. Where it ends inside what the caller had confirmed, the caller has trimmed or
 * condensed its history if a later run lies further on than it would by counting; a run at the same distance means that
 * messages were edited in place, and an edited history is a branch: no summary may speak for it. But for a few messages shown
 * otherwise, the line to its end is still the line. `trimmed: false` spares
 * the search for such runs, `revised: false` takes a last message that was changed for another one.
 */
export function align(
  line: Line,
  readings: readonly Reading[],
  { labelled, trimmed, revised }: How,
): Laid | undefined {
  // What was confirmed may have been matched with less of it shown: only there that still holds.
  const known = Math.min(line.known, line.confirmed);
  const prefix = endOfRun(known, (at) => matches(line, at, readings[at]));
  const heldReply = holdsReply(line, 0, prefix);
  const ours = heldReply || (labelled && prefix > 0);
  if (revised !== false && isRevised(line, readings, { prefix, ours }))
    return { ...straightTo(prefix), kind: "same", revised: "unread" };

  if (prefix > 0 && prefix >= line.confirmed && (ours || resembles(line, prefix, readings[prefix])))
    return lay(line, readings, count(0, prefix), ours);

  const changes = changedIn(line, readings, labelled);
  const still = changes && lay(line, readings, count(0, changes.at), true);
  if (changes && still?.kind === "same") return { ...still, changed: changes.changed };

  const run = trimmed === false ? undefined : findRun(line, readings);
  if (run && run.at > run.start && run.at + run.length >= line.confirmed) {
    // Callers that slide the rest keep the first messages; what they do not keep may stand in the gap, condensed.
    const kept = Math.min(prefix, run.start);
    const edited = editedAfter(line, readings, run);
    if (edited > kept) return branch(count(run.at - run.start, edited));
    const gap = readings.slice(kept, run.start);
    const positions = [...count(0, kept), ...gap.map(() => -1), ...count(run.at, run.length)];
    // A summary calls no tools: what does is a conversation that only ends in the same words.
    if (!gap.some(({ tools }) => tools)) return lay(line, readings, positions, true);
  }
  // Trimmed, and gone back to an earlier point.
  if (run && run.start === 0 && run.at > 0 && run.length >= TELLING && run.length > prefix)
    return branch(count(run.at, run.length));
  return heldReply ? straightTo(prefix) : undefined;
}

/** A branch behind the first messages. */
export const straightTo = (keep: number): Laid => branch(count(0, keep));

/**
 * A context, a clock, a reminder that stood in a message for its own turn alone: the caller now shows it otherwise, behind it all
 * that came of it to the end of the line, and goes on. Where nothing before it proves anything, a reply that many would give does
 * not either.
 */
function isRevised(
  { entries }: Line,
  readings: readonly Reading[],
  { prefix, ours }: { prefix: number; ours: boolean },
): boolean {
  const came = entries.slice(prefix + 1);
  return (
    came.at(-1)?.reply === true &&
    readings.length > entries.length &&
    entries[prefix]?.role !== "assistant" &&
    readings[prefix]?.assistant === false &&
    came.every(
      ({ role, content }, index) =>
        role !== "user" && content === readings[prefix + 1 + index]?.content,
    ) &&
    (ours || came.some(({ reply, head }) => reply && head.length >= LEAST))
  );
}

/** Characters of a reply that few others would be. */
const LEAST = 16;

/** So many messages in a row, a reply among them, are no coincidence even where the line goes on otherwise. */
const TELLING = 4;

/**
 * How many messages before the run stand where they did, up to one that was edited in place: the history was trimmed, and
 * what follows is no summary, for it takes no more room than what stood there.
 */
const editedAfter = (line: Line, readings: readonly Reading[], { start, at }: Run): number =>
  endOfRun(0, (index) => index < start && matches(line, at - start + index, readings[index]));

function lay(
  line: Line,
  readings: readonly Reading[],
  positions: readonly number[],
  ours: boolean,
): Laid | undefined {
  const laid = branch(positions);
  const { keep } = laid;
  const rest = readings.slice(positions.length);
  const goesOn = rest.some(({ assistant }) => assistant);
  const gone = line.entries.length > keep;
  // The message that would give way has no answer: two calls are under way at once, and each keeps its own line.
  const unanswered = gone && !holdsReply(line, keep);
  // Another user message in the place of the last one, and a conversation had behind it: not an edit but another line.
  const elsewhere =
    gone && line.entries[keep]?.role !== "assistant" && rest[0]?.assistant === false && goesOn;
  if (unanswered || elsewhere) return ours ? { ...laid, unanswered } : undefined;
  return { ...laid, kind: "same", leaf: !gone && !goesOn };
}

/** The last of the positions is where what matches ends. */
function branch(positions: readonly number[]): Laid {
  const keep = (positions.at(-1) ?? -1) + 1;
  return {
    kind: "branch",
    positions,
    keep,
    matched: positions.reduce((sum, position) => (position < 0 ? sum : sum + 1), 0),
    leaf: false,
    straight: keep === positions.length,
    unanswered: false,
  };
}

function count(from: number, length: number): number[] {
  const numbers = new Array<number>(length);
  for (let index = 0; index < length; index++) numbers[index] = from + index;
  return numbers;
}
