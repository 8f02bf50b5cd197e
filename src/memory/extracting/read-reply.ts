import { asDict, type Dict, dicts, isDict, parsed } from "../../core/base.ts";
import { KINDS } from "../../core/memory.ts";
import { cleaned, head } from "../../core/text/cut.ts";
import { type DistilTask, type Fact, knownName } from "./task.ts";

export const listOf = (value: unknown): readonly unknown[] =>
  value === undefined ? [] : [value].flat();

/** The words of a value, or of the first in a list; "" where it has none. */
export function textIn(value: unknown, max: number): string {
  const [one] = listOf(value);
  return typeof one === "string" || typeof one === "number"
    ? head(cleaned(String(one)).trim(), max).trim()
    : "";
}

/**
 * Deeper brackets are read past: no reply of ours needs them, and a megabyte of "[" must not
 * overflow the stack.
 */
const DEPTH = 64;
const OPENS = /[{[]/g;
const WORD = /[\p{L}\p{N}_.+-]+/uy;
/**
 * What is sound behind a backslash; a lone one, as in C:\Users, is meant as one, and so are quotes
 * and line ends.
 */
const ESCAPES = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|["\\\u0000-\u001f]/g;

/**
 * Every JSON object and array in a text, in order, and whether the text ended in it. Valid JSON is
 * read exactly, but for names, which are in small letters. Of what models get wrong, prose around,
 * commas, raw line ends and quotes in strings, single quotes, bare names and a forgotten brace cost
 * nothing; what else is broken, and what a cut went through, is left out. Reads every character a
 * bounded number of times, never throws.
 */
export function looseJson(text: string): { readonly value: unknown; readonly cut: boolean }[] {
  const open: string[] = [];
  let position = 0;
  let [cut, broken] = [false, false];

  function next(): string | undefined {
    position = skipBlank(text, position);
    return text[position];
  }

  function value(isName = false): unknown {
    const character = text[position];
    if (character === '"' || character === "'") return quoted(character);
    if (character === "{" || character === "[")
      return open.length < DEPTH ? container(character === "[") : undefined;
    WORD.lastIndex = position;
    const word = WORD.exec(text)?.[0] ?? "";
    position += word.length;
    cut ||= position === text.length;
    if (word === "") return undefined;
    return isName ? word : parsed(word.toLowerCase());
  }

  function quoted(quote: string): string {
    const start = position + 1;
    for (position = start; position < text.length; position += 1)
      if (text[position] === "\\") position += 1;
      else if (text[position] === quote && closes(text, position)) break;
    cut ||= position >= text.length;
    const raw = text.slice(start, position);
    position += 1;
    const sound = raw.replace(ESCAPES, (one) =>
      one.length > 1 ? one : JSON.stringify(one).slice(1, -1),
    );
    return JSON.parse(`"${sound}"`) as string;
  }

  function container(isList: boolean): object {
    const items: unknown[] = [];
    const members = new Map<string, unknown>();
    const closing = isList ? "]" : "}";
    open.push(closing);
    position += 1;
    for (;;) {
      const character = next();
      cut ||= character === undefined;
      // A bracket that closes what stands around this one, or opens another in a name's place, says
      // that its own was forgotten.
      if (character === undefined || open.includes(character)) break;
      if (!isList && character === "{") break;
      const from = position;
      const one = value(!isList);
      if (isList && one !== undefined && !cut) items.push(one);
      if (!isList && next() === ":") {
        position += 1;
        next();
        const member = value();
        // A string with a colon behind it ended at a quote of its own; in a list that costs one
        // item.
        const isBroken = typeof member === "string" && next() === ":";
        broken ||= isBroken && !open.includes("]");
        if (member !== undefined && (typeof member === "object" || !(cut || isBroken)))
          members.set(String(one).toLowerCase(), member);
      }
      if (position === from) position += 1;
    }
    if (text[position] === closing) position += 1;
    open.pop();
    return isList ? items : Object.fromEntries(members);
  }

  const found: { value: unknown; cut: boolean }[] = [];
  for (;;) {
    OPENS.lastIndex = position;
    const opening = OPENS.exec(text);
    if (opening === null) return found;
    [position, cut, broken] = [opening.index, false, false];
    found.push({ value: container(opening[0] === "["), cut: cut || broken });
  }
}

/**
 * In sound JSON the quote that ends a string stands before one of `,}]:`; any other was not
 * escaped.
 */
function closes(text: string, at: number): boolean {
  const next = skipBlank(text, at + 1);
  const follower = text[next];
  if (follower === undefined || ",}]:".includes(follower)) return true;
  // A comma or brace was forgotten at the end of the line.
  return (follower === '"' || follower === "{") && text.slice(at + 1, next).includes("\n");
}

function skipBlank(text: string, from: number): number {
  let at = from;
  while (/\s/.test(text.charAt(at))) at += 1;
  return at;
}

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
      facts: [
        ...new Map(
          told.map((fact) => [fact.content.toLowerCase() || JSON.stringify(fact), fact]),
        ).values(),
      ].slice(0, MAX_FACTS),
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
  | "content"
  | "category"
  | "importance"
  | "key"
  | "kind"
  | "scope"
  | "supersedes"
  | "replaces"
  | "confirms"
> {
  readonly cites: readonly (readonly [first: number, last: number])[];
}

const MAX_FACTS = 200;
const MAX_CONTENT = 2_000;
const MAX_NAME = 200;
const MAX_CITED = 100;

/** Undefined for what says nothing: a bad one costs only itself. */
function factOf(value: unknown): ReplyFact | undefined {
  const members: Dict = isDict(value) ? value : { content: value };
  const word = (name: string, max = MAX_NAME): string | undefined =>
    textIn(members[name], max) || undefined;
  const names = (member: string): string[] =>
    listOf(members[member]).flatMap((name) => (typeof name === "string" ? [name.trim()] : []));
  const [replaces, confirms] = [[...names("replaces"), ...names("ends")], names("confirms")];
  const said = ["content", "fact", "text"].flatMap((name) => word(name, MAX_CONTENT) ?? [])[0];
  const content = said ?? (replaces.length + confirms.length > 0 ? "" : undefined);
  if (content === undefined) return undefined;
  const grade = Number.parseFloat(word("importance") ?? "");
  return {
    content,
    importance: Number.isFinite(grade) ? Math.min(1, Math.max(0, grade)) : 0.5,
    cites: listOf(members.from).slice(0, MAX_CITED).flatMap(citesOf),
    category: word("category"),
    key: word("key"),
    kind: KINDS.find((known) => known === word("kind")?.toLowerCase()),
    supersedes: word("supersedes", MAX_CONTENT),
    ...(/^project\b/i.test(word("scope") ?? "") && { scope: "project" as const }),
    ...(replaces.length > 0 && { replaces }),
    ...(confirms.length > 0 && { confirms }),
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

/** Places a reply's ordinals in the task: `first` is the ordinal of `messages[0]`. */
type OrdinalPlace = Pick<DistilTask, "messages" | "factsFrom" | "known"> & {
  readonly first: number;
};

/**
 * The fact with its citations checked. Undefined when it rests only on messages whose facts were
 * taken before.
 */
export function located(
  { cites, ...fact }: ReplyFact,
  { messages, first, factsFrom, known = [] }: OrdinalPlace,
): Fact | undefined {
  const from = [...messages.keys()].filter((index) =>
    cites.some(([low, high]) => low <= first + index && first + index <= high),
  );
  if (from.length > 0 && from.every((index) => index < factsFrom)) return undefined;
  // Whose word it is, is decided where all of the task is at hand.
  const ids = (names: readonly string[] = []): string[] =>
    known.flatMap(({ id }, at) => (names.includes(knownName(at)) ? id : []));
  const [replaces, confirms] = [ids(fact.replaces), ids(fact.confirms)];
  return { ...fact, replaces, confirms, from, origin: "untrusted" };
}
