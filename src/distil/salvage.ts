import { cleaned } from "../text/cut.ts";
import { isArray, isObject, looseJson, type Loose } from "./loose-json.ts";
import { factsOf, namesFact, type ReplyFact } from "./reply-facts.ts";

export interface Reply {
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
 * What can be used of a distiller's reply, however it is dressed: its last complete answer, for what stands before it was
 * quoted or thought aloud. Of a reply that was `cut` it is the last answer, which the cut went through. Undefined when it holds
 * no JSON of the form.
 */
export function salvage(text: string, { cut = false } = {}): Reply | undefined {
  const read = text.slice(0, MAX_REPLY);
  const whole = repliesIn(read);
  // A stray brace or quote before an answer can spoil the reading of the whole; what begins a line is read by itself.
  const all = whole.at(-1)?.cut === false ? whole : [...whole, ...blocksOf(read).flatMap(repliesIn)];
  return (cut ? undefined : all.findLast((reply) => !reply.cut)) ?? all.at(-1);
}

/** What stands in code fences, and what begins with a brace at the head of a line. */
const blocksOf = (text: string): string[] =>
  text
    .split(/^[ \t]{0,8}```[\w-]{0,20}[ \t]{0,8}$|^(?=\{)/m)
    .slice(1)
    .filter((part) => part.includes("{") || part.includes("["));

const repliesIn = (text: string): Reply[] => looseJson(text).flatMap((value) => repliesOf(value));

/** The answers in a value, in order: objects that hold facts or a summary, and bare lists of facts. */
function repliesOf(value: Loose, depth = 0): Reply[] {
  if (depth === MAX_NESTING) return [];
  const inner = (values: readonly Loose[]): Reply[] => values.flatMap((one) => repliesOf(one, depth + 1));
  if (isArray(value))
    return value.items.some(namesFact) ? [{ facts: factsOf(value.items), cut: value.cut }] : inner(value.items);
  if (!isObject(value)) return [];
  const named = new Map([...value.members].map(([name, one]) => [name.toLowerCase(), one]));
  const [facts, summary] = [named.get("facts"), named.get("summary")];
  const below = inner([...value.members.values(), ...value.loose].filter((one) => one !== facts && one !== summary));
  if (facts === undefined && summary === undefined) return below;
  // One half may stand deeper than the other.
  const half = below.at(-1);
  const cut = value.cut || half?.cut === true || (summary !== undefined && value.damaged);
  const prose = summary === undefined ? half?.summary : cleaned(proseOf(summary)).trim();
  const usable = prose === "" || cut ? undefined : prose;
  return [{
    facts: facts === undefined ? (half?.facts ?? []) : factsOf(isArray(facts) ? facts.items : [facts]),
    cut,
    ...(usable === undefined ? {} : { summary: usable }),
  }];
}

/** A summary written as a list or under headings, as the text it would have been. */
function proseOf(value: Loose): string {
  if (isArray(value)) return value.items.map(proseOf).join("\n");
  if (isObject(value)) return [...value.members].map(([name, member]) => `${name}: ${proseOf(member)}`).join("\n");
  return value === null ? "" : String(value);
}
