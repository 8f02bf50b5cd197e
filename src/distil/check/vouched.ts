import { isTrusted, leastOf, lessTrusted, type Origin, ORIGINS } from "../../model/memory.ts";
import { type Message } from "../../model/request.ts";
import { remembering } from "../../base/cache.ts";
import { contentWords } from "../../text/content-words.ts";
import { fences, withoutFences } from "../../text/fence.ts";
import { terms } from "../../text/terms.ts";
import { type DistilTask, type Fact } from "../task/distiller.ts";
import { originOf } from "../reply/origin.ts";

/**
 * A distiller reads what was recalled beside the words it cites, and so may an assistant have that it quotes. What a fact says in words
 * of an injected line that no other voice of that trust has said is that line's word, whatever the fact cites: else memory would
 * vouch for itself, and a page's claim come back as the user's.
 */

/** A line of ours, by the index of the message it stood beside. */
type Line = Words & { readonly origin: Origin; readonly at: number | undefined };
type Task = Pick<DistilTask, "dialect" | "messages" | "injected">;

/** One word in common may be chance. */
const TELLING = 2;
/** The share of a fact that its speaker must have said beside injected words. */
const OWN = 1 / 3;
/** The share that makes it a repetition of a line: where it rests on nothing else, and where it names what was said. */
const REPEATS = 0.5;
const REPEATS_BESIDE = 0.7;

/** The facts with the origin that is theirs, without those that only say again what was recalled. */
export function vouched(task: Task, facts: readonly Fact[]): readonly Fact[] {
  const lines = facts.length === 0 ? [] : linesOf(task);
  if (lines.length === 0) return facts;
  const notes = new Set(
    task.injected?.flatMap(({ at, whole }) => (whole === true && at !== undefined ? [at] : [])),
  );
  let all: ReadonlySet<string> | undefined;
  const everywhere = (): ReadonlySet<string> => (all ??= ownWords(task, task.messages));
  return facts.flatMap((fact) => {
    const from = fact.from.filter((at) => !notes.has(at));
    const said = wordsOf(fact.content);
    if (from.length === 0 && fact.from.length > 0)
      return lines.some((line) => repeats(said, line, REPEATS))
        ? []
        : [{ ...fact, from, origin: "untrusted" as const }];
    const rests = new Set(from);
    const cited = task.messages.filter((_, at) => rests.has(at));
    const origin =
      from.length === fact.from.length
        ? fact.origin
        : leastOf(cited.map((message) => originOf(task.dialect, message)));
    const worse = lines.filter((line) => lessTrusted(line.origin, origin));
    if (worse.length === 0) return [{ ...fact, from, origin }];
    const own = ownWords(task, cited);
    const beside = worse.filter(
      ({ at }) => at !== undefined && origin === "user" && from.includes(at),
    );
    const taken = worse.filter((line) =>
      isTaken(said, line, beside.includes(line) ? own : everywhere()),
    );
    const unsupported = isSupported(said, own, beside) ? [] : beside;
    return [
      {
        ...fact,
        from,
        origin: leastOf([origin, ...[...taken, ...unsupported].map((line) => line.origin)]),
      },
    ];
  });
}

/** Does it say something of the line that the speaker has not. */
function isTaken(said: Words, line: Line, own: ReadonlySet<string>): boolean {
  const shared = said.all.intersection(line.all);
  const beyond = shared.difference(own);
  if (beyond.size === 0) return false;
  // What is trusted anyway must be repeated, not only touched.
  if (isTrusted(line.origin)) return shared.size > TELLING && repeats(said, line, REPEATS_BESIDE);
  return shared.size >= TELLING || !beyond.isDisjointFrom(said.marks.union(line.marks));
}

/** Beside words of a page, names and figures must be the speaker's own as well. */
function isSupported(said: Words, own: ReadonlySet<string>, beside: readonly Line[]): boolean {
  const held = said.all.intersection(own).size;
  if (held === 0 || held < said.all.size * OWN) return false;
  return beside.every(({ origin }) => isTrusted(origin)) || said.marks.isSubsetOf(own);
}

const repeats = (said: Words, line: Words, share: number): boolean =>
  said.all.intersection(line.all).size >= said.all.size * share;

