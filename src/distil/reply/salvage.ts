import { asDict, type Dict, dicts, isDict } from "../../base/guards.ts";
import type { Dialect } from "../../dialect/common/dialect.ts";
import { KINDS, leastOf, type Origin } from "../../model/memory.ts";
import type { Message } from "../../model/request.ts";
import { cleaned } from "../../text/cut.ts";
import type { DistilTask, Fact } from "../task/distiller.ts";
import { listOf, looseJson, textIn } from "./loose-json.ts";

interface DistilReply {
  readonly facts: readonly ReplyFact[];
  readonly summary?: string;
  /** The JSON ended before it was complete: facts are whole, the summary is left out. */
  readonly cut: boolean;
}

/** A reply of 16,000 tokens is shorter; the rest of a longer text is not read. */
const MAX_REPLY = 1_000_000;
/** Wrappers such as {"result":{"data":{…}}} are looked into this far. */
const MAX_NESTING = 6;

/**
 * What can be used of a distiller's reply: its last complete answer, for what stands before it was
 * quoted or thought aloud. Of a reply that was `cut` it is the last answer, which the cut went
 * through. Undefined when it holds no JSON of the form.
 */
export function salvage(text: string, { cut = false } = {}): DistilReply | undefined {
  const read = text.slice(0, MAX_REPLY);
  const values = looseJson(read);
  // A stray brace or quote before an answer can spoil the reading of the whole: fences, and what a
  // line begins with a brace, are read by themselves.
  const blocks = values.some((one) => one.cut)
    ? read.split(/^[ \t]{0,8}```[\w-]{0,20}[ \t]{0,8}$|^(?=\{)/m).slice(1)
    : [];
  const all = [...values, ...blocks.flatMap(looseJson)].flatMap((one) =>
    repliesOf(one.value, one.cut),
  );
  return (cut ? undefined : all.findLast((reply) => !reply.cut)) ?? all.at(-1);
}

/**
 * The answers in a value, in order: objects that hold facts or a summary, and bare lists of facts.
 */
function repliesOf(value: unknown, cut: boolean, depth = 0): DistilReply[] {
  if (depth === MAX_NESTING || typeof value !== "object" || value === null) return [];
  const isFacts = dicts(value).some((item) => factOf(item) !== undefined);
  const { facts = isFacts ? value : undefined, summary } = asDict(value);
  if (facts === undefined && summary === undefined)
    return Object.values(value).flatMap((one) => repliesOf(one, cut, depth + 1));
  // Equal facts of one reply count once.
  const told = listOf(facts).flatMap((fact) => factOf(fact) ?? []);
  const prose = cut || summary === undefined ? "" : cleaned(proseOf(summary)).trim();
  return [
    {
      facts: [...new Map(told.map((fact) => [fact.content.toLowerCase(), fact])).values()].slice(
        0,
        MAX_FACTS,
      ),
      summary: prose || undefined,
      cut,
    },
  ];
}

/** A summary written as a list or under headings, as the text it would have been. */
function proseOf(value: unknown): string {
  if (isDict(value))
    return Object.entries(value)
      .map(([name, member]) => `${name}: ${proseOf(member)}`)
      .join("\n");
  return Array.isArray(value) ? value.map(proseOf).join("\n") : String(value ?? "");
}

/**
 * A fact as the model wrote it: `cites` are inclusive ranges of ordinals, not yet checked against
 * anything.
 */
interface ReplyFact extends Pick<
  Fact,
  "content" | "category" | "importance" | "key" | "kind" | "supersedes"
> {
  readonly cites: readonly (readonly [first: number, last: number])[];
}

const MAX_FACTS = 200;
const MAX_CONTENT = 2_000;
const MAX_NAME = 200;

/** Undefined for what says nothing: a bad one costs only itself. */
function factOf(value: unknown): ReplyFact | undefined {
  const members: Dict = isDict(value) ? value : { content: value };
  const word = (name: string, max = MAX_NAME): string | undefined =>
    textIn(members[name], max) || undefined;
  const content = ["content", "fact", "text"].flatMap((name) => word(name, MAX_CONTENT) ?? [])[0];
  if (content === undefined) return undefined;
  const grade = Number.parseFloat(word("importance") ?? "");
  return {
    content,
    importance: Number.isFinite(grade) ? Math.min(1, Math.max(0, grade)) : 0.5,
    cites: listOf(members.from).slice(0, 1_000).flatMap(citesOf),
    category: word("category"),
    key: word("key"),
    kind: KINDS.find((known) => known === word("kind")?.toLowerCase()),
    supersedes: word("supersedes", MAX_CONTENT),
  };
}

/** Ordinals as 3, "3", "#3, #7" or "3-5". */
const citesOf = (value: unknown): (readonly [number, number])[] =>
  typeof value === "string" || Number.isInteger(value)
    ? [...String(value).slice(0, 400).matchAll(CITED)].map(([, first, last]) => [
        Number(first),
        Number(last ?? first),
      ])
    : [];
const CITED = /(\d{1,9})(?:\s?(?:-|–|…|\.\.\.?|to)\s?#?(\d{1,9}))?/g;

/**
 * Whose word a message is. One that carries a result beside the speaker's own words is no better
 * than the result.
 */
export function originOf(dialect: Dialect, message: Message): Origin {
  const speaker = dialect.results(message).length > 0 ? "tool" : dialect.speaker(message);
  // System text may hold what was recalled: trusted, but no word of its own.
  return speaker === "user" || speaker === "tool" ? speaker : "agent";
}

/** Places a reply's ordinals in the task: `first` is the ordinal of `messages[0]`. */
type OrdinalPlace = Pick<DistilTask, "dialect" | "messages" | "factsFrom"> & {
  readonly first: number;
};

/**
 * The fact with its citations checked. Undefined when it rests only on messages whose facts were
 * taken before.
 */
export function located(
  { cites, ...fact }: ReplyFact,
  { dialect, messages, first, factsFrom }: OrdinalPlace,
): Fact | undefined {
  const from = new Set<number>();
  let next = 0;
  // Ranges may lie upon each other a thousand times, so each message is met once.
  for (const [low, high] of [...cites].sort((one, other) => one[0] - other[0]))
    for (
      next = Math.max(next, low - first);
      next <= Math.min(messages.length - 1, high - first);
      next += 1
    )
      from.add(next);
  const cited = messages.filter((_, index) => from.has(index));
  if (from.size > 0 && [...from].every((index) => index < factsFrom)) return undefined;
  return {
    ...fact,
    from: [...from],
    origin: leastOf(cited.map((message) => originOf(dialect, message))),
  };
}
