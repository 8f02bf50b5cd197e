import { type Aside, type Session } from "../model/history.ts";
import { type Message } from "../model/request.ts";
import { type Conversation } from "./cache.ts";
import { type ReadRequest } from "./find.ts";
import { type History } from "./write.ts";

/** Notes remembered as written. */
const NOTED = 50_000;

/** What the caller put between, and notes it put in place of results; those that were kept before stay as they are. */
export function asidesOf(
  { judges, noted, newId }: History,
  conversation: Conversation,
  { positions, total }: { positions: readonly number[]; total: number },
  { input, readings }: ReadRequest,
): Aside[] {
  const aside = (index: number, kind: Aside["kind"], before: number): Aside => ({
    before,
    kind,
    content: readings[index]?.content ?? "",
    body: input.messages[index] as Message,
    id: newId(),
  });
  const between = positions.flatMap((position, index) =>
    position >= 0
      ? []
      : [aside(index, "condensed", positions.slice(index).find((later) => later >= 0) ?? total)],
  );
  const notes = judges
    .shown(conversation, positions, { readings, as: "cleared" })
    .map((index) => aside(index, "cleared", positions[index] ?? 0));
  return [...between, ...notes.filter((note) => !noted.has(nameOf(conversation.session, note)))];
}

/** Remembers which notes were written. */
export function noteWritten({ noted }: History, session: Session, asides: readonly Aside[]): void {
  if (noted.size > NOTED) noted.clear();
  for (const aside of asides) if (aside.kind === "cleared") noted.add(nameOf(session, aside));
}

const nameOf = ({ id }: Session, { content }: Aside): string => `${id} ${content}`;