/** What the user says in these messages by himself. */
const ownWords = ({ dialect }: Task, messages: readonly Message[]): ReadonlySet<string> =>
  new Set(
    messages.flatMap((message) =>
      dialect.speaker(message) === "user"
        ? [...wordsOf(withoutFences(dialect.text(message))).all]
        : [],
    ),
  );

function linesOf({ dialect, messages, injected = [] }: Task): Line[] {
  // A note is a message of its own behind the one it was recalled for.
  const given = injected.flatMap(({ text, at, whole, origin }) =>
    toldLines(text, origin).map((line) => ({
      ...line,
      at: whole === true && at !== undefined ? at - 1 : at,
    })),
  );
  const fenced = messages.flatMap((message, at) =>
    [
      { text: dialect.text(message), at },
      ...dialect.results(message).map((result) => ({ text: result.text, at: undefined })),
    ].flatMap(({ text, at: index }) =>
      fences(text).flatMap(({ tag, start, end }) =>
        toldLines(text.slice(start, end), tag === "recall" ? undefined : "untrusted").map(
          (line) => ({ ...line, at: index }),
        ),
      ),
    ),
  );
  return [...given, ...fenced].map(({ text, origin, at }) => ({ ...wordsOf(text), origin, at }));
}

/** The words of content in a text, and which of them are no guess: figures, names, identifiers. */
interface Words {
  readonly all: ReadonlySet<string>;
  readonly marks: ReadonlySet<string>;
}

/** What a report of somebody's words has of its own, and days, which a distiller works out. */
const REPORTING = new Set(
  (
    "user users assistant agent said says say tells told asked asks mentioned stated noted 用户 助手 " +
    "january february march april may june july august september october november december monday tuesday wednesday thursday friday saturday sunday"
  )
    .split(" ")
    .flatMap((word) => terms(word)),
);
const DAYS = /\b\d{4}-\d\d-\d\d\b/g;
/** A run of letters is looked at from its beginning only: from each of them it would take its length squared. */
const CAPITAL =
  /(?<=[\p{Ll}\p{N},;:)(] )\p{Lu}[\p{L}\p{N}'’-]*|(?<!\p{L})\p{L}*\p{Ll}\p{Lu}[\p{L}\p{N}]*|\p{Lu}{2,}/gu;

/** "HX-4471", "HX 4471" and "HX4471" are one name: letters and figures are told apart. */
const pieces = (word: string): string[] =>
  terms(/\p{N}/u.test(word) ? (word.match(/\p{L}+|\p{N}+/gu) ?? []).join(" ") : word);

const wordsOf = remembering((text: string): Words => {
  const all = new Set(
    contentWords(text)
      .flatMap(pieces)
      .filter((word) => !REPORTING.has(word)),
  );
  const names = (text.match(CAPITAL) ?? []).flatMap(contentWords).flatMap(pieces);
  const figures = contentWords(text.replace(DAYS, " "))
    .flatMap(pieces)
    .filter((word) => /\p{N}/u.test(word));
  return { all, marks: new Set([...names, ...figures].filter((word) => all.has(word))) };
});

/** A line of what a request held from memory, and whose word that was. */
interface ToldLine {
  readonly text: string;
  readonly origin: Origin;
}

/** The lines of a text of ours. Each memory ends in a bracket that says where it is from; lines without one are of the `other` origin, or frame. */
export function toldLines(text: string, other?: Origin): ToldLine[] {
  return text.split("\n").flatMap((raw) => {
    const line = raw.replace(/^[\s\-*+#>]+/, "").trim();
    if (line === "" || /^<\/?tidemark-[^>]*>$/.test(line)) return [];
    const mark = /\(([^()]*)\)$/.exec(line);
    const said = mark?.[1] ?? "";
    const named = ORIGINS.findLast((origin) =>
      new RegExp(`(?:^|, )from ${origin}(?:,|$)`).test(said),
    );
    if (named === undefined) return other === undefined ? [] : [{ text: line, origin: other }];
    return [
      {
        text: line
          .slice(0, mark?.index)
          .replace(/^\[[^\]]*\] /, "")
          .trimEnd(),
        origin: named,
      },
    ];
  });
}
