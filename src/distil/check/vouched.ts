import { lessTrusted, isTrusted, type Origin, leastOf } from "../../model/origin.ts";
import { type Message } from "../../model/request.ts";
import { fences, withoutFences } from "../../text/fence.ts";
import { toldLines, type Words, wordsOf } from "./told-lines.ts";
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
