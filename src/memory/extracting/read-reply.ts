import { asDict, type Dict, dicts, isDict, parsed } from "../../core/base.ts";
import { KINDS } from "../../core/memory-kinds.ts";
import { edgeTags } from "../../core/memory-types.ts";
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

/** Brackets, strings, a comma too many, a name without quotes: what else stands there is kept. */
const TOKEN =
  /[{}[\]"']|,(?=\s{0,20}[}\]])|(?<![\p{L}\p{N}_-])[\p{L}_][\p{L}\p{N}_-]{0,40}(?=\s{0,20}:)/gu;
/** A quote that ends a string stands before one of these, or ends a line; another is its own. */
const CLOSES = /^\s*(?:[,}\]:]|$)|^[ \t]*\n\s*["{]/;
/**
 * What is sound behind a backslash; a lone one, as in C:\Users, is meant as one, and so are quotes
 * and line ends.
 */
const ESCAPES = /\\(?:["\\/bfnrt]|u[0-9a-fA-F]{4})|["\\\u0000-\u001f]/g;
/** Deeper brackets are not looked into by themselves: no reply of ours needs them. */
const DEPTH = 64;

/** A bracket and what stands in it; `to`: where it was closed, if it was. */
interface Bracket {
  readonly from: number;
  to?: number;
  readonly inner: Bracket[];
}

/**
 * Every JSON object and array in a text, in order; of one that is broken or `cut` off, those within
 * it that are whole. Names come in small letters. Of what models get wrong, prose around, commas,
 * raw line ends and quotes in strings, single quotes and bare names cost nothing. Reads every
 * character a bounded number of times, never throws.
 */
export function looseJson(text: string): { readonly value: unknown; readonly cut: boolean }[] {
  let sound = "";
  let position = 0;
  const [roots, open]: [Bracket[], Bracket[]] = [[], []];
  for (;;) {
    TOKEN.lastIndex = position;
    const { 0: token = "", index = text.length } = TOKEN.exec(text) ?? {};
    sound += text.slice(position, index);
    position = index + token.length;
    if (token === "")
      return roots.flatMap((root) => {
        const found = wholeIn(sound, root);
        const cut = found.length !== 1 || found[0]?.at !== root;
        return found.length === 0
          ? { value: undefined, cut }
          : found.map(({ value }) => ({ value, cut }));
      });
    if (token === "{" || token === "[") {
      const bracket = { from: sound.length, inner: [] };
      if (open.length <= DEPTH) (open.at(-1)?.inner ?? roots).push(bracket);
      open.push(bracket);
      sound += token;
    } else if (token === "}" || token === "]") {
      sound += token;
      Object.assign(open.pop() ?? {}, { to: sound.length });
    } else if (open.length > 0 && token !== ",") {
      // Prose has quotes of its own.
      const isString = token === '"' || token === "'";
      if (isString) position = endOfString(text, index);
      const said = isString ? text.slice(index + 1, position - 1) : token;
      const isName = /^\s*:/.test(text.slice(position, position + 20));
      sound += quoted(isName ? said.toLowerCase() : said);
    }
  }
}

const quoted = (raw: string): string =>
  `"${raw.replace(ESCAPES, (one) => (one.length > 1 ? one : JSON.stringify(one).slice(1, -1)))}"`;

function endOfString(text: string, from: number): number {
  for (let at = from + 1; at < text.length; at += 1)
    if (text[at] === "\\") at += 1;
    else if (text[at] === text[from] && CLOSES.test(text.slice(at + 1, at + 20))) return at + 1;
  return text.length;
}

function wholeIn(sound: string, at: Bracket): { value: unknown; at: Bracket }[] {
  const value = at.to === undefined ? undefined : parsed(sound.slice(at.from, at.to));
  return value === undefined ? at.inner.flatMap((one) => wholeIn(sound, one)) : [{ value, at }];
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
  const replies: DistilReply[] = [];
  let loose: unknown[] = [];
  for (const { value } of [...values, ...blocks.flatMap(looseJson)]) {
    const whole = repliesOf(value);
    replies.push(...whole);
    if (whole.length > 0) loose = [];
    else if (isDict(value) && loose.length < MAX_FACTS && factOf(value) !== undefined) {
      // Facts of an answer that broke off stand alone.
      if (loose.push(value) > 1) replies.pop();
      replies.push({ facts: factsOf(loose), cut: true });
    }
  }
  return (cut ? undefined : replies.findLast((reply) => !reply.cut)) ?? replies.at(-1);
}

/**
 * The answers in a value, in order: objects that hold facts or a summary, and bare lists of facts.
 */
function repliesOf(value: unknown, depth = 0): DistilReply[] {
  if (depth === MAX_NESTING || typeof value !== "object" || value === null) return [];
  const isFacts = dicts(value).some((item) => factOf(item) !== undefined);
  const { facts = isFacts ? value : undefined, summary } = asDict(value);
  if (facts === undefined && summary === undefined)
    return Object.values(value).flatMap((one) => repliesOf(one, depth + 1));
  const prose = summary === undefined ? "" : cleaned(proseOf(summary)).trim();
  return [{ facts: factsOf(facts), summary: prose || undefined, cut: false }];
}

/** Equal facts of one reply count once. */
const factsOf = (told: unknown): ReplyFact[] =>
  [
    ...new Map(
      listOf(told)
        .flatMap((one) => factOf(one) ?? [])
        .map((fact) => [fact.content.toLowerCase() || JSON.stringify(fact), fact]),
    ).values(),
  ].slice(0, MAX_FACTS);

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
interface ReplyFact extends Omit<Fact, "from" | "origin"> {
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
  const edge = edgeTags(names("edges"));
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
    ...(edge.length > 0 && { tags: edge }),
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
