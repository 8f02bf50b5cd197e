import { type Dialect } from "../dialect/dialect.ts";
import { type Origin } from "../model/memory.ts";
import { type Message } from "../model/request.ts";
import { type Fact } from "./distiller.ts";
import { type ReplyFact } from "./reply-facts.ts";

/** Most trusted first. */
const TRUST: readonly Origin[] = ["user", "agent", "tool", "untrusted"];

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
  const from = new Set<number>();
  for (const [low, high] of cites)
    for (let index = Math.max(0, low - place.first); index <= Math.min(place.messages.length - 1, high - place.first); index += 1) from.add(index);
  const indexes = [...from].sort((a, b) => a - b);
  if (indexes.length > 0 && indexes.every((index) => index < place.factsFrom)) return undefined;
  const cited = new Set(place.messages.filter((_, index) => from.has(index)).map((message) => originOf(place.dialect, message)));
  return { ...fact, from: indexes, origin: TRUST.findLast((origin) => cited.has(origin)) ?? "untrusted" };
}
