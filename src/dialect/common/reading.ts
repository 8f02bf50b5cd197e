import type { Message, ProviderRequest } from "../../model/request.ts";
import { type Dict, isDict, dicts } from "../../base/guards.ts";

/** Whose a message is, which calls it opens and which it answers, by the provider's ids. */
export interface Links {
  /** It is the user's or the assistant's by its name, whatever it holds. */
  spoken(message: Message): boolean;
  calls(message: Message): readonly string[];
  results(message: Message): readonly string[];
}

/**
 * How many messages back a result may find its call. Providers want it in the message before; OpenAI may put up to
 * 128 results between.
 */
const LOOK_BACK = 256;

/** Nearest message before `index` that opens call `id`, how many call-bearing messages lie between, and its place there. */
function callBefore(
  links: Links,
  messages: readonly Message[],
  index: number,
  id: string,
): { at: number; between: number; place: number } | undefined {
  let between = 0;
  for (let at = index - 1; at >= Math.max(0, index - LOOK_BACK); at -= 1) {
    const ids = links.calls(messages[at] ?? {});
    if (ids.length === 0) continue;
    const place = ids.indexOf(id);
    if (place >= 0) return { at, between, place };
    between += 1;
  }
  return undefined;
}

/** A result's call by its place relative to the result, which neither rewritten ids nor a trimmed head change. */
export function ordinalOf(
  links: Links,
  messages: readonly Message[],
  { index, id, own = [] }: { index: number; id: string; own?: readonly string[] },
): string {
  const here = own.indexOf(id);
  if (here >= 0) return `=${here}`;
  const call = callBefore(links, messages, index, id);
  return call ? `${call.between}.${call.place}` : "?";
}

/** May a history start here: with words of the user's or the assistant's, and no pair torn. */
export const opensTail = (links: Links, messages: readonly Message[], index: number): boolean =>
  links.spoken(asMessage(messages[index])) && startsWhole(links, messages, index);

/** Where messages have a `role`. */
export const spokenByRole = ({ role }: Message): boolean => role === "user" || role === "assistant";

/** No result at `index` stands apart from its call, and none after it has its call before. */
function startsWhole(links: Links, messages: readonly Message[], index: number): boolean {
  const first = messages[index];
  if (first === undefined) return false;
  const own = links.calls(first);
  if (links.results(first).some((id) => !own.includes(id))) return false;
  const inside = new Set(own);
  for (let at = index + 1; at < messages.length; at += 1) {
    const message = messages[at] ?? {};
    for (const id of links.calls(message)) inside.add(id);
    for (const id of links.results(message))
      if (!inside.has(id) && callBefore(links, messages, index, id)) return false;
  }
  return true;
}

/** Content nests four deep in what providers define; recursion must end before the stack does in what they do not. */
export const DEPTH = 200;

const NOTHING: readonly Dict[] = [];

const asBlock = (item: unknown): Dict => {
  if (isDict(item)) return item;
  return typeof item === "string" ? { type: "text", text: item } : { type: "", value: item };
};

/** Any JSON value as a message, so that no reading can throw. */
export const asMessage = (value: unknown): Dict => (isDict(value) ? value : { content: value });

/** Content as blocks: a string is one text block, nothing and "" are none, what is no block is wrapped as one. */
export function blocksOf(content: unknown): readonly Dict[] {
  if (typeof content === "string")
    return content === "" ? NOTHING : [{ type: "text", text: content }];
  if (content === null || content === undefined) return NOTHING;
  if (!Array.isArray(content)) return [asBlock(content)];
  return content.every(isDict) ? content : content.map(asBlock);
}

/** True when a provider would refuse it as the text of a block. */
export const isBlank = (text: string): boolean => text.trim() === "";

/** `items` through `change`, or the same array when nothing changed. */
function mapKeeping<T>(items: readonly T[], change: (item: T) => T): readonly T[] {
  let changed = false;
  const next = items.map((item) => {
    const after = change(item);
    changed ||= after !== item;
    return after;
  });
  return changed ? next : items;
}

/** `dict` with one member set, or itself when the member is that already. */
export const withMember = <T extends Dict>(dict: T, name: string, value: unknown): T =>
  dict[name] === value ? dict : { ...dict, [name]: value };

/** A member that is a text or a list of blocks, changed; `holder` itself when nothing is. */
export function mapWithin<T extends Dict>(
  holder: T,
  name: string,
  text: (text: string) => string,
  block: (block: Dict) => Dict,
): T {
  const member = holder[name];
  if (typeof member === "string") return withMember(holder, name, text(member));
  const blocks = (item: unknown): unknown => (isDict(item) ? block(item) : item);
  return Array.isArray(member) ? withMember(holder, name, mapKeeping(member, blocks)) : holder;
}

export const same = <T>(value: T): T => value;

/** A cut that leaves nothing would make an empty block of a text; then the text stays. */
export const cutting =
  (cut: (text: string) => string) =>
  (text: string): string => {
    const shorter = text === "" ? text : cut(text);
    return isBlank(shorter) ? text : shorter;
  };

/** Whether the model may call a tool of this name. */
export const offersTool = ({ tools }: ProviderRequest, name: string): boolean =>
  dicts(tools).some((tool) => (isDict(tool.function) ? tool.function : tool).name === name);

/** Members whose inside is the model's or the caller's, where `cache_control` would be a word like any other. */
const OPAQUE = new Set(["input", "arguments"]);

/** `value` without `cache_control` at any depth of the provider's format; itself when there is none. */
export function withoutMarks(value: unknown, depth = 0): unknown {
  if (depth > DEPTH) return value;
  if (Array.isArray(value)) return mapKeeping(value, (item) => withoutMarks(item, depth + 1));
  if (!isDict(value)) return value;
  let changed = "cache_control" in value;
  const members = Object.entries(value).flatMap(([name, member]) => {
    if (name === "cache_control") return [];
    const after = OPAQUE.has(name) ? member : withoutMarks(member, depth + 1);
    changed ||= after !== member;
    return [[name, after] as const];
  });
  return changed ? Object.fromEntries(members) : value;
}
