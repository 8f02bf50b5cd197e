import { dicts } from "../../src/core/base.ts";
import type { Dialect } from "../../src/providers/common/dialect.ts";
import { messageText } from "../../src/memory/extracting/task.ts";
import type { Message } from "../../src/core/request.ts";
import { unfenceable } from "../../src/core/text/fence.ts";
import type { Asked } from "./replay-distillers.ts";

/**
 * Which messages of a conversation a request wanted facts of, each where it begins: from the request alone, as the model
 * that reads it would say. All answers it could mean, because passages may read alike; none when it shows no part of the
 * conversation.
 */
export function askedFor(
  { text, messages, seen }: Asked,
  whole: readonly Message[],
  dialect: Dialect,
): number[][] {
  const conversation = whole.slice(0, seen);
  const facts = /^Facts: from messages (\d+) to (\d+)/m.exec(text);
  if (!facts) return [[]];
  const [first, last] = [Number(facts[1]), Number(facts[2])];
  return messages.length > 1
    ? onBase(messages as Message[], conversation, { dialect, first, last })
    : writtenOut(text, conversation, { dialect, first, last });
}

/** What we say behind a message's own words. */
const OURS = /^\[tidemark\] distil\n[\s\S]*$/;

/** A message with its own words alone. */
export function withoutOurs(message: Message): Message {
  const { content } = message;
  if (typeof content === "string") return { ...message, content: content.replace(OURS, "") };
  if (!Array.isArray(content)) return message;
  const own = dicts(content).filter(({ text }) => typeof text !== "string" || !OURS.test(text));
  return { ...message, content: own };
}

interface Wanted {
  readonly dialect: Dialect;
  readonly first: number;
  readonly last: number;
}

/** The request's own messages: they tell where they stand, together, since one alone may read like another. */
function onBase(
  sent: readonly Message[],
  conversation: readonly Message[],
  { dialect, first, last }: Wanted,
): number[][] {
  const bare = sent.map(withoutOurs);
  // The instruction stands alone at the end, or behind the last words of the user's.
  const isJoined = JSON.stringify(bare.at(-1)?.content).length > 2;
  const own = range(0, sent.length - (isJoined ? 1 : 2));
  const said = own.map((index) => dialect.canon(bare, index));
  const whole = conversation.map((_, index) => dialect.canon(conversation, index));
  const end = said.length - 1;
  // Any of them may be shortened, the last one too.
  const places = whole.map((_, place) => ({
    place,
    alike: said.filter((one, index) => one === whole[place - (end - index)]).length,
  }));
  const most = Math.max(0, ...places.map(({ alike }) => alike));
  return places
    .filter(({ alike }) => alike > 0 && alike === most)
    .map(({ place }) =>
      range(first, last).flatMap((ordinal) =>
        own.includes(ordinal - 1) ? [place - (end - own.indexOf(ordinal - 1))] : [],
      ),
    );
}

const MARKED = /^\[#(\d+) (\w+)(?:, part (\d+) of \d+)?\] /gm;

/** A transcript in the instruction: its passages tell where they stand. */
function writtenOut(
  text: string,
  conversation: readonly Message[],
  { dialect, first, last }: Wanted,
): number[][] {
  const from = text.lastIndexOf("<tidemark-transcript");
  const body = text.slice(text.indexOf(">\n", from) + 2, text.lastIndexOf("</tidemark-transcript"));
  const texts = conversation.map((message) => plain(unfenceable(messageText(dialect, message))));
  const marks = [...body.matchAll(MARKED)].filter(
    (mark, at, all) => at === 0 || Number(mark[1]) - Number(all[at - 1]?.[1]) <= 1,
  );
  const passages = marks.map((mark, at) => ({
    ordinal: Number(mark[1]),
    part: Number(mark[3] ?? 1),
    said: plain(body.slice(mark.index + mark[0].length, marks[at + 1]?.index)),
  }));
  const starts = passages.filter(({ part }) => part === 1);
  const [opening] = starts;
  if (!opening) return [[]];
  return range(0, conversation.length - 1)
    .map((at) => at - opening.ordinal)
    .filter((offset) =>
      starts.every(
        ({ ordinal, said }) => texts[offset + ordinal]?.startsWith(said.slice(0, 300)) === true,
      ),
    )
    .map((offset) =>
      starts
        .filter(({ ordinal }) => ordinal >= first && ordinal <= last)
        .map(({ ordinal }) => offset + ordinal),
    );
}

/** A transcript's fence changes what could close it, and takes out what nobody sees. */
const plain = (text: string): string => text.replace(/\s+/g, " ").trim();
const range = (from: number, to: number): number[] =>
  Array.from({ length: Math.max(0, to - from + 1) }, (_, index) => from + index);
