import { type Dict, either, endOfRun } from "../core/base.ts";
import type { Message } from "../core/request.ts";
import { type Call, type Dialect, lines, type Result } from "../providers/common/dialect.ts";
import { exact } from "../providers/common/pieces.ts";
import { areSameWords, formOf, mayBeSame } from "./read-messages.ts";
import type { Shown } from "./spine.ts";

/**
 * How much is new, in ascending order: nothing is shown that tells anything, or a piece of it, or a
 * note, or new words.
 */
const [BARE, PIECE, NOTE, NEW] = [0, 1, 2, 3] as const;
type Grade = 0 | 1 | 2 | 3;

/** The worst grade among some, asked one by one until none can be worse. */
function worstOf<T>(items: Iterable<T>, gradeOf: (item: T) => Grade): Grade {
  let grade: Grade = BARE;
  for (const item of items) {
    const one = gradeOf(item);
    if (one > grade) grade = one;
    if (grade === NEW) break;
  }
  return grade;
}

/** What is said, handed on, called and answered in a message, or in some as if they were one. */
interface MessageView {
  /** The words, and of each document those that can be read. */
  readonly texts: readonly string[];
  readonly calls: readonly Pick<Call, "name" | "input">[];
  readonly results: readonly Pick<Result, "text" | "failed">[];
  /** Bytes of pictures and files. */
  readonly media: readonly (string | undefined)[];
}

const viewOf = (dialect: Dialect, all: readonly Message[]): MessageView => ({
  texts: [lines(all.map(dialect.text)), ...all.flatMap(dialect.handed)],
  calls: all.flatMap(dialect.calls).map(({ name, input }) => ({ name, input })),
  results: all.flatMap(dialect.results).map(({ text, failed }) => ({ text, failed })),
  media: all
    .flatMap((message) => dialect.pieces(dialect.withoutThinking(message)))
    .flatMap((piece) => (piece.kind === "text" ? [] : [piece.data])),
});

/** `was`: replies in a row may be shown as one; none, where their words are kept nowhere. */
export function shownOf(dialect: Dialect, was: readonly Message[], now: Message): Shown {
  const isKept = was.length > 0;
  if (isKept && isThought(dialect, now)) return was.some(dialect.thinks) ? "part" : "other";
  const [after, before] = [viewOf(dialect, [now]), viewOf(dialect, was)];
  const grade = shows(after, before);
  const [ids, then] = [namesOf(dialect, [now]), namesOf(dialect, was)];
  const foreign = isKept && ids.some((id, index) => id !== then[index]);
  if (grade === BARE || (grade === PIECE && !foreign)) return "part";
  if (grade === NOTE) return "cleared";
  const isReply = isKept && [...was, now].every((one) => dialect.speaker(one) === "assistant");
  const form = isReply ? replyForm(before, after) : undefined;
  if (form !== undefined) return form;
  const missing = isKept ? shows(before, after) : NEW;
  if (missing === NOTE || (missing === BARE && !foreign)) return "whole";
  if (foreign) return "foreign";
  if (missing === PIECE) return "more";
  const isLike = isKept && mayBeSame(lines(before.texts), lines(after.texts));
  if (isLike && withoutFigures(before) === withoutFigures(after)) return "kin";
  return isKept && ids.some((id) => id.length >= CHANCE) ? "own" : "other";
}

/** Thinking alone, as a host shows it that keeps one block a message. */
const isThought = (dialect: Dialect, message: Message): boolean =>
  dialect.thinks(message) && dialect.text(message) === "" && dialect.calls(message).length === 0;

/** Some form of a reply's words, with none but the calls that it made. */
function replyForm(was: MessageView, now: MessageView): "part" | "whole" | undefined {
  const isMade = now.calls.every((shown) => was.calls.some((made) => called(shown, made) !== NEW));
  // A picture, or what a server's tool answered, is more than words; one more call is another's.
  if (!isMade || now.calls.length > was.calls.length || now.results.length + now.media.length > 0)
    return undefined;
  const [[before = ""], [after = ""]] = [was.texts, now.texts];
  if (after.trim() === "") return "part";
  // Where a host keeps texts only, calls may stand among the words.
  const made = was.calls.map(({ name, input }) => `${name} ${JSON.stringify(input)}`).join(" ");
  const forms = [formOf(before, after), formOf(`${before} ${made}`, after)];
  if (forms.includes("less")) return "part";
  return forms.includes("more") ? "whole" : undefined;
}

/** Characters of an id that was made by chance, and stands in no other conversation. */
const CHANCE = 16;

/** Ids of its calls. Others are of another conversation, or renamed by a proxy. */
const namesOf = (dialect: Dialect, messages: readonly Message[]): string[] =>
  messages.flatMap((one) => [...dialect.calls(one), ...dialect.results(one)].map(({ id }) => id));

