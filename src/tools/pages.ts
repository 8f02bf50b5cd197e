import { dialectFor } from "../dialect/detect.ts";
import { type Stretch } from "../history/archive.ts";
import { asImported } from "../history/import.ts";
import { lru } from "../base/cache.ts";
import { breaths } from "../base/async.ts";
import { type Message } from "../model/request.ts";
import { cleaned, head, label } from "../text/cut.ts";
import { estimateTokens } from "../tokens/estimate.ts";

/** A message as a person would read it: who spoke, and what was said, called and answered, all of it. */
function written(message: Message): string {
  const imported = asImported(message);
  if (imported !== undefined) return `${label(imported.speaker)}: ${cleaned(imported.text)}`;
  const dialect = dialectFor({ messages: [message] });
  const calls = dialect.calls(message);
  const parts = [
    dialect.text(message).trim(),
    ...calls.map(
      ({ name, input }) =>
        `calls ${name} ${typeof input === "string" ? input : (JSON.stringify(input) ?? "")}`,
    ),
    ...dialect
      .results(message)
      .map(({ failed, text }) => `${failed ? "failed" : "result"}: ${text}`),
    ...dialect.pieces(message).flatMap(({ kind }) => (kind === "text" ? [] : [`(${kind})`])),
  ].filter((part) => part !== "");
  return `${dialect.speaker(message)}: ${parts.length === 0 ? "(no text)" : cleaned(parts.join("\n"))}`;
}

/** Characters that one token stands for at most, in a text worth reading. */
const CHARACTERS = 8;

/** Where the piece ends that begins at `from`: of at most `tokens`, at the end of a line or word where there is one. */
function endOfPiece(text: string, from: number, tokens: number): number {
  for (
    let room = Math.min(tokens * CHARACTERS, text.length - from);
    ;
    room = Math.floor(room * 0.7)
  ) {
    const end =
      from + room >= text.length
        ? text.length
        : breakBefore(text, from + room, Math.floor(room / 3));
    if (room <= CHARACTERS || estimateTokens(text.slice(from, end)) <= tokens) return end;
  }
}

/** Behind the last end of a line, or of a word, among so many characters before `to`; else `to`, outside a surrogate pair. */
function breakBefore(text: string, to: number, most: number): number {
  const near = text.slice(to - most, to);
  const line = near.lastIndexOf("\n");
  const at = line < 0 ? near.lastIndexOf(" ") : line;
  return at < 0 ? to - 2 + head(text.slice(to - 2, to + 1), 2).length : to - most + at + 1;
}

/** Where a page begins: at which entry, which message of it, which of all messages, and how far into its text. */
interface Mark {
  readonly row: number;
  readonly place: number;
  readonly number: number;
  readonly at: number;
}

/** Where the pages begin, as far as they were read. */
interface Book {
  readonly begins: Mark[];
  ended: boolean;
}

/** Conversations that are being read: the next page begins where the last one ended. */
const books = lru<string, Book>(8);
/** Characters read beyond the page that is asked for, to say how many there are. */
const AHEAD = 200_000;

/** A page, undefined where there are fewer, and how many pages there are, as far as that is known. */
interface Page {
  readonly text?: string;
  readonly of: number;
  readonly more: boolean;
}

/** One page of at most `tokens`, from 1 on. A message that is longer goes on on the next. */
export async function pageOf(stretch: Stretch, page: number, tokens: number): Promise<Page> {
  const key = `${stretch.name} ${tokens}`;
  const book = books.get(key) ?? { begins: [], ended: false };
  books.set(key, book);
  if (!book.ended || page <= book.begins.length) {
    const text = await read(stretch, book, { page, tokens });
    if (text !== undefined) return { text, of: book.begins.length, more: !book.ended };
  }
  return { of: book.begins.length, more: false };
}

async function read(
  stretch: Stretch,
  book: Book,
  { page, tokens }: { page: number; tokens: number },
): Promise<string | undefined> {
  const start = book.begins[Math.min(page, book.begins.length) - 1] ?? {
    row: 0,
    place: 0,
    number: 1,
    at: 0,
  };
  const due = breaths();
  const isKnown = book.ended || book.begins.length > page;
  let current = Math.max(1, Math.min(page, book.begins.length)) - 1;
  let used = Infinity;
  const found: string[] = [];
  let ahead = 0;
  for await (const piece of piecesFrom(stretch, start, tokens)) {
    await due();
    const size = estimateTokens(piece.text) + 1;
    if (used + size > tokens) {
      current += 1;
      used = 0;
      if (current > page && isKnown) return found.join("\n\n");
      if (current > book.begins.length) book.begins.push(piece.mark);
    }
    used += size;
    if (current === page) found.push(piece.text);
    else if (current > page && (ahead += piece.text.length) > AHEAD) return found.join("\n\n");
  }
  book.ended = true;
  return found.length === 0 ? undefined : found.join("\n\n");
}

async function* piecesFrom(
  stretch: Stretch,
  start: Mark,
  tokens: number,
): AsyncGenerator<{ mark: Mark; text: string }> {
  let { row, number } = start;
  for await (const messages of stretch.rows(start.row)) {
    for (let place = row === start.row ? start.place : 0; place < messages.length; place += 1) {
      const text = `#${number} ${written(messages[place] ?? {})}`;
      const first = number === start.number ? start.at : 0;
      for (let at = first, end = at; at < text.length; at = end) {
        end = endOfPiece(text, at, tokens);
        yield { mark: { row, place, number, at }, text: text.slice(at, end) };
      }
      number += 1;
    }
    row += 1;
  }
}
