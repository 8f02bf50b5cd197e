import { KINDS } from "../../model/memory.ts";
import { cleaned, head } from "../../text/cut.ts";
import { type Fact } from "../task/distiller.ts";
import { type Container, isArray, isObject, looseJson, type Loose } from "./loose-json.ts";

interface Reply {
  readonly facts: readonly ReplyFact[];
  readonly summary?: string;
  /** The JSON ended before it was complete: facts are whole, the summary is left out. */
  readonly cut: boolean;
}

/** What a reply of 16,000 tokens cannot exceed; the rest of a longer text is not read. */
const MAX_REPLY = 1_000_000;
/** Wrappers such as {"result":{"data":{…}}} are looked into this far. */
const MAX_NESTING = 6;

/**
 * What can be used of a distiller's reply: its last complete answer, for what stands before it was quoted or thought aloud. Of a
 * reply that was `cut` it is the last answer, which the cut went through. Undefined when it holds no JSON of the form.
 */
export function salvage(text: string, { cut = false } = {}): Reply | undefined {
  const read = text.slice(0, MAX_REPLY);
  const whole = repliesIn(read);
  // A stray brace or quote before an answer can spoil the reading of the whole: fences, and what a line begins with a brace, are read by themselves.
  const blocks =
    whole.at(-1)?.cut === false
      ? []
      : read.split(/^[ \t]{0,8}```[\w-]{0,20}[ \t]{0,8}$|^(?=\{)/m).slice(1);
  const all = [...whole, ...blocks.flatMap(repliesIn)];
  return (cut ? undefined : all.findLast((reply) => !reply.cut)) ?? all.at(-1);
}

const repliesIn = (text: string): Reply[] => looseJson(text).flatMap((value) => repliesOf(value));

/** The answers in a value, in order: objects that hold facts or a summary, and bare lists of facts. */
function repliesOf(value: Loose, depth = 0): Reply[] {
  if (depth === MAX_NESTING || (!isObject(value) && !isArray(value))) return [];
  if (isArray(value) && value.items.some(namesFact))
    return [{ facts: factsOf(value.items), cut: value.cut }];
  const [facts, summary] = [memberOf(value, "facts"), memberOf(value, "summary")];
  const below = [...value.members.values(), ...value.items].flatMap((one) =>
    one === facts || one === summary ? [] : repliesOf(one, depth + 1),
  );
  if (facts === undefined && summary === undefined) return below;
  // One half may stand deeper than the other.
  const half = below.at(-1);
  const cut = value.cut || half?.cut === true || (summary !== undefined && value.damaged);
  const prose = summary === undefined ? half?.summary : cleaned(proseOf(summary)).trim();
  return [
    {
      facts:
        facts === undefined ? (half?.facts ?? []) : factsOf(isArray(facts) ? facts.items : [facts]),
      cut,
      summary: prose === "" || cut ? undefined : prose,
    },
  ];
}

/** A summary written as a list or under headings, as the text it would have been. */
function proseOf(value: Loose): string {
  if (isArray(value)) return value.items.map(proseOf).join("\n");
  if (isObject(value))
    return [...value.members].map(([name, member]) => `${name}: ${proseOf(member)}`).join("\n");
  return value === null ? "" : String(value);
}

/** A fact as the model wrote it: `cites` are inclusive ranges of ordinals, not yet checked against anything. */
export interface ReplyFact extends Pick<
  Fact,
  "content" | "category" | "importance" | "key" | "kind" | "supersedes"
> {
  readonly cites: readonly (readonly [first: number, last: number])[];
}

const MAX_FACTS = 200;
const MAX_CONTENT = 2_000;
const MAX_NAME = 200;

/** The facts of a reply's list, each by itself: a bad one costs only itself. */
function factsOf(values: readonly Loose[]): ReplyFact[] {
  const whole = values
    .flatMap((value) => (isObject(value) ? [value, ...value.items] : [value]))
    .filter((value) => !(isObject(value) && (value.cut || value.damaged)));
  const facts = new Map<string, ReplyFact>();
  for (const value of whole) {
    const content = contentOf(value);
    const name = content.toLowerCase();
    if (content !== "" && !facts.has(name) && facts.size < MAX_FACTS)
      facts.set(name, factOf(value, content));
  }
  return [...facts.values()];
}

function factOf(value: Loose, content: string): ReplyFact {
  const word = (name: string, max = MAX_NAME): string | undefined =>
    wordOf(memberOf(value, name), max);
  return {
    content,
    importance: gradeOf(memberOf(value, "importance")),
    cites: citesOf(memberOf(value, "from")),
    category: word("category"),
    key: word("key"),
    kind: KINDS.find((known) => known === word("kind")?.toLowerCase()),
    supersedes: word("supersedes", MAX_CONTENT),
  };
}

/** By its name in small letters. */
const memberOf = (value: Loose, name: string): Loose | undefined =>
  isObject(value)
    ? (value.members.get(name) ??
      [...value.members].find(([other]) => other.toLowerCase() === name)?.[1])
    : undefined;

/** An object that says something: an item of a list of facts. */
const namesFact = (value: Loose): value is Container => isObject(value) && contentOf(value) !== "";

const contentOf = (value: Loose): string =>
  (typeof value === "string"
    ? wordOf(value, MAX_CONTENT)
    : wordOf(
        memberOf(value, "content") ?? memberOf(value, "fact") ?? memberOf(value, "text"),
        MAX_CONTENT,
      )) ?? "";

function wordOf(value: Loose | undefined, max: number): string | undefined {
  const one = isArray(value) ? value.items[0] : value;
  if (typeof one === "number") return String(one);
  const text = typeof one === "string" ? head(cleaned(one).trim(), max).trim() : "";
  return text === "" ? undefined : text;
}

/** 0…1; a number in quotes is one. */
function gradeOf(value: Loose | undefined): number {
  const grade = Number.parseFloat(String(value ?? "").slice(0, MAX_NAME));
  return Number.isFinite(grade) ? Math.min(1, Math.max(0, grade)) : 0.5;
}

/** Ordinals as [3, 5], 3, "3", "#3, #7" or "3-5". */
function citesOf(value: Loose | undefined): (readonly [number, number])[] {
  const texts = (isArray(value) ? value.items : [value])
    .slice(0, 1_000)
    .filter((one) => typeof one === "string" || Number.isInteger(one));
  return texts.flatMap((one) =>
    [
      ...String(one)
        .slice(0, 400)
        .matchAll(/#?(\d{1,9})(?:\s?(?:-|–|…|\.\.\.?|to)\s?#?(\d{1,9}))?/g),
    ].map(([, first, last]) => [Number(first), Number(last ?? first)] as const),
  );
}
