import type { Dialect } from "../../dialect/common/dialect.ts";
import type { Message } from "../../model/request.ts";
import { estimateTokens } from "../../tokens/estimate.ts";
import { head, tail } from "../../text/cut.ts";
import { withoutFences } from "../../text/fence.ts";
import { wholeHead, wholeTail } from "../../text/sentences.ts";

/** A stretch of a conversation as text. Ordinals count from 1 and are inclusive. */
interface Chunk {
  readonly text: string;
  readonly first: number;
  readonly last: number;
}

type Ends = readonly [head: number, tail: number];
/**
 * The longest texts written out whole, in characters: of others the beginning and the end, which
 * say what happened. `lines`: of a reply.
 */
type Lengths = Readonly<Record<"results" | "replies" | "lines" | "calls", Ends>>;

const ALL = [Infinity, 0] as const;
/** Nothing is left out. */
export const UNCUT: Lengths = { results: ALL, replies: ALL, lines: ALL, calls: ALL };
/** A result of about 2,500 tokens. */
const WHOLE: Lengths = { ...UNCUT, results: [6_000, 3_000] };
/**
 * For a reading of what a user wants, and what came of it: the user's own words are whole, and a
 * long line of a reply says at its ends what it is about.
 */
export const BRIEF: Lengths = {
  results: [300, 200],
  replies: [900, 600],
  lines: [200, 100],
  calls: [200, 0],
};

/**
 * A message in plain words: what was said, called and answered. Thinking is left out, pictures are
 * named. `read`: what of a text is told.
 */
export function messageText(
  dialect: Dialect,
  message: Message,
  lengths: Lengths = WHOLE,
  read: (text: string) => string = withoutFences,
): string {
  const media = dialect.pieces(message).filter((piece) => piece.kind !== "text");
  const said = read(dialect.text(message)).trim();
  const lines = [
    dialect.speaker(message) === "assistant"
      ? middleCut(endsOf(said, lengths.lines), lengths.replies)
      : said,
    ...dialect
      .calls(message)
      .map(({ name, input = {} }) => `calls ${name} ${middleCut(asWritten(input), lengths.calls)}`),
    ...dialect
      .results(message)
      .map(
        (result) =>
          `${result.failed ? "failed" : "result"}: ` +
          `${middleCut(read(result.text), lengths.results)}`,
      ),
    ...media.map((piece) => `(${piece.kind})`),
  ].filter((line) => line !== "");
  return lines.length === 0 ? "(no text)" : lines.join("\n");
}

const asWritten = (input: unknown): string =>
  typeof input === "string" ? input : JSON.stringify(input ?? {});

function middleCut(text: string, [first, last]: Ends): string {
  const left = text.length - first - last;
  return left <= 0
    ? text
    : `${head(text, first)}\n[… ${left} characters left out …]\n${tail(text, last)}`;
}

/** Cuts each line between words: half a number is another one. */
const endsOf = (text: string, [first, last]: Ends): string =>
  text.replace(/.+/g, (line) =>
    line.length <= first + last ? line : `${wholeHead(line, first)} […] ${wholeTail(line, last)}`,
  );

/**
 * The whole conversation in chunks of at most `tokens` (estimated, headings aside). Every message
 * is in them completely: one that is too long by itself is spread over several.
 */
export function chunksOf(
  dialect: Dialect,
  messages: readonly Message[],
  tokens: number,
  lengths?: Lengths,
): Chunk[] {
  const chunks: Chunk[] = [];
  let used = Infinity;
  messages.forEach((message, index) => {
    const last = index + 1;
    const parts = [...splitText(messageText(dialect, message, lengths), tokens)];
    parts.forEach((part, number) => {
      const nth = parts.length > 1 ? `, part ${number + 1} of ${parts.length}` : "";
      const text = `[#${last} ${dialect.speaker(message)}${nth}] ${part}`;
      const chunk = chunks.at(-1);
      used += estimateTokens(part);
      if (chunk !== undefined && used <= tokens)
        Object.assign(chunk, { text: `${chunk.text}\n\n${text}`, last });
      else {
        used = estimateTokens(part);
        chunks.push({ text, first: last, last });
      }
    });
  });
  return chunks;
}

/**
 * That one token stands for at most, in a text worth reading: a longer one is not counted before it
 * is divided.
 */
const CHARACTERS = 8;

/**
 * A text in pieces of at most `tokens` that join to the same text; divided at a line end or a space
 * in the middle third where there is one.
 */
export function* splitText(text: string, tokens: number): Generator<string> {
  const mayFit = text.length <= CHARACTERS * tokens;
  if (text.length <= 16 || (mayFit && estimateTokens(text) <= tokens)) return yield text;
  const third = Math.floor(text.length / 3);
  const near = text.slice(third, 2 * third);
  const end = near.lastIndexOf("\n") + 1 || near.lastIndexOf(" ") + 1;
  // Else any place outside a surrogate pair.
  const at = end > 0 ? third + end : head(text, text.length >> 1).length;
  yield* splitText(text.slice(0, at), tokens);
  yield* splitText(text.slice(at), tokens);
}
