import { blocksOf, given, invalid, isJson, type Json, list, type Refusal } from "./wire.ts";

export type Ttl = "5m" | "1h";
const MOST = 4;

/** The lifetime a block asks to be cached for. */
export const markOf = (block: unknown): Ttl | undefined => {
  const mark = isJson(block) ? block.cache_control : undefined;
  return isJson(mark) ? (mark.ttl === "1h" ? "1h" : "5m") : undefined;
};

/** A mark on a part of a tool result is a mark on the result. */
export const blockMark = (block: Json): Ttl | undefined =>
  markOf(block) ??
  (block.type === "tool_result" ? list(block.content).map(markOf).find(given) : undefined);

/** What may end a cached prefix. */
export const cacheable = (block: Json): boolean =>
  block.type !== "thinking" && block.type !== "redacted_thinking" && block.text !== "";

const marksIn = (
  blocks: readonly unknown[],
  at: string,
  found: { at: string; mark: unknown }[],
): void => {
  blocks.forEach((block, index) => {
    if (!isJson(block)) return;
    if (given(block.cache_control)) found.push({ at: `${at}.${index}`, mark: block.cache_control });
    if (block.type === "tool_result" && Array.isArray(block.content))
      marksIn(block.content, `${at}.${index}.content`, found);
  });
};

export function cacheMarks(body: Json): Refusal | undefined {
  const found: { at: string; mark: unknown }[] = [];
  marksIn(list(body.tools), "tools", found);
  if (Array.isArray(body.system)) marksIn(body.system, "system", found);
  list(body.messages).forEach((message, index) => {
    if (isJson(message) && Array.isArray(message.content))
      marksIn(message.content, `messages.${index}.content`, found);
  });
  if (given(body.cache_control) && !lastIsMarked(body))
    found.push({ at: "", mark: body.cache_control });
  let short = false;
  for (const { at, mark } of found) {
    const refusal = form(at === "" ? "cache_control" : `${at}.cache_control`, mark);
    if (refusal !== undefined) return refusal;
    const long = isJson(mark) && mark.ttl === "1h";
    if (long && short)
      return invalid(
        `${at}.cache_control.ttl: a ttl='1h' cache_control block must not come after a ttl='5m' cache_control block. Note that blocks are processed in the following order: \`tools\`, \`system\`, \`messages\`.`,
      );
    short ||= !long;
  }
  return found.length > MOST
    ? invalid(
        `A maximum of ${MOST} blocks with cache_control may be provided. Found ${found.length}.`,
      )
    : undefined;
}

function form(at: string, mark: unknown): Refusal | undefined {
  if (!isJson(mark) || mark.type !== "ephemeral")
    return invalid(`${at}: Input tag does not match any of the expected tags: 'ephemeral'`);
  return given(mark.ttl) && mark.ttl !== "5m" && mark.ttl !== "1h"
    ? invalid(`${at}.ephemeral.ttl: Input should be '5m' or '1h'`)
    : undefined;
}

/** The automatic mark goes to the last cacheable block; where that one is marked already, it adds none. */
function lastIsMarked(body: Json): boolean {
  const blocks = list(body.messages).flatMap((message) =>
    isJson(message) ? blocksOf(message.content) : [],
  );
  const last = blocks.findLast(cacheable);
  return last !== undefined && blockMark(last) !== undefined;
}
