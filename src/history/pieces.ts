import { blocksOf } from "../dialect/common/reading.ts";
import { type Dialect } from "../dialect/common/dialect.ts";
import { type Entry } from "../model/history.ts";
import { type HistoryStore } from "../model/history-store.ts";
import { type Message } from "../model/request.ts";
import { type Conversation } from "./cache.ts";
import { type Line, matches, type Reading } from "./line.ts";
import { thoughtOf } from "./readings.ts";

/** Replies that the caller says in other pieces than they were archived in: one block a message, or two replies in one. */
export interface Pieces {
  readonly messages: number;
  readonly entries: number;
  /** What the thinking of each of the messages is bound to, where that is known. */
  readonly bound: readonly (string | undefined)[];
}

interface Input {
  readonly dialect: Dialect;
  readonly messages: readonly Message[];
  /** The digest of what stands before the next message, from that of what stands before this one. */
  readonly prefixBehind?: (prefix: string, message: Message) => string;
}

/** A reply is no more pieces than this, and no more replies are made one. */
const MOST = 16;

/**
 * Do the request's messages from `index` on say the entries from `at` on, in other pieces? Providers read an assistant's messages in a
 * row as one, and callers that keep one block a message, or one message a turn, count on that.
 */
export async function piecesAt(
  store: HistoryStore,
  { dialect, messages, prefixBehind }: Input,
  { conversation, at, index }: { conversation: Conversation; at: number; index: number },
): Promise<Pieces | undefined> {
  // Elsewhere calls stand beside the content, and a message is one.
  if (!dialect.traits.joinsTurns) return undefined;
  const { entries, session } = conversation;
  const said = runOf(messages, index, (message) => dialect.speaker(message) === "assistant");
  const archived = runOf(entries, at, ({ role }) => role === "assistant");
  const first = archived[0];
  if (
    first === undefined ||
    said.length === 0 ||
    said.length + archived.length < 3 ||
    !archived.some(({ reply }) => reply)
  )
    return undefined;
  const before = messages.slice(0, index);
  const contentOf = (run: readonly Message[]): string =>
    dialect.canon([...before, joined(run)], before.length).content;
  const contents = said.map((_, last) => contentOf(said.slice(0, last + 1)));
  const bodies =
    archived.length === 1
      ? []
      : (await store.bodies(session.id, at, at + archived.length)).map(({ body }) => body);
  for (let of = archived.length; of > 0; of--) {
    const length =
      contents.lastIndexOf(of === 1 ? first.content : contentOf(bodies.slice(0, of))) + 1;
    if (length === 0 || (length === 1 && of === 1)) continue;
    const run = said.slice(0, length);
    const thought = of === 1 ? first.thought : thoughtOf(dialect, joined(bodies.slice(0, of)));
    const known =
      thoughtOf(dialect, joined(run)) === thought &&
      inOneGo(archived.slice(0, of), bodies, prefixBehind);
    return {
      messages: length,
      entries: of,
      bound:
        known && first.prefix !== undefined && prefixBehind
          ? following(first.prefix, run, prefixBehind)
          : [],
    };
  }
  return undefined;
}

/** The line that an unknown request goes on with, if it says its replies in other pieces: the latest of the deepest. */
export async function findPieces(
  store: HistoryStore,
  input: Input,
  {
    lines,
    readings,
  }: { lines: readonly { conversation: Conversation; line: Line }[]; readings: readonly Reading[] },
): Promise<{ conversation: Conversation; at: number; pieces: Pieces } | undefined> {
  let found: { conversation: Conversation; at: number; pieces: Pieces } | undefined;
  for (const { conversation, line } of lines) {
    const { session } = conversation;
    if (session.imported) continue;
    let at = 0;
    for (let reading = readings[0]; reading && matches(line, at, reading); reading = readings[at])
      at++;
    if (
      at === 0 ||
      (found &&
        (at < found.at ||
          (at === found.at && session.updatedAt <= found.conversation.session.updatedAt)))
    )
      continue;
    const pieces = await piecesAt(store, input, { conversation, at, index: at });
    if (pieces) found = { conversation, at, pieces };
  }
  return found;
}

function runOf<T>(items: readonly T[], from: number, is: (item: T) => boolean): readonly T[] {
  let to = from;
  for (let item = items[to]; item !== undefined && to < from + MOST && is(item); item = items[to])
    to++;
  return items.slice(from, to);
}

const joined = (run: readonly Message[]): Message =>
  run.length === 1
    ? (run[0] as Message)
    : { role: "assistant", content: run.flatMap(({ content }) => blocksOf(content)) };

const following = (
  prefix: string,
  run: readonly Message[],
  behind: (prefix: string, message: Message) => string,
): string[] => {
  let before = prefix;
  return run.map(
    (message, place) => (before = place === 0 ? prefix : behind(before, run[place - 1] ?? message)),
  );
};

/** Was each of the replies made right behind the one before it. */
function inOneGo(
  archived: readonly Entry[],
  bodies: readonly Message[],
  behind: Input["prefixBehind"],
): boolean {
  const prefix = archived[0]?.prefix;
  if (archived.length === 1 || prefix === undefined || behind === undefined)
    return archived.length === 1;
  const known = following(prefix, bodies.slice(0, archived.length), behind);
  return archived.every(
    (entry, place) => entry.prefix === undefined || entry.prefix === known[place],
  );
}
