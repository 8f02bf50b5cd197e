import { either, remembering } from "../../core/base.ts";
import { isTrusted, leastOf, lessTrusted, type Origin, ORIGINS } from "../../core/memory.ts";
import type { Message, Usage } from "../../core/request.ts";
import { clip, oneLine } from "../../core/text/cut.ts";
import { fences, withoutFences } from "../../core/text/fence.ts";
import { bareWords, contentWords, saying, withoutSpeaker } from "../../core/text/sentences.ts";
import { terms } from "../../core/text/terms.ts";
import { estimateTokens } from "../../core/tokens/estimate.ts";
import { together } from "../../providers/common/replies.ts";
import { meanings } from "./cues.ts";
import { factsFound } from "./extractive.ts";
import { type PartLine, partLines, renderParts, type SummaryPart } from "./instruction.ts";
import { originOf } from "./read-reply.ts";
import type { Distilled, DistilTask, Fact, Injected } from "./task.ts";
import { readTranscript } from "./transcript.ts";

/**
 * A distiller reads what was recalled beside the words it cites, and so may an assistant have that
 * it quotes. What a fact says in words of an injected line that no other voice of that trust has
 * said is that line's word, whatever the fact cites: else memory would vouch for itself, and a
 * page's claim come back as the user's.
 */

/** A line of ours, by the index of the message it stood beside. */
type InjectedLine = Words & { readonly origin: Origin; readonly at: number | undefined };
type Task = Pick<DistilTask, "dialect" | "messages" | "injected">;

/** One word in common may be chance. */
const TELLING = 2;
/** The share of a fact that its speaker must have said beside injected words. */
const OWN = 1 / 3;
/**
 * The share that makes it a repetition of a line: where it rests on nothing else, and where it
 * names what was said.
 */
const REPEATS = 0.5;
const REPEATS_BESIDE = 0.7;

/**
 * The facts with the origin that is theirs, without those that only say again what was recalled.
 */
export function vouched(task: Task, facts: readonly Fact[]): readonly Fact[] {
  const lines = facts.length === 0 ? [] : linesOf(task);
  if (lines.length === 0) return facts;
  const notes = new Set(task.injected?.filter(({ whole }) => whole === true).map(({ at }) => at));
  const everywhere = ownWords(task, task.messages);
  return facts.flatMap((fact) => {
    const from = fact.from.filter((at) => !notes.has(at));
    const said = wordsOf(fact.content);
    const isOfNotes = from.length === 0 && fact.from.length > 0;
    if (isOfNotes && lines.some((line) => repeats(said, line, REPEATS))) return [];
    const cited = from.map((at) => task.messages[at]).filter((message) => message !== undefined);
    const origin =
      from.length === fact.from.length
        ? fact.origin
        : leastOf(cited.map((message) => originOf(task.dialect, message)));
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

/** Does it say something of the line that the speaker has not. */
function isTaken(said: Words, line: InjectedLine, own: ReadonlySet<string>): boolean {
  const shared = said.all.intersection(line.all);
  const beyond = shared.difference(own);
  if (beyond.size === 0) return false;
  // A trusted line must be repeated, not only touched.
  if (isTrusted(line.origin)) return shared.size > TELLING && repeats(said, line, REPEATS_BESIDE);
  return shared.size >= TELLING || !beyond.isDisjointFrom(said.marks.union(line.marks));
}

/** Beside words of a page, names and figures must be the speaker's own as well. */
function isSupported(
  said: Words,
  own: ReadonlySet<string>,
  beside: readonly InjectedLine[],
): boolean {
  const held = said.all.intersection(own).size;
  return (
    held >= Math.max(1, said.all.size * OWN) &&
    (beside.every(({ origin }) => isTrusted(origin)) || said.marks.isSubsetOf(own))
  );
}

const repeats = (said: Words, line: Words, share: number): boolean =>
  said.all.intersection(line.all).size >= said.all.size * share;

const ownWords = ({ dialect }: Task, messages: readonly Message[]): ReadonlySet<string> =>
  new Set(
    messages.flatMap((message) =>
      dialect.speaker(message) === "user"
        ? [...wordsOf(withoutFences(dialect.text(message))).all]
        : [],
    ),
  );

function linesOf({ dialect, messages, injected = [] }: Task): InjectedLine[] {
  // A note is a message of its own behind the one it was recalled for.
  const given = injected.map(({ at, whole, ...rest }) => ({
    ...rest,
    at: whole === true && at !== undefined ? at - 1 : at,
  }));
  const fenced = messages.flatMap((message, at) => [
    ...fencedIn(dialect.text(message), at),
    ...dialect.results(message).flatMap(({ text }) => fencedIn(text)),
  ]);
  return [...given, ...fenced].flatMap(({ text, origin, at }) =>
    toldLines(text, origin).map((line) => ({ ...wordsOf(line.text), origin: line.origin, at })),
  );
}

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
/**
 * A run of letters is looked at from its beginning only: from each of them it would take its length
 * squared.
 */
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
    if (named === undefined) return other === undefined ? [] : [{ text: line, origin: other }];
    const told = line.slice(0, line.length - mark.length).replace(/^\[[^\]]*\] /, "");
    return [{ text: told.trimEnd(), origin: named }];
  });

