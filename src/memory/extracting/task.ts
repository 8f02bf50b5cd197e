import type { Memory, Origin } from "../../core/memory.ts";
import type { MemoryKind } from "../../core/memory-kinds.ts";
import type { Message } from "../../core/request.ts";
import { head, oneLine, tail } from "../../core/text/cut.ts";
import { withoutFences } from "../../core/text/fence.ts";
import { wholeHead, wholeTail } from "../../core/text/sentences.ts";
import { estimateTokens } from "../../core/tokens/estimate.ts";
import type { Dialect } from "../../providers/common/dialect.ts";
import { choices } from "./transcript.ts";

/**
 * One thing worth keeping. `from` names the messages it rests on, as indexes into the task's
 * `messages`.
 */
export interface Fact {
  readonly content: string;
  readonly category?: string;
  /** 0…1. */
  readonly importance: number;
  readonly key?: string;
  readonly kind?: MemoryKind;
  /** Key or very words of what this replaces. */
  readonly supersedes?: string;
  /** All who work on the project are told it. */
  readonly scope?: "project";
  /** Known memories that it makes untrue, and that it says again; both by their ids. */
  readonly replaces?: readonly string[];
  readonly confirms?: readonly string[];
  readonly tags?: readonly string[];
  readonly from: readonly number[];
  /** The least trusted role among the messages cited; none cited = "untrusted". */
  readonly origin: Origin;
}

/** Words of ours that stood in the request: repeating them is no word of one's own. */
export interface Injected {
  readonly text: string;
  /**
   * Index of the message they stood beside, in the task's `messages`; `whole`: that message is
   * nothing else.
   */
  readonly at?: number;
  readonly whole?: boolean;
  /** Origin of lines that do not say theirs; without it they are frame. */
  readonly origin?: Origin;
}

/** One of the conversations that are read together: how many messages, and the day of the last. */
export interface Talk {
  readonly messages: number;
  readonly day: string;
}

/** The messages since the last fold, oldest first, and how to distil them. */
export interface DistilTask {
  readonly dialect: Dialect;
  /** The summary must cover all of them (and `previous`). */
  readonly messages: readonly Message[];
  /** Facts are taken from `messages[factsFrom…]` only: what stands before was distilled already. */
  readonly factsFrom: number;
  /** The last summary, which the new one replaces. */
  readonly previous?: string;
  /**
   * The last request as sent, or the beginning of it, when there is one, with so much room behind
   * it, and for such a reply; `messages` are `base.messages[offset … offset + messages.length)`. No
   * call in it waits for its result.
   */
  readonly base?: {
    readonly system: unknown;
    readonly messages: readonly Message[];
    readonly tools?: unknown;
    readonly offset: number;
    readonly room?: number;
    readonly replyTokens?: number;
  };
  /**
   * What the state of this conversation's work is known by: one record, rewritten by each
   * distilling.
   */
  readonly record?: { readonly key: string; readonly open?: string };
  /** Memory that stood beside them. */
  readonly injected?: readonly Injected[];
  /** The conversations they are, one behind the other, where those are at rest. */
  readonly talks?: readonly Talk[];
  /** Facts alone are wanted: long replies, calls and results are written out in part. */
  readonly brief?: boolean;
  /**
   * Upper bound of the summary, in tokens: what it lacks of rules and open requests is asked for
   * once more. 0: none is wanted.
   */
  readonly summaryTokens: number;
  readonly signal: AbortSignal;
  /** The memories that share most with them. */
  readonly known?: readonly Known[];
}

export type Known = Pick<Memory, "id" | "content"> & Partial<Pick<Memory, "category">>;

/** A model calls them so: ids are long, and it would misspell them. */
export const knownName = (at: number): string => `m${at + 1}`;

/** A fact that only ends or confirms something has the words of that. */
export const wordsOfKnown = (
  { replaces = [], confirms = [] }: Fact,
  known: readonly Known[],
): string =>
  known
    .filter(({ id }) => replaces.includes(id) || confirms.includes(id))
    .map(({ content }) => content)
    .join(" ");

