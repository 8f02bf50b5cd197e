import { dialectFor } from "../dialect/detect.ts";
import type { Stretch } from "../history/conversations.ts";
import { asImported } from "../history/import.ts";
import { lru } from "../base/cache.ts";
import { breaths } from "../base/async.ts";
import type { Message } from "../model/request.ts";
import { cleaned, label } from "../text/cut.ts";
import { messageText, splitText, UNCUT } from "../distil/task/chunks.ts";
import { estimateTokens } from "../tokens/estimate.ts";

/**
 * A message as a person would read it: who spoke, and what was said, called and answered, all of
 * it.
 */
function written(message: Message): string {
  const imported = asImported(message);
  if (imported !== undefined) return `${label(imported.speaker)}: ${cleaned(imported.text)}`;
  const dialect = dialectFor({ messages: [message] });
  return (
    `${dialect.speaker(message)}: ` +
    `${cleaned(messageText(dialect, message, UNCUT, (text) => text))}`
  );
}

/** Two messages. */
const BETWEEN = "\n\n";
const AT_END = new RegExp(`${BETWEEN}$`);

/**
 * Where a page begins: at which entry, the number of its first message, and behind how many pieces
 * of its text.
 */
interface PageMark {
  readonly row: number;
  readonly number: number;
  readonly skip: number;
}
const START: PageMark = { row: 0, number: 1, skip: 0 };

/**
 * Where the pages of conversations that are being read begin, as far as they were read: the next
 * begins where the last one ended.
 */
const books = lru<string, { readonly begins: PageMark[]; ended: boolean }>(8);
/** Characters read beyond the page that is asked for, to say how many there are. */
const AHEAD = 200_000;

/**
 * One page of at most `tokens`, from 1 on, undefined where there are fewer, and how many there are,
 * as far as that is known. A message that is longer goes on on the next.
 */
export async function pageOf(stretch: Stretch, page: number, tokens: number) {
  const key = `${stretch.name} ${tokens}`;
  const book = books.get(key) ?? { begins: [], ended: false };
  books.set(key, book);
  const { begins } = book;
  const due = breaths();
  const isNextKnown = begins.length > page;
  const found: string[] = [];
  let current = Math.max(0, Math.min(page, begins.length) - 1);
  let [used, ahead, ended] = [Infinity, 0, true];
  for await (const { text, mark } of piecesFrom(stretch, begins[current] ?? START, tokens)) {
    await due();
    const size = estimateTokens(text) + 1;
    if (used + size > tokens) {
      begins[current] = mark;
      [current, used] = [current + 1, 0];
    }
    used += size;
    if (current === page) found.push(text);
    if (current > page) ahead += text.length;
    ended = ahead === 0 || (ahead <= AHEAD && !isNextKnown);
    if (!ended) break;
  }
  book.ended ||= ended;
  const text = found.length === 0 ? undefined : found.join("").replace(AT_END, "");
  return { text, of: begins.length, more: !book.ended };
}

async function* piecesFrom(
  stretch: Stretch,
  from: PageMark,
  tokens: number,
): AsyncGenerator<{ text: string; mark: PageMark }> {
  let { row, number } = from;
  for await (const messages of stretch.rows(from.row)) {
    let skip = 0;
    for (const [at, message] of messages.entries())
      for (const text of splitText(`#${number + at} ${written(message)}${BETWEEN}`, tokens)) {
        if (row > from.row || skip >= from.skip) yield { text, mark: { row, number, skip } };
        skip += 1;
      }
    number += messages.length;
    row += 1;
  }
}
