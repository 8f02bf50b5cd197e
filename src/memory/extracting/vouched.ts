import { either, remembering } from "../../core/base.ts";
import { isTrusted, leastOf, lessTrusted, type Origin, ORIGINS } from "../../core/memory.ts";
import type { Message } from "../../core/request.ts";
import { fences, withoutFences } from "../../core/text/fence.ts";
import { contentWords } from "../../core/text/sentences.ts";
import { terms } from "../../core/text/terms.ts";
import type { Dialect } from "../../providers/common/dialect.ts";
import { choices } from "./transcript.ts";
import { heard, isQuestion, spoken } from "./frames.ts";
import {
  type Distilled,
  type DistilTask,
  type Fact,
  type Injected,
  messageText,
  UNCUT,
  wordsOfKnown,
} from "./task.ts";

/**
 * A distiller reads what was recalled beside the words it cites, and an assistant may quote it.
 * What a fact says in words of an injected line that no voice of that trust has said is that
 * line's, whatever it cites: else memory would vouch for itself, and a page's claim be the user's.
 */

/** A line of ours, by its message. `isLong`: of pages of another's words; few are chance. */
type InjectedLine = Words & {
  readonly origin: Origin;
  readonly at: number | undefined;
  readonly isLong?: true;
};
type Task = Pick<DistilTask, "dialect" | "messages" | "injected" | "known">;
const reading = (task: Task) => ({ ...task, words: wordsByMessage(task), isChoice: choices(task) });

/** One word in common may be chance. */
const TELLING = 2;
/** The share of a fact that its speaker must have said beside injected words. */
const OWN = 1 / 3;
/** The share that makes it a repetition of a line, and where it names what was said. */
const REPEATS = 0.5;
const REPEATS_BESIDE = 0.7;

/**
 * The facts with the origin that is theirs, without those that only say again what was recalled:
 * here alone is decided whose word a fact is. What a model told must have telling words of each
 * message it cites, else it may come from anywhere; the distiller without one quotes.
 */
export function vouched(
  task: Task,
  { facts, by }: Pick<Distilled, "facts" | "by">,
): readonly Fact[] {
  const lines = facts.length === 0 ? [] : linesOf(task, by);
  const notes = new Set(task.injected?.filter(({ whole }) => whole === true).map(({ at }) => at));
  const everywhere = ownWords(task, task.messages);
  const read = reading(task);
  return facts.flatMap((fact) => {
    const from = fact.from.filter((at) => !notes.has(at));
    const said = wordsOf(fact.content || wordsOfKnown(fact, task.known ?? []));
    const isOfNotes = from.length === 0 && fact.from.length > 0;
    if (isOfNotes && lines.some((line) => repeats(said, line, REPEATS))) return [];
    const cited = from.map((at) => task.messages[at]).filter((message) => message !== undefined);
    const origin =
      by === "extractive" && from.length === fact.from.length
        ? fact.origin
        : citedOrigin(read, said, cited);
    const own = ownWords(task, cited);
    const worse = lines.filter((line) => lessTrusted(line.origin, origin));
    const beside = worse.filter(
      ({ at }) => at !== undefined && origin === "user" && from.includes(at),
    );
    const unsupported = isSupported(said, own, beside) ? [] : beside;
    const taken = worse.filter(
      (line) =>
        unsupported.includes(line) || isTaken(said, line, beside.includes(line) ? own : everywhere),
    );
    return [{ ...fact, from, origin: leastOf([origin, ...taken.map((line) => line.origin)]) }];
  });
}

/**
 * A fact is as trusted as the least of those it cites, where each has words of it, or states it
 * otherwise and no voice that is trusted less tells it. Else it comes from those that say most of
 * it, or from anywhere.
 */