/** Does a fact without words end or confirm what is known? */
export const isAboutKnown = ({
  content,
  supersedes,
  replaces = [],
  confirms = [],
}: Pick<Fact, "content" | "supersedes" | "replaces" | "confirms">): boolean =>
  content === "" && (supersedes !== undefined || replaces.length + confirms.length > 0);

export interface Distilled {
  readonly facts: readonly Fact[];
  /**
   * Undefined when only facts could be saved of a broken reply: then nothing may be folded on it.
   */
  readonly summary?: string;
  readonly by: "model" | "extractive";
}

/**
 * Rejects with TidemarkError "distil" when nothing usable came; never answers with an error text.
 */
export type Distiller = (task: DistilTask) => Promise<Distilled>;

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
type Lengths = Readonly<Record<"failures" | "results" | "replies" | "lines" | "calls", Ends>>;

const ALL = [Infinity, 0] as const;
/** Nothing is left out. */
export const UNCUT: Lengths = {
  failures: ALL,
  results: ALL,
  replies: ALL,
  lines: ALL,
  calls: ALL,
};
/** A result of about 2,500 tokens. */
const WHOLE: Lengths = { ...UNCUT, results: [6_000, 3_000], failures: [6_000, 3_000] };
/**
 * For a reading of what a user wants, and what came of it: the user's own words are whole. Of a
 * reply that the user only nods to, and of the last, the ends say what it is about; of others the
 * opening does, a longer one where it closes work.
 */
export const BRIEF: Lengths = {
  failures: [300, 200],
  results: [80, 0],
  replies: [900, 600],
  lines: [200, 100],
  calls: [120, 0],
};

const OPENING: Lengths = { ...BRIEF, replies: [40, 0] };
const REPORT: Lengths = { ...BRIEF, replies: [240, 0] };
/** Characters of a nod, or of a choice: it says little without what stands before it. */
const NOD = 40;

function briefly(dialect: Dialect, messages: readonly Message[]): (index: number) => Lengths {
  const isChoice = choices({ dialect, messages });
  const isShort = (message: Message): boolean =>
    dialect.speaker(message) === "user" && dialect.text(message).length <= NOD;
  const closesWork = ([before, message]: readonly Message[]): boolean =>
    before !== undefined &&
    message !== undefined &&
    dialect.results(before).length > 0 &&
    dialect.calls(message).length === 0;
  return (index) => {
    const [message, ...rest] = messages.slice(index);
    if (message !== undefined && isChoice(message)) return WHOLE;
    const next = rest.find((one) => dialect.speaker(one) !== "assistant");
    if (next === undefined || isShort(next)) return BRIEF;
    return index > 0 && closesWork(messages.slice(index - 1)) ? REPORT : OPENING;
  };
}

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
          middleCut(read(result.text), result.failed ? lengths.failures : lengths.results),
      ),
    ...media.map((piece) => `(${piece.kind})`),
  ].filter((line) => line !== "");
  return lines.length === 0 ? "(no text)" : lines.join("\n");
}

const asWritten = (input: unknown): string =>
  typeof input === "string" ? input : JSON.stringify(input ?? {});

function middleCut(text: string, [first, last]: Ends): string {
  const left = text.length - first - last;
  if (left <= 0) return text;
  return last === 0
    ? `${wholeHead(oneLine(text), first)} […]`
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
  { brief = false, first = 1 }: { brief?: boolean | undefined; first?: number } = {},
): Chunk[] {
  const lengthsOf = brief ? briefly(dialect, messages) : () => WHOLE;
  const chunks: Chunk[] = [];
  let used = Infinity;
  messages.forEach((message, index) => {
    const last = first + index;
    const parts = [...splitText(messageText(dialect, message, lengthsOf(index)), tokens)];
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