/** How much of what one shows is new to the other. */
const shows = (now: MessageView, was: MessageView): Grade =>
  worstOf(
    [
      () => among(now.texts, was.texts, texts),
      () => among(now.calls, was.calls, called),
      () => among(now.results, was.results, answered),
      () => among(now.media, was.media, (one, other) => (one === other ? BARE : NEW)),
    ],
    (grade) => grade(),
  );

/** Between two that are shown this many may be gone. */
const AHEAD = 8;

/** Each that is shown stands among those there were, in their order. */
function among<T>(now: readonly T[], was: readonly T[], gradeOf: (now: T, was: T) => Grade): Grade {
  let from = 0;
  return worstOf(now, (one) => {
    const grades = was.slice(from, from + AHEAD).map((before) => gradeOf(one, before));
    const at = grades.findIndex((grade) => grade !== NEW);
    from += at + 1;
    return grades[at] ?? NEW;
  });
}

const called = (now: MessageView["calls"][number], was: MessageView["calls"][number]): Grade =>
  now.name === was.name ? within(now.input, was.input, 0) : NEW;

const answered = (
  now: MessageView["results"][number],
  was: MessageView["results"][number],
): Grade => (now.failed && !was.failed ? NEW : texts(now.text, was.text));

/** Deeper, values are compared as a whole. */
const DEEPEST = 8;

/** A list is an object by its places. */
const isObject = (value: unknown): value is Dict => typeof value === "object" && value !== null;

const isBare = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  (isObject(value) && Object.keys(value).length === 0);

/** What the model wrote, of which every member counts. */
function within(now: unknown, was: unknown, depth: number): Grade {
  if (isBare(now)) return BARE;
  if (typeof now === "string") return texts(now, typeof was === "string" ? was : "");
  if (depth > DEEPEST || !isObject(now) || !isObject(was))
    return exact(now) === exact(was) ? BARE : NEW;
  return worstOf(Object.entries(now), ([name, value]) => within(value, was[name], depth + 1));
}

function texts(now: string, was: string): Grade {
  if (now === "" || now === was) return BARE;
  if (isPiece(now, was) || areSameWords(was, now)) return PIECE;
  if (isNote(now)) return NOTE;
  const most = Math.min(now.length, was.length);
  const head = endOfRun(0, (at) => at < most && now.charCodeAt(at) === was.charCodeAt(at));
  const tail = endOfRun(0, (at) => at < most - head && now.at(-1 - at) === was.at(-1 - at));
  if (isNote(now.slice(head, now.length - tail))) return NOTE;
  const lines = new Set(was.split("\n"));
  const left = now.split("\n").filter((line) => !lines.has(line));
  return left.length < now.length && left.every((line) => line.trim() === "" || isNote(line))
    ? NOTE
    : NEW;
}

/** A beginning or an end of so many characters may break off within a word. */
const TELLING = 16;
const IN_WORD = /[\p{L}\p{N}]/u;

/**
 * Does the text stand in the other as whole words ("2 boats" is no piece of "42 boats"), or is it a
 * long beginning or end of it?
 */
function isPiece(now: string, was: string): boolean {
  if (now.length >= TELLING && (was.startsWith(now) || was.endsWith(now))) return true;
  const at = was.indexOf(now);
  if (at < 0) return false;
  const breaks = (before = "", behind = ""): boolean =>
    !IN_WORD.test(before) || !IN_WORD.test(behind);
  return breaks(was[at - 1], now[0]) && breaks(now.at(-1), was[at + now.length]);
}

/** Longer, it says something of its own. */
const LONGEST_NOTE = 200;
const DOTS = /^[\s\p{P}\p{S}]*(?:…|\.\.\.)[\s\p{P}\p{S}]*$/u;
const TAKEN_AWAY = either(
  /clear|remov|omit|truncat|elid|hidden|trimm|compact|redact|prun|dropp/i,
  /left out|shorten|snip|collaps|stripp/i,
);
const OF_WHAT = either(
  /content|output|result|context|token|charact|line|message|image|picture/i,
  /document|history|space|text|earlier|old/i,
);
const BRACKET = /^\W{0,3}[[(<{*…]/;

/** Does a text stand for what its caller has taken away? */
const isNote = (text: string): boolean =>
  text.length <= LONGEST_NOTE &&
  (DOTS.test(text) || (TAKEN_AWAY.test(text) && (BRACKET.test(text) || OF_WHAT.test(text))));

const MONTHS_AND_DAYS = either(
  /\b(?:jan(?:uary)?|feb(?:ruary)?|mar(?:ch)?|apr(?:il)?|may|june?|july?|aug(?:ust)?)\b/gi,
  /\b(?:sept?(?:ember)?|oct(?:ober)?|nov(?:ember)?|dec(?:ember)?|[ap]\.?m)\b/gi,
  /\b(?:sun|mon|tue|tues|wed|wednes|thu|thurs|fri|sat|satur)(?:day)?\b/gi,
);

/** Without its figures and dates. */
const withoutFigures = (view: MessageView): string =>
  JSON.stringify(view).replace(/\d+/g, "0").replace(MONTHS_AND_DAYS, "0");
