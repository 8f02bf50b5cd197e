import { type Dict, dictIn, either, endOfRun, isDict, parsed } from "../core/base.ts";
import type { Message } from "../core/request.ts";
import { blocksOf, type Dialect } from "../providers/common/dialect.ts";
import { exact } from "../providers/common/pieces.ts";
import { areSameWords, formOf } from "./same-words.ts";

/**
 * What a message shows of the one archived in its place. "part": nothing that is not in it.
 * "cleared": the same, with notes in place of what was left out. "whole": what was archived is such
 * a cleared form of it. "more": all of it stands among new words. "kin": all but figures and dates
 * is the same, as with a clock. "other": something new. "own": something new of the very same
 * calls. "foreign": something new, of other calls.
 */
export type Shown = "part" | "cleared" | "whole" | "more" | "kin" | "other" | "own" | "foreign";

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

/** `was` is undefined where its words are kept nowhere. */
export function shownOf(dialect: Dialect, was: Message | undefined, now: Message): Shown {
  if (was !== undefined && isThought(dialect, now)) return dialect.thinks(was) ? "part" : "other";
  const before = was === undefined ? {} : dialect.withoutThinking(was);
  const after = dialect.withoutThinking(now);
  const grade = members(after, before, 0);
  const [ids, then] = [namesOf(dialect, now), was === undefined ? [] : namesOf(dialect, was)];
  const foreign = was !== undefined && ids.some((id, index) => id !== then[index]);
  if (grade === BARE || (grade === PIECE && !foreign)) return "part";
  if (grade === NOTE) return "cleared";
  const form = was === undefined ? undefined : replyForm(dialect, was, now);
  if (form !== undefined) return form;
  const missing = was === undefined ? NEW : members(before, after, 0);
  if (missing === NOTE || (missing === BARE && !foreign)) return "whole";
  if (foreign) return "foreign";
  if (missing === PIECE) return "more";
  if (was === undefined) return "other";
  if (areKin(before, after)) return "kin";
  return ids.some((id) => id.length >= CHANCE) ? "own" : "other";
}

/** Thinking alone, as a host shows it that keeps one block a message. */
const isThought = (dialect: Dialect, message: Message): boolean =>
  dialect.thinks(message) && dialect.text(message) === "" && dialect.calls(message).length === 0;

/** Some form of a reply's words, with none but the calls that it made. */
function replyForm(dialect: Dialect, was: Message, now: Message): "part" | "whole" | undefined {
  if (dialect.speaker(was) !== "assistant" || dialect.speaker(now) !== "assistant")
    return undefined;
  const made = dialect.calls(was);
  const shown = dialect.calls(now);
  const isMade = shown.every(({ name, input }) =>
    made.some((call) => call.name === name && within(input, call.input, OWN) !== NEW),
  );
  // A picture, or what a server's tool answered, is more than words.
  const isPlain =
    dialect.results(now).length === 0 && dialect.pieces(now).every(({ kind }) => kind === "text");
  if (!isMade || !isPlain) return undefined;
  const [before, after] = [dialect.text(was), dialect.text(now)];
  if (after.trim() === "") return "part";
  // Where a host keeps texts only, calls may stand among the words.
  const called = made.map(({ name, input }) => `${name} ${JSON.stringify(input)}`).join(" ");
  const forms = [formOf(before, after), formOf(`${before} ${called}`, after)];
  if (forms.includes("less")) return "part";
  return forms.includes("more") ? "whole" : undefined;
}
const OWN = { depth: 0, own: true };

/** Characters of an id that was made by chance, and stands in no other conversation. */
const CHANCE = 16;

/** Ids of its calls. Others are of another conversation, or renamed by a proxy. */
const namesOf = (dialect: Dialect, message: Message): string[] =>
  [...dialect.calls(message), ...dialect.results(message)].map(({ id }) => id);

/** Names of calls, and what a whole reply bears that some callers push back as it came. */
const NAMES: ReadonlySet<string> = new Set(
  (
    "id tool_use_id tool_call_id tool_call_ids caller cache_control model usage container " +
    "stop_reason stop_sequence stop_details context_management diagnostics " +
    "input_transformations reasoning reasoning_content reasoning_details annotations parsed " +
    "provider_specific_fields index"
  ).split(" "),
);
/** Deeper than what providers define, values are compared as a whole. */
const DEEPEST = 8;
const INPUTS: ReadonlySet<string> = new Set(["input", "arguments"]);

const members = (now: Dict, was: Dict, depth: number): Grade =>
  worstOf(Object.entries(now), ([name, value]) => {
    if (NAMES.has(name) || (depth === 0 && name === "type")) return BARE;
    const before = was[name];
    if (name === "content") return blocks(blocksOf(value), blocksOf(before), depth + 1);
    if (name === "is_error") return value === true && before !== true ? NEW : BARE;
    const at = { depth: depth + 1, own: INPUTS.has(name) };
    return at.own ? within(read(value), read(before), at) : within(value, before, at);
  });

/** Arguments that are text are read as what they say. */
const read = (value: unknown): unknown =>
  typeof value === "string" ? (parsed(value) ?? value) : value;

const isBare = (value: unknown): boolean =>
  value === undefined ||
  value === null ||
  value === "" ||
  (typeof value === "object" && Object.keys(value).length === 0);

/**
 * `own`: within what the model wrote, where every member counts and none is of the provider's
 * format.
 */
function within(now: unknown, was: unknown, at: { depth: number; own: boolean }): Grade {
  if (isBare(now)) return BARE;
  if (at.depth > DEEPEST) return exact(now) === exact(was) ? BARE : NEW;
  if (typeof now === "string") return texts(now, typeof was === "string" ? was : "");
  const deeper = { ...at, depth: at.depth + 1 };
  if (Array.isArray(now)) {
    const before: readonly unknown[] = Array.isArray(was) ? was : [];
    return worstOf(now.entries(), ([place, item]) => within(item, before[place], deeper));
  }
  if (!isDict(now)) return now === was ? BARE : NEW;
  if (!isDict(was)) return NEW;
  if (!at.own) return members(now, was, at.depth);
  return worstOf(Object.entries(now), ([name, value]) => within(value, was[name], deeper));
}

/** Between two blocks that are shown this many may be gone. */
const AHEAD = 8;

/** Each block shown stands among those there were, in their order. */
function blocks(now: readonly Dict[], was: readonly Dict[], depth: number): Grade {
  if (depth > DEEPEST) return exact(now) === exact(was) ? BARE : NEW;
  let from = 0;
  return worstOf(now, (block) => {
    const grades = was
      .slice(from, from + AHEAD)
      .map((before) => (before.type === block.type ? members(block, before, depth) : NEW));
    const at = grades.findIndex((one) => one !== NEW);
    // A note stands for a picture.
    const noted = block.type === "text" && texts(String(block.text), "") === NOTE;
    from += at + 1;
    return grades[at] ?? (noted ? NOTE : NEW);
  });
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

/** A message without its figures and dates; undefined where that cannot be told. */
const withoutFigures = (message: Dict): Dict | undefined =>
  dictIn(JSON.stringify(message).replace(/\d+/g, "0").replace(MONTHS_AND_DAYS, "0"));

/** Is all but figures and dates the same? */
function areKin(one: Dict, other: Dict): boolean {
  const [mine, its] = [withoutFigures(one), withoutFigures(other)];
  if (mine === undefined || its === undefined) return false;
  return members(mine, its, 0) === BARE && members(its, mine, 0) === BARE;
}
