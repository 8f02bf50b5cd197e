import { type Dict, isDict } from "../../base/guards.ts";

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
export function mapKeeping<T>(items: readonly T[], change: (item: T) => T): readonly T[] {
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
