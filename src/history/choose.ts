import { type How, lay } from "./recognise.ts";
import type { Conversation, Laid, Line, Reading } from "./line.ts";

export interface Match {
  readonly conversation: Conversation;
  readonly laid: Laid;
  /** Messages that are the archived ones to the letter. */
  readonly exact: number;
  /**
   * The latest reply they share was thought alike: two conversations may have said the same so far.
   */
  readonly akin: boolean;
}

/**
 * Two sessions fit alike, and differ in what the request does not show: it may belong to either.
 */
export const EITHER = Symbol("either");

/** The session a request goes on with, or branches from. */
export function choose(
  conversations: readonly Conversation[],
  readings: readonly Reading[],
  lineOf: (conversation: Conversation) => Line,
  how: How,
): Match | typeof EITHER | undefined {
  const matches: Match[] = [];
  for (const conversation of conversations) {
    if (conversation.session.imported) continue;
    const laid = laidOn(conversation, readings, lineOf(conversation), how);
    if (laid !== undefined) matches.push(matchOf(conversation, readings, laid));
  }
  const [best, ...others] = matches.sort((one, other) => (precedes(one, other) ? -1 : 1));
  return best !== undefined && others.some((other) => isEither(best, other)) ? EITHER : best;
}

function laidOn(
  { folds }: Conversation,
  readings: readonly Reading[],
  line: Line,
  how: How,
): Laid | undefined {
  const laid = lay(line, readings, how);
  // No summary may speak for what is said otherwise now.
  return laid?.revised !== undefined && folds.some(({ upTo }) => upTo > laid.keep)
    ? lay(line, readings, { ...how, revised: false })
    : laid;
}

function matchOf(conversation: Conversation, readings: readonly Reading[], laid: Laid): Match {
  const { entries } = conversation;
  const { positions } = laid;
  const reply = positions.findLastIndex((position) => entries[position]?.reply === true);
  const thought = readings[reply]?.thought;
  return {
    conversation,
    laid,
    exact: positions.filter((position, index) => isExact(entries[position], readings[index]))
      .length,
    akin: thought === undefined || thought === entries[positions[reply] ?? -1]?.thought,
  };
}

const isExact = (entry: { content: string } | undefined, reading: Reading | undefined): boolean =>
  entry !== undefined && entry.content === reading?.content;

/**
 * The whole line is shown, message by message, to the letter, and the request goes on at its end:
 * none can be a better one.
 */
export const isCertain = (match: Match | typeof EITHER | undefined): match is Match =>
  match !== undefined &&
  match !== EITHER &&
  match.laid.leaf &&
  match.akin &&
  match.exact === match.laid.keep &&
  match.exact === match.laid.positions.length;

/**
 * Is the one the better match? One that fits whole and to the letter goes first, then the one that
 * holds more of the request; of equals the one that ends where the request goes on, then the
 * latest.
 */
function precedes(one: Match, other: Match): boolean {
  const merits = (match: Match): number[] => [
    Number(isCertain(match)),
    match.laid.matched,
    Number(match.laid.leaf) + Number(match.laid.kind === "same"),
    match.conversation.session.updatedAt,
  ];
  const [mine, its] = [merits(one), merits(other)];
  const at = mine.findIndex((merit, place) => merit !== its[place]);
  return (mine[at] ?? 0) > (its[at] ?? 0);
}

/** Do both fit alike, with other entries at places that the request leaves out or shows less of? */
function isEither(best: Match, other: Match): boolean {
  const [one, two] = [best.laid, other.laid];
  if (one.kind !== "same" || two.kind !== "same" || one.leaf !== two.leaf) return false;
  if (one.matched !== two.matched || best.exact !== other.exact || best.akin !== other.akin)
    return false;
  const chainOf = ({ conversation, laid }: Match): string | undefined =>
    conversation.entries[laid.keep - 1]?.chain;
  const isWhole = ({ laid, exact }: Match): boolean => exact === laid.keep;
  return chainOf(best) !== chainOf(other) && !(isWhole(best) && isWhole(other));
}
