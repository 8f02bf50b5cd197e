import { blocksOf } from "../dialect/common/reading.ts";
import { endOfRun } from "../base/runs.ts";
import type { HistoryStore } from "../model/history-store.ts";
import type { Message } from "../model/request.ts";
import { type Conversation, type Line, matches } from "./match-line.ts";
import { type ReadRequest, thoughtOf } from "./choose-session.ts";

/** Replies that the caller says in other pieces than they were archived in: one block a message, or two replies in one. */
export interface Pieces {
  readonly entries: number;
  /** What the thinking of each of the messages is bound to, where that is known. */
  readonly bound: readonly (string | undefined)[];
}

/** A reply is no more pieces than this, and no more replies are made one. */
const MOST = 16;

/**
 * Do the request's messages from `index` on say the entries from `at` on, in other pieces? Providers read an assistant's messages in a
 * row as one, and callers that keep one block a message, or one message a turn, count on that.
 */
export async function piecesAt(
  store: HistoryStore,
  { dialect, messages, prefixBehind }: ReadRequest,
  { conversation, at, index }: { conversation: Conversation; at: number; index: number },
): Promise<Pieces | undefined> {
  // Elsewhere calls stand beside the content, and a message is one.
  if (!dialect.traits.joinsTurns) return undefined;
  const { entries, session } = conversation;
  const said = runOf(messages, index, (message) => dialect.speaker(message) === "assistant");
  const archived = runOf(entries, at, ({ role }) => role === "assistant");
  const [first] = archived;
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
  /** What each of them is made behind, if the first is what the first of the replies was. */
  const behind = (run: readonly Message[]): string[] => {
    if (first.prefix === undefined || prefixBehind === undefined) return [];
    const prefixes = [first.prefix];
    for (const message of run.slice(0, -1))
      prefixes.push(prefixBehind(prefixes.at(-1) ?? "", message));
    return prefixes;
  };
  for (let of = archived.length; of > 0; of--) {
    const length =
      contents.lastIndexOf(of === 1 ? first.content : contentOf(bodies.slice(0, of))) + 1;
    if (length === 0 || (length === 1 && of === 1)) continue;
    const run = said.slice(0, length);
    const thought = of === 1 ? first.thought : thoughtOf(dialect, joined(bodies.slice(0, of)));
    const prefixes = behind(bodies);
    const inOneGo = archived
      .slice(0, of)
      .every(({ prefix }, place) => place === 0 || (prefix ?? prefixes[place]) === prefixes[place]);
    const known = inOneGo && thoughtOf(dialect, joined(run)) === thought;
    return { entries: of, bound: known ? behind(run) : [] };
  }
  return undefined;
}

/** The line that an unknown request goes on with, if it says its replies in other pieces: the latest of the deepest. */
export async function findPieces(
  store: HistoryStore,
  request: ReadRequest,
  conversations: readonly Conversation[],
  lineOf: (conversation: Conversation) => Line,
): Promise<{ conversation: Conversation; at: number; pieces: Pieces } | undefined> {
  const places = conversations
    .filter(({ session }) => !session.imported)
    .map((conversation) => {
      const line = lineOf(conversation);
      const at = endOfRun(0, (place) => matches(line, place, request.readings[place]));
      return { conversation, at, index: at };
    })
    .sort((one, other) => other.at - one.at || updatedAt(other) - updatedAt(one));
  for (const place of places) {
    const pieces = place.at > 0 ? await piecesAt(store, request, place) : undefined;
    if (pieces) return { ...place, pieces };
  }
  return undefined;
}

const updatedAt = ({ conversation }: { conversation: Conversation }): number =>
  conversation.session.updatedAt;

function runOf<T>(items: readonly T[], from: number, is: (item: T) => boolean): readonly T[] {
  const rest = items.slice(from, from + MOST);
  const end = rest.findIndex((item) => !is(item));
  return end < 0 ? rest : rest.slice(0, end);
}

const joined = (run: readonly Message[]): Message =>
  run.length === 1
    ? (run[0] as Message)
    : { role: "assistant", content: run.flatMap(({ content }) => blocksOf(content)) };