function citedOrigin(
  { dialect, messages, words: read, isChoice }: ReturnType<typeof reading>,
  said: Words,
  cited: readonly Message[],
): Origin {
  const originOf = (message: Message): Origin =>
    isChoice(message) ? "agent" : speakerOf(dialect, message, said);
  const telling = Math.min(TELLING, said.all.size * OWN);
  const shares = ({ all }: MessageWords): boolean =>
    said.all.intersection(all).size >= telling || !said.marks.isDisjointFrom(all);
  const words = cited.map(read);
  const origin = leastOf(cited.map(originOf));
  if (cited.length === 0 || said.all.size === 0) return origin;
  const marks = said.marks.difference(new Set(words.flatMap(({ all }) => [...all])));
  const isLess = (message: Message): boolean => lessTrusted(originOf(message), origin);
  const lends = (message: Message): boolean => !marks.isDisjointFrom(read(message).all);
  const isAsked = !cited.some((message) => states(dialect, message));
  // A nod is said of what stands before it; a question shares words with its answer.
  const isAnswer = isAsked && messages.some((message) => lends(message) && isLess(message));
  const isShared = words.every((one) => one.all.size < TELLING || shares(one));
  if (words.some(shares) && isShared && !isAnswer) return origin;
  if (cited.some((message) => dialect.handed(message).includes(""))) return "untrusted";
  const held = messages.map((message) => heldIn(said, read(message)));
  const half = Math.max(TELLING, said.all.size * REPEATS);
  const isOthers = messages.some((message, at) => {
    // A reply right behind what it answers is said of that.
    const answers = at > 0 && cited.includes(messages[at - 1] ?? message);
    return !answers && ((held[at] ?? 0) >= half || lends(message)) && isLess(message);
  });
  // No figure is another word for anything.
  const isReworded = ![...marks].some((mark) => /\p{N}/u.test(mark));
  if (!isOthers && isReworded && cited.every((message) => states(dialect, message))) return origin;
  const most = Math.max(telling, Math.min(said.all.size * REPEATS, Math.max(...held)));
  const near = messages.filter((_, at) => (held[at] ?? 0) >= most);
  return leastOf((near.length > 0 ? near : messages).map(originOf));
}

/** A question tells nothing by itself. */
const states = (dialect: Dialect, message: Message): boolean =>
  spoken(dialect.text(message)).some((one) => !isQuestion(one));

/** A long listing has any words, but seldom near each other. */
interface MessageWords {
  readonly all: ReadonlySet<string>;
  readonly passages: readonly ReadonlySet<string>[];
}

/** So many words of it stand together. */
const heldIn = (said: Words, { passages }: MessageWords): number =>
  Math.max(0, ...passages.map((words) => said.all.intersection(words).size));

/** All words of a message, read once for all facts. */
function wordsByMessage({ dialect }: Task): (message: Message) => MessageWords {
  const known = new Map<Message, MessageWords>();
  return (message) => {
    const read = (): string =>
      [messageText(dialect, message, UNCUT, (text) => text), ...dialect.handed(message)].join("\n");
    const words = known.get(message) ?? messageWords(read());
    known.set(message, words);
    return words;
  };
}

function messageWords(text: string): MessageWords {
  const lines = (text.match(LINE) ?? []).map((line) => wordsOf(line).all);
  return {
    all: new Set(lines.flatMap((line) => [...line])),
    passages: lines.map((line, at) => line.union(lines[at + 1] ?? line)),
  };
}
/** A line, or as much of a longer one as a sentence may take. */
const LINE = /[^\n]{1,300}(?:\S{1,80}|(?!\S))/g;

/** A result beside the speaker's words makes all of it a tool's, but for what they say alone. */
function speakerOf(dialect: Dialect, message: Message, said: Words): Origin {
  const own = ownWords({ dialect }, [message]);
  const results = dialect.results(message);
  const answered = messageWords(results.map(({ text }) => text).join("\n")).all;
  const isOwn =
    said.marks.difference(own).isDisjointFrom(answered) &&
    said.all.intersection(own).size >= Math.max(TELLING, said.all.size * REPEATS);
  if (results.length > 0) return isOwn ? "user" : "tool";
  // System text may hold what was recalled: trusted, but no word of its own.
  const speaker = dialect.speaker(message);
  return speaker === "user" || speaker === "tool" ? speaker : "agent";
}

/** Does it say something of the line that the speaker has not. Another figure corrects a line. */
function isTaken(said: Words, line: InjectedLine, own: ReadonlySet<string>): boolean {
  const shared = said.all.intersection(line.all);
  const beyond = shared.difference(own);
  const corrects = isTrusted(line.origin) && !said.marks.difference(line.all).isDisjointFrom(own);
  if (beyond.size === 0 || corrects) return false;
  if (line.isLong) return repeats(said, line, REPEATS);
  // A trusted line must be repeated, not only touched.
  if (isTrusted(line.origin)) return shared.size > TELLING && repeats(said, line, REPEATS_BESIDE);
  return shared.size >= TELLING || !beyond.isDisjointFrom(said.marks.union(line.marks));
}

/** Names and figures must be the speaker's own, or at least none of a page beside. */
function isSupported(
  said: Words,
  own: ReadonlySet<string>,
  beside: readonly InjectedLine[],
): boolean {
  const held = said.all.intersection(own).size;
  const foreign = said.marks.difference(own);
  return (
    held >= Math.max(1, said.all.size * OWN) &&
    beside.every(({ origin, all }) => isTrusted(origin) || foreign.isDisjointFrom(all))
  );
}

const repeats = (said: Words, line: Words, share: number): boolean =>
  said.all.intersection(line.all).size >= said.all.size * share;

