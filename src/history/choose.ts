import { align, type Laid } from "./align.ts";
import { type Conversation } from "./cache.ts";
import { type Line, type Reading } from "./line.ts";

export interface Match {
  readonly conversation: Conversation;
  readonly laid: Laid;
  /** The latest reply they share was thought alike: two conversations may have said the same so far. */
  readonly akin: boolean;
}

/** The session a request goes on with, or branches from (design §4). */
export function choose(
  conversations: readonly Conversation[],
  readings: readonly Reading[],
  {
    lineOf,
    ...options
  }: {
    lineOf: (conversation: Conversation) => Line;
    labelled: boolean;
    trimmed?: boolean;
    revised?: boolean;
  },
): Match | undefined {
  let chosen: Match | undefined;
  for (const conversation of conversations) {
    const { session, folds } = conversation;
    if (session.imported) continue;
    const lay = (how: { revised?: boolean }) =>
      align(lineOf(conversation), readings, {
        ...options,
        ...how,
        known: sameBeginning(conversation.read, readings),
      });
    const first = lay({});
    // No summary may speak for what is said otherwise now.
    const laid =
      first.kind === "same" && first.revised && folds.some(({ upTo }) => upTo > first.keep)
        ? lay({ revised: false })
        : first;
    if (laid.kind === "stranger") continue;
    const match = { conversation, laid, akin: akin(conversation, readings, laid) };
    if (chosen === undefined || precedes(match, chosen)) chosen = match;
  }
  return chosen;
}

/** No other session can be a better one: this one's line ends where the request goes on, and only a reply proves more. */
export const isCertain = (match: Match | undefined): match is Match =>
  match !== undefined &&
  match.laid.leaf &&
  match.laid.straight &&
  match.akin &&
  match.laid.changed === undefined;

function precedes(a: Match, b: Match): boolean {
  if (isCertain(a) !== isCertain(b)) return isCertain(a);
  // A request that repeats earlier words goes on with the newer telling, however long the older one was.
  if (a.laid.kind !== b.laid.kind && goesOn(a) !== goesOn(b)) return goesOn(a);
  if (a.laid.matched !== b.laid.matched) return a.laid.matched > b.laid.matched;
  const [one = 0, other = 0] = [a.laid.changed?.length, b.laid.changed?.length];
  if (one !== other) return one < other;
  if (a.laid.leaf !== b.laid.leaf) return a.laid.leaf;
  if (a.laid.straight !== b.laid.straight) return a.laid.straight;
  if (a.laid.kind !== b.laid.kind) return a.laid.kind === "same";
  if (a.akin !== b.akin) return a.akin;
  return a.conversation.session.updatedAt > b.conversation.session.updatedAt;
}

/** All of the request but what the caller has added lies in a row up to the end of the line. */
const goesOn = ({ laid }: Match): boolean => laid.leaf && laid.matched === laid.positions.length;

/** How many first messages are the very readings they were. */
export function sameBeginning(before: readonly Reading[] = [], now: readonly Reading[]): number {
  let same = 0;
  while (same < before.length && before[same] === now[same]) same++;
  return same;
}

function akin(
  { entries }: Conversation,
  readings: readonly Reading[],
  { positions }: Laid,
): boolean {
  const index = positions.findLastIndex((position) => entries[position]?.reply === true);
  const thought = readings[index]?.thought;
  return thought === undefined || thought === entries[positions[index] ?? -1]?.thought;
}
