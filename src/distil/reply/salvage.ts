import { cleaned } from "../../text/cut.ts";
import { isArray, isObject, looseJson, type Loose } from "./loose-json.ts";
import { factsOf, memberOf, namesFact, type ReplyFact } from "./facts.ts";

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