type Whole = Distilled & { readonly summary: string };

/** A summary may go over its bound by so much. */
const OVER = 1.25;
const NAMED = 240;
/** Share of a point's words that one line must hold to say it. */
const SAYS = 0.5;

const PARTS: Readonly<Record<string, SummaryPart>> = {
  "open-request": "open",
  principle: "rules",
  correction: "rules",
};

/**
 * A model's word is final: code adds no fact beside it but what the user asked in so many words to
 * remember. Rules, corrections and open requests that it missed are put into the summary.
 */
export function withoutGaps(task: DistilTask, first: Whole): Whole {
  const found = factsFound(readTranscript(task.messages, task.dialect), {
    messages: task.messages,
    factsFrom: 0,
  });
  const isTold = saying(
    first.facts.map(({ content }) => content),
    SAYS,
  );
  // A wish to remember is kept in the user's own sentence, where no fact of the model says it.
  const asked = found.filter(
    ({ content, from }) =>
      from.some((at) => at >= task.factsFrom) &&
      meanings(withoutSpeaker(content)).has("remember") &&
      !isTold(content),
  );
  const facts = [...first.facts, ...asked];
  if (task.summaryTokens === 0) return { ...first, facts };
  const points = found.flatMap(({ content, category = "" }): PartLine[] =>
    PARTS[category] === undefined ? [] : [{ part: PARTS[category], text: content }],
  );
  const missing = (wanted: readonly PartLine[], text: string): PartLine[] => {
    const lines = partLines(text).map((line) => line.text);
    const says = saying([...lines, ...facts.map(({ content }) => content)], SAYS);
    return wanted.filter((point) => !says(point.text));
  };
  const lost = missing(points, first.summary);
  // Rules of the last summary hold until the user takes them back.
  const stood = missing(
    partLines(task.previous ?? "").filter(({ part }) => part === "rules"),
    first.summary,
  );
  return {
    ...first,
    facts,
    summary: filled(first.summary, [...stood, ...lost], Math.floor(task.summaryTokens * OVER)),
  };
}

/**
 * The summary with the points under their headings, as far as there is room; its first lines where
 * a model wrote far more than it was asked for.
 */
function filled(summary: string, points: readonly PartLine[], tokens: number): string {
  let room = tokens;
  let whole =
    estimateTokens(summary) <= tokens
      ? summary
      : summary
          .split("\n")
          .filter((line) => (room -= estimateTokens(line) + 1) > 0)
          .join("\n");
  for (const { part, text } of points) {
    const next = renderParts([
      ...partLines(whole),
      { part, text: clip(oneLine(bareWords(text)), NAMED) },
    ]);
    if (estimateTokens(next) <= tokens) whole = next;
  }
  return whole;
}

export const sum = (one: Usage | undefined, other: Usage | undefined): Usage | undefined =>
  one === undefined || other === undefined ? (one ?? other) : together(one, other);