const ownWords = (
  { dialect }: Pick<Task, "dialect">,
  messages: readonly Message[],
): ReadonlySet<string> =>
  new Set(
    messages.flatMap((message) =>
      dialect.speaker(message) === "user"
        ? [...wordsOf(heard(withoutFences(dialect.text(message))).own).all]
        : [],
    ),
  );

function linesOf({ dialect, messages, injected = [] }: Task, by: Distilled["by"]): InjectedLine[] {
  // A note is a message of its own behind the one it was recalled for.
  const given = injected.map(({ at, whole, ...rest }) => ({
    ...rest,
    at: whole === true && at !== undefined ? at - 1 : at,
  }));
  const fenced = messages.flatMap((message, at) => [
    ...fencedIn(dialect.text(message), at),
    ...dialect.results(message).flatMap(({ text }) => fencedIn(text)),
  ]);
  const ours = [...given, ...fenced].flatMap(({ text, origin, at }) =>
    toldLines(text, origin).map((line) => ({ ...wordsOf(line.text), origin: line.origin, at })),
  );
  if (by === "extractive") return ours;
  return [...ours, ...messages.flatMap((message, at) => othersLines(dialect, message, at))];
}

/** Another's words stand in a user's message. */
const othersLines = (dialect: Dialect, message: Message, at: number): InjectedLine[] =>
  dialect.speaker(message) === "user"
    ? [...heard(withoutFences(dialect.text(message))).others, ...dialect.handed(message)]
        .flatMap((text) =>
          text.split("\n").map((line, row, rows) => `${line} ${rows[row + 1] ?? ""}`),
        )
        .map((line) => ({ ...wordsOf(line), origin: "untrusted", at, isLong: true }))
    : [];

const fencedIn = (text: string, at?: number): Injected[] =>
  fences(text).map(({ tag, start, end }) => ({
    text: text.slice(start, end),
    origin: tag === "recall" ? undefined : "untrusted",
    at,
  }));

/** The words of content in a text, and which of them are no guess: figures, names, identifiers. */
interface Words {
  readonly all: ReadonlySet<string>;
  readonly marks: ReadonlySet<string>;
}

/** Reports of somebody's words add these, and days, which a distiller works out. */
const REPORTING = new Set(
  (
    "user users assistant agent said says say tells told asked asks mentioned stated noted " +
    "january february march april may june july august september october november december " +
    "monday tuesday wednesday thursday friday saturday sunday"
  )
    .split(" ")
    .flatMap((word) => terms(word)),
);
const DAYS = /\b\d{4}-\d\d-\d\d\b/g;
/** A run of letters is looked at from its beginning only: else it would take its length squared. */
const CAPITAL = either(
  /(?<=[\p{Ll}\p{N},;:)(] )\p{Lu}[\p{L}\p{N}'’-]*/gu,
  /(?<!\p{L})\p{L}*\p{Ll}\p{Lu}[\p{L}\p{N}]*|\p{Lu}{2,}/gu,
);

/** "HX-4471", "HX 4471" and "HX4471" are one name: letters and figures are told apart. */
const wordsIn = (text: string): string[] =>
  contentWords(text).flatMap((word) => terms(word.replace(APART, " ")));
const APART = /(?<=\p{L})(?=\p{N})|(?<=\p{N})(?=\p{L})/gu;

const wordsOf = remembering((text: string): Words => {
  const all = new Set(wordsIn(text)).difference(REPORTING);
  const names = (text.match(CAPITAL) ?? []).flatMap(wordsIn);
  const figures = wordsIn(text.replace(DAYS, " ")).filter((word) => /\p{N}/u.test(word));
  return { all, marks: new Set([...names, ...figures]).intersection(all) };
});

/** A day alone stands behind what is vouched for. */
const DAY_BEHIND = / \(\d{4}-\d\d-\d\d\)$/;
/**
 * The lines of a text of ours, and whose word each was. Each memory ends in a bracket that says
 * where it is from; lines without one are of the `other` origin, or frame.
 */
export const toldLines = (text: string, other?: Origin): { text: string; origin: Origin }[] =>
  text.split("\n").flatMap((raw) => {
    const line = raw.replace(/^[\s\-*+#>]+/, "").trim();
    if (line === "" || /^<\/?tidemark-[^>]*>$/.test(line)) return [];
    const [mark = "", said = ""] = /\(([^()]*)\)$/.exec(line) ?? [];
    const named = ORIGINS.findLast((origin) => said.split(", ").includes(`from ${origin}`));
    const trusted = DAY_BEHIND.test(line) ? "agent" : undefined;
    const origin = named ?? other ?? trusted;
    if (origin === undefined) return [];
    if (named === undefined) return [{ text: line.replace(DAY_BEHIND, ""), origin }];
    const told = line.slice(0, line.length - mark.length).replace(/^\[[^\]]*\] /, "");
    return [{ text: told.trimEnd(), origin }];
  });
