import { type Dialect } from "../dialect/dialect.ts";
import { type Origin } from "../model/memory.ts";
import { type Message } from "../model/request.ts";
import { type Fact } from "./distiller.ts";
import { type ReplyFact } from "./reply-facts.ts";

/** Most trusted first. */
const TRUST: readonly Origin[] = ["host", "user", "agent", "tool", "untrusted"];

export const worseThan = (one: Origin, other: Origin): boolean => TRUST.indexOf(one) > TRUST.indexOf(other);

/** Of none, nobody's word. */
export const leastOf = (origins: Iterable<Origin>): Origin => {
  const all = new Set(origins);
  return TRUST.findLast((origin) => all.has(origin)) ?? "untrusted";
};

/** Whose word a message is. One that carries a result beside the speaker's own words is no better than the result. */
export function originOf(dialect: Dialect, message: Message): Origin {
  if (dialect.results(message).length > 0) return "tool";
  switch (dialect.speaker(message)) {
    case "user":
      return "user";
    case "tool":
      return "tool";
    // System text may hold what was recalled: trusted, but nobody's own word.
    default:
      return "agent";
  }
}

/** Where a reply's ordinals lie in the task: `first` is the ordinal of `messages[0]`. */
export interface Place {
  readonly dialect: Dialect;
  readonly messages: readonly Message[];
  readonly first: number;
  readonly factsFrom: number;
}

/** The fact with its citations checked. Undefined when it rests only on messages whose facts were taken before. */
export function located({ cites, ...fact }: ReplyFact, place: Place): Fact | undefined {
  const indexes = citedBy(cites, place);
  if (indexes.length > 0 && indexes.every((index) => index < place.factsFrom)) return undefined;
  const from = new Set(indexes);
  const cited = place.messages.filter((_, index) => from.has(index)).map((message) => originOf(place.dialect, message));
  return { ...fact, from: indexes, origin: leastOf(cited) };
}

/** Indexes of the cited messages, ascending. Ranges may lie upon each other a thousand times, so each message is met once. */
function citedBy(cites: ReplyFact["cites"], { messages, first }: Place): number[] {
  const indexes: number[] = [];
  let next = 0;
  for (const [low, high] of [...cites].sort((one, other) => one[0] - other[0])) {
    for (next = Math.max(next, low - first); next <= Math.min(messages.length - 1, high - first); next += 1) indexes.push(next);
  }
  return indexes;
}
