import { holdsReply, matches, resembles, type Line, type Reading } from "./line.ts";
import { findRun, type Run } from "./run.ts";

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
}

export type Placement = Laid | { readonly kind: "stranger" };

const STRANGER: Placement = { kind: "stranger" };

/**
 * Lays a request on a line (design §4).
 *
 * A common beginning is compared first. Where it ends inside what the caller had confirmed, the caller has trimmed or
 * condensed its history if a later run lies further on than it would by counting; a run at the same distance means that
 * messages were edited in place, and an edited history is a branch: no summary may speak for it. `trimmed: false` spares
 * the search for such runs; so many first messages as `known` says are known to match.
 */
export function align(line: Line, readings: readonly Reading[], options: { labelled: boolean; trimmed?: boolean; known?: number }): Placement {
  // What was confirmed may have been matched with less of it shown: only there that still holds.
  let prefix = Math.min(options.known ?? 0, line.confirmed, readings.length);
  for (let reading = readings[prefix]; reading && matches(line, prefix, reading); reading = readings[prefix]) prefix++;
  const heldReply = holdsReply(line, 0, prefix);
  const ours = heldReply || (options.labelled && prefix > 0);

  if (prefix > 0 && prefix >= line.confirmed && (ours || resembles(line, prefix, readings[prefix])))
    return lay(line, readings, { positions: count(0, prefix), keep: prefix, straight: true, ours });

  const run = options.trimmed === false ? undefined : findRun(line, readings);
  if (run && run.at > run.start && run.at + run.length >= line.confirmed) {
    // Callers who slide the rest keep the first messages; what they do not keep may stand in the gap, condensed.
    const kept = Math.min(prefix, run.start);
    const edited = editedAfter(line, readings, run);
    if (edited > kept) return branch(count(run.at - run.start, edited), { keep: run.at - run.start + edited, straight: false });
    const gap = Array.from({ length: run.start - kept }, () => -1);
    return lay(line, readings, { positions: [...count(0, kept), ...gap, ...count(run.at, run.length)], keep: run.at + run.length, straight: false, ours: true });
  }
  // Trimmed, and gone back to an earlier point.
  if (run && run.start === 0 && run.at > 0 && run.length >= TELLING && run.length > prefix) return branch(count(run.at, run.length), { keep: run.at + run.length, straight: false });
  return heldReply ? branch(count(0, prefix), { keep: prefix, straight: true }) : STRANGER;
}

/** So many messages in a row, a reply among them, are no coincidence even where the line goes on otherwise. */
const TELLING = 4;

/**
 * How many messages before the run stand where they did, up to one that was edited in place: the history was trimmed, and
 * what follows is no summary, for it takes no more room than what stood there.
 */
function editedAfter(line: Line, readings: readonly Reading[], run: Run): number {
  const shift = run.at - run.start;
  let same = 0;
  for (let reading = readings[0]; reading && same < run.start && matches(line, shift + same, reading); reading = readings[same]) same++;
  return same;
}

function lay(line: Line, readings: readonly Reading[], found: { positions: number[]; keep: number; straight: boolean; ours: boolean }): Placement {
  const { positions, keep, straight } = found;
  const rest = readings.slice(positions.length);
  const goesOn = rest.some(({ assistant }) => assistant);
  const gone = line.entries.length > keep;
  // Nobody answered the message that would give way: two calls are under way at once, and each keeps its own line.
  const unanswered = gone && !holdsReply(line, keep);
  // Another user message in the place of the last one, and a conversation had behind it: not an edit but another line.
  const elsewhere = gone && line.entries[keep]?.role !== "assistant" && rest[0]?.assistant === false && goesOn;
  if (unanswered || elsewhere) return found.ours ? branch(positions, { keep, straight, unanswered }) : STRANGER;
  return { kind: "same", positions, keep, straight, matched: matched(positions), leaf: !gone && !goesOn, unanswered: false };
}

const branch = (positions: number[], { unanswered = false, ...at }: { keep: number; straight: boolean; unanswered?: boolean }): Laid => ({
  ...at,
  kind: "branch",
  positions,
  matched: matched(positions),
  leaf: false,
  unanswered,
});

const matched = (positions: readonly number[]): number => positions.reduce((sum, position) => (position < 0 ? sum : sum + 1), 0);
function count(from: number, length: number): number[] {
  const numbers = new Array<number>(length);
  for (let index = 0; index < length; index++) numbers[index] = from + index;
  return numbers;
}
