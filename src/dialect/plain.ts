import { type Message } from "../model/request.ts";
import { anthropic } from "./anthropic/anthropic.ts";
import { cacheMarks } from "./anthropic/breakpoints.ts";
import { type Dialect } from "./common/dialect.ts";
import { isBlank } from "./common/reading.ts";

/**
 * A request of plain words for a model that no table knows: nothing tells whose it is. What is added has the form that both
 * makers take, a first message of the user's; cache marks and system fields are left to dialects that surely know them.
 */
export const plain: Dialect = {
  ...anthropic,
  plain: true,
  // Any server may read such a request, one that cuts too.
  traits: { ...anthropic.traits, refusesTooLong: false },
  marks: { ...cacheMarks, ours: false },
  appendSystem: (request, text) =>
    isBlank(text) ? request : { ...request, messages: withWordsFirst(request.messages, text) },
};

/** In front of what the first message of the user's says, so that a summary stays the first there is. */
function withWordsFirst([first, ...rest]: readonly Message[], text: string): Message[] {
  if (first?.role !== "user")
    return [{ role: "user", content: text }, ...(first === undefined ? [] : [first]), ...rest];
  const { content } = first;
  const words =
    typeof content === "string"
      ? `${text}\n\n${content}`
      : [{ type: "text", text }, ...(Array.isArray(content) ? (content as unknown[]) : [content])];
  return [{ ...first, content: words }, ...rest];
}
