import type { ProviderRequest } from "../../model/request.ts";
import { type Dict, isDict, dicts } from "../../base/guards.ts";

/** Providers define content four deep; in what they do not define, recursion ends here. */
export const DEPTH = 200;

const NOTHING: readonly Dict[] = [];

const asBlock = (item: unknown): Dict => {
  if (isDict(item)) return item;
  return typeof item === "string" ? { type: "text", text: item } : { type: "", value: item };
};

/** Any JSON value as a message, so that no reading can throw. */
export const asMessage = (value: unknown): Dict => (isDict(value) ? value : { content: value });

/** Content as a list: a string is one text block, nothing and "" are none. */
export function itemsOf(content: unknown): readonly unknown[] {
  if (typeof content === "string")
    return content === "" ? NOTHING : [{ type: "text", text: content }];
  if (content === null || content === undefined) return NOTHING;
  return Array.isArray(content) ? content : [content];
}

/** Content as blocks: what is no block is wrapped as one. */
export function blocksOf(content: unknown): readonly Dict[] {
  const items = itemsOf(content);
  return items.every(isDict) ? items : items.map(asBlock);
}

/** The texts that say something, each on a line of its own. */
export const lines = (texts: readonly string[]): string =>
  texts.filter((text) => text !== "").join("\n");

/** True when a provider would refuse it as the text of a block. */
export const isBlank = (text: string): boolean => text.trim() === "";

/** `items` through `change`, or the same array when nothing changed. */
function mapKeeping<T>(items: readonly T[], change: (item: T) => T): readonly T[] {
  const next = items.map(change);
  return next.every((item, at) => item === items[at]) ? items : next;
}

/** `dict` with one member set, or itself when the member is that already. */
export const withMember = <T extends Dict>(dict: T, name: string, value: unknown): T =>
  dict[name] === value ? dict : { ...dict, [name]: value };

/** A text, shorter. */
export type Cut = (text: string) => string;

/**
 * A member that is a text or a list of blocks, changed; `holder` itself when nothing is, or when it
 * has no members.
 */
export function mapWithin<T>(holder: T, name: string, text: Cut, block: (block: Dict) => Dict): T {
  if (!isDict(holder)) return holder;
  const member = holder[name];
  if (typeof member === "string") return withMember(holder, name, text(member));
  const blocks = (item: unknown): unknown => (isDict(item) ? block(item) : item);
  return Array.isArray(member) ? withMember(holder, name, mapKeeping(member, blocks)) : holder;
}

export const same = <T>(value: T): T => value;

/** A cut that leaves nothing would make an empty block of a text; then the text stays. */
export const cutting =
  (cut: Cut): Cut =>
  (text) => {
    const shorter = text === "" ? text : cut(text);
    return isBlank(shorter) ? text : shorter;
  };

/** Whether the model may call a tool of this name. */
export const offersTool = ({ tools }: ProviderRequest, name: string): boolean =>
  dicts(tools).some((tool) => (isDict(tool.function) ? tool.function : tool).name === name);

/**
 * Members whose inside is the model's or the caller's, where `cache_control` would be a word like
 * any other.
 */
const OPAQUE = new Set(["input", "arguments"]);

/** `value` without `cache_control` at any depth of the format; itself when there is none. */
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
