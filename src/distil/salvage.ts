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

/** What can be used of a distiller's reply, however it is dressed. Undefined when it holds no JSON of the form. */
export function salvage(text: string): Reply | undefined {
  const read = text.slice(0, MAX_REPLY);
  let best = candidate(read);
  // Prose with a stray brace or quote can spoil the reading of the whole; what stands in code fences is read by itself.
  if (best === undefined || best.cut || best.summary === undefined || best.facts.length === 0)
    for (const block of codeBlocks(read)) best = better(best, candidate(block));
  return best;
}

function* codeBlocks(text: string): Generator<string> {
  const parts = text.split(/^[ \t]{0,8}```[\w-]{0,20}[ \t]{0,8}$/m);
  for (const part of parts.slice(1)) if (part.includes("{") || part.includes("[")) yield part;
}

const worth = (reply: Reply | undefined): number =>
  reply === undefined ? -1 : (reply.facts.length > 0 ? 2 : 0) + (reply.summary === undefined ? 0 : 2) + (reply.cut ? 0 : 1);

/** The later of two equals: models think aloud first and answer last. */
const better = (one: Reply | undefined, other: Reply | undefined): Reply | undefined => (worth(other) >= worth(one) ? other : one);

function candidate(text: string): Reply | undefined {
  let best: Reply | undefined;
  for (const value of looseJson(text)) best = better(best, replyIn(value));
  return best;
}

function replyIn(value: Loose): Reply | undefined {
  let facts: { values: readonly Loose[]; cut: boolean } | undefined;
  let summary: { text: string; doubtful: boolean } | undefined;
  let level: Loose[] = [value];
  for (let depth = 0; depth < MAX_NESTING && level.length > 0; depth += 1) {
    const next: Loose[] = [];
    for (const item of level) {
      if (isArray(item)) {
        if (facts === undefined && item.items.some(namesFact)) facts = { values: item.items, cut: item.cut };
        else for (const inner of item.items) next.push(inner);
      }
      if (!isObject(item)) continue;
      for (const [name, member] of item.members) {
        const word = name.toLowerCase();
        if (word === "facts" && facts === undefined) facts = { values: isArray(member) ? member.items : [member], cut: item.cut };
        else if (word === "summary" && summary === undefined) summary = { text: cleaned(proseOf(member)).trim(), doubtful: item.cut || item.damaged };
        else if (typeof member === "object") next.push(member);
      }
      for (const inner of item.loose) next.push(inner);
    }
    level = next;
  }
  if (facts === undefined && summary === undefined) return undefined;
  const cut = facts?.cut === true || summary?.doubtful === true;
  const usable = summary !== undefined && !cut && summary.text !== "" ? summary.text : undefined;
  return { facts: factsOf(facts?.values ?? []), cut, ...(usable === undefined ? {} : { summary: usable }) };
}

/** A summary written as a list or under headings, as the text it would have been. */
function proseOf(value: Loose): string {
  if (isArray(value)) return value.items.map(proseOf).join("\n");
  if (isObject(value)) return [...value.members].map(([name, member]) => `${name}: ${proseOf(member)}`).join("\n");
  return value === null ? "" : String(value);
}
