import {
  matches,
  type Line,
  type Reading,
  type Change,
  changedIn,
  holdsReply,
  resembles,
} from "./line.ts";

/** Messages `start`… of a request that lie at `at`… of a line. */
interface Run {
  readonly start: number;
  readonly at: number;
  readonly length: number;
}

/** A run must be this long to tell where a trimmed history lies: one message alone ("OK") stands in many places. */
const SHORTEST_RUN = 2;

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
function findRun(line: Line, readings: readonly Reading[]): Run | undefined {
  const places = placesOf(line.entries);
  for (let index = readings.length - 1; index >= 0; index--) {
    const reading = readings[index];
    if (reading === undefined || !reading.assistant) continue;
    let best: Run | undefined;
    for (const place of (places.get(reading.content) ?? []).toReversed()) {
      const run = widen(line, readings, { index, place });
      if (run.length >= SHORTEST_RUN && (best === undefined || run.length > best.length))
        best = run;
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

type Placement = Laid | { readonly kind: "stranger" };

const STRANGER: Placement = { kind: "stranger" };

/**
 * Lays a request on a line (design §4).
 *
 * A common beginning is compared first. Where it ends inside what the caller had confirmed, the caller has trimmed or
 * condensed its history if a later run lies further on than it would by counting; a run at the same distance means that
 * messages were edited in place, and an edited history is a branch: no summary may speak for it. But for a few messages shown
 * otherwise, the line to its end is still the line. `trimmed: false` spares
 * the search for such runs, `revised: false` takes a last message that was changed for another one; so many first messages as
 * `known` says are known to match.
 */
export function align(
  line: Line,
  readings: readonly Reading[],
  options: { labelled: boolean; trimmed?: boolean; revised?: boolean; known?: number },
): Placement {
  // What was confirmed may have been matched with less of it shown: only there that still holds.
  let prefix = Math.min(options.known ?? 0, line.confirmed, readings.length);
  for (
    let reading = readings[prefix];
    reading && matches(line, prefix, reading);
    reading = readings[prefix]
  )
    prefix++;
  const heldReply = holdsReply(line, 0, prefix);
  const ours = heldReply || (options.labelled && prefix > 0);
  if (options.revised !== false && isRevised(line, readings, { prefix, ours }))
    return { ...straightTo(prefix), kind: "same", revised: "unread" };

  if (prefix > 0 && prefix >= line.confirmed && (ours || resembles(line, prefix, readings[prefix])))
    return lay(line, readings, { positions: count(0, prefix), keep: prefix, straight: true, ours });

  const changes = changedIn(line, readings, options.labelled);
  const still =
    changes &&
    lay(line, readings, {
      positions: count(0, changes.at),
      keep: changes.at,
      straight: true,
      ours: true,
    });
  if (changes && still?.kind === "same") return { ...still, changed: changes.changed };

  const run = options.trimmed === false ? undefined : findRun(line, readings);
  if (run && run.at > run.start && run.at + run.length >= line.confirmed) {
    // Callers that slide the rest keep the first messages; what they do not keep may stand in the gap, condensed.
    const kept = Math.min(prefix, run.start);
    const edited = editedAfter(line, readings, run);
    if (edited > kept)
      return branch(count(run.at - run.start, edited), {
        keep: run.at - run.start + edited,
        straight: false,
      });
    // A summary calls no tools: what does is a conversation that only ends in the same words.
    if (readings.slice(kept, run.start).some(({ tools }) => tools))
      return heldReply ? straightTo(prefix) : STRANGER;
    const gap = Array.from({ length: run.start - kept }, () => -1);
    return lay(line, readings, {
      positions: [...count(0, kept), ...gap, ...count(run.at, run.length)],
      keep: run.at + run.length,
      straight: false,
      ours: true,
    });
  }
  // Trimmed, and gone back to an earlier point.
  if (run && run.start === 0 && run.at > 0 && run.length >= TELLING && run.length > prefix)
    return branch(count(run.at, run.length), { keep: run.at + run.length, straight: false });
  return heldReply ? straightTo(prefix) : STRANGER;
}

/** A branch behind the first messages. */
export const straightTo = (keep: number): Laid => branch(count(0, keep), { keep, straight: true });

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
  const last = entries.at(-1);
  if (
    readings.length <= entries.length ||
    last?.reply !== true ||
    last.content !== readings[entries.length - 1]?.content
  )
    return false;
  if (
    prefix >= entries.length ||
    entries[prefix]?.role === "assistant" ||
    readings[prefix]?.assistant !== false
  )
    return false;
  const came = entries.slice(prefix + 1);
  if (
    came.some(
      ({ role, content }, index) =>
        role === "user" || content !== readings[prefix + 1 + index]?.content,
    )
  )
    return false;
  return ours || came.some(({ reply, head }) => reply && head.length >= LEAST);
}

/** Characters of a reply that few others would be. */
const LEAST = 16;

/** So many messages in a row, a reply among them, are no coincidence even where the line goes on otherwise. */
const TELLING = 4;

/**
 * How many messages before the run stand where they did, up to one that was edited in place: the history was trimmed, and
 * what follows is no summary, for it takes no more room than what stood there.
 */
function editedAfter(line: Line, readings: readonly Reading[], run: Run): number {
  const shift = run.at - run.start;
  let same = 0;
  for (
    let reading = readings[0];
    reading && same < run.start && matches(line, shift + same, reading);
    reading = readings[same]
  )
    same++;
  return same;
}

function lay(
  line: Line,
  readings: readonly Reading[],
  found: { positions: number[]; keep: number; straight: boolean; ours: boolean },
): Placement {
  const { positions, keep, straight } = found;
  const rest = readings.slice(positions.length);
  const goesOn = rest.some(({ assistant }) => assistant);
  const gone = line.entries.length > keep;
  // The message that would give way has no answer: two calls are under way at once, and each keeps its own line.
  const unanswered = gone && !holdsReply(line, keep);
  // Another user message in the place of the last one, and a conversation had behind it: not an edit but another line.
  const elsewhere =
    gone && line.entries[keep]?.role !== "assistant" && rest[0]?.assistant === false && goesOn;
  if (unanswered || elsewhere)
    return found.ours ? branch(positions, { keep, straight, unanswered }) : STRANGER;
  return { ...branch(positions, { keep, straight }), kind: "same", leaf: !gone && !goesOn };
}

const branch = (
  positions: number[],
  { unanswered = false, ...at }: { keep: number; straight: boolean; unanswered?: boolean },
): Laid => ({
  ...at,
  kind: "branch",
  positions,
  matched: positions.reduce((sum, position) => (position < 0 ? sum : sum + 1), 0),
  leaf: false,
  unanswered,
});

function count(from: number, length: number): number[] {
  const numbers = new Array<number>(length);
  for (let index = 0; index < length; index++) numbers[index] = from + index;
  return numbers;
}
