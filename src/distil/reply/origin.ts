import { leastOf, type Origin } from "../../model/memory.ts";
import type { Dialect } from "../../dialect/common/dialect.ts";
import type { Message } from "../../model/request.ts";
import type { DistilTask, Fact } from "../task/distiller.ts";
import type { ReplyFact } from "./salvage.ts";

/** Whose word a message is. One that carries a result beside the speaker's own words is no better than the result. */
export function originOf(dialect: Dialect, message: Message): Origin {
  const speaker = dialect.results(message).length > 0 ? "tool" : dialect.speaker(message);
  // System text may hold what was recalled: trusted, but no word of its own.
  return speaker === "user" || speaker === "tool" ? speaker : "agent";
}

/** Where a reply's ordinals lie in the task: `first` is the ordinal of `messages[0]`. */
type Place = Pick<DistilTask, "dialect" | "messages" | "factsFrom"> & { readonly first: number };

/** The fact with its citations checked. Undefined when it rests only on messages whose facts were taken before. */
export function located(
  { cites, ...fact }: ReplyFact,
  { dialect, messages, first, factsFrom }: Place,
): Fact | undefined {
  const from = new Set<number>();
  let next = 0;
  // Ranges may lie upon each other a thousand times, so each message is met once.
  for (const [low, high] of [...cites].sort((one, other) => one[0] - other[0]))
    for (
      next = Math.max(next, low - first);
      next <= Math.min(messages.length - 1, high - first);
      next += 1
    )
      from.add(next);
  const cited = messages.filter((_, index) => from.has(index));
  if (from.size > 0 && [...from].every((index) => index < factsFrom)) return undefined;
  return {
    ...fact,
    from: [...from],
    origin: leastOf(cited.map((message) => originOf(dialect, message))),
  };
}
