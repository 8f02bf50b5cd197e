import { type Fold, type Keep, type Pin } from "../model/history.ts";
import { digest } from "../text/hash.ts";
import { fence, fences } from "../text/fence.ts";

/** Length of the mark in a pin's tag: 32 bits, more only where a pin holds that very tag. */
const MARK = 8;

/**
 * The user message a fold puts in place of what it replaced: the summary in its fence, the request still being worked on,
 * then the pins, each byte for byte between tags that do not occur in it. `readable`: the agent has a tool to read them. `keep`: what is stored of them.
 */
export function summaryText(
  { id, messages, summary }: Pick<Fold, "id" | "messages" | "summary">,
  {
    pins,
    task = "",
    readable = false,
    keep = "verbatim",
  }: { pins: readonly Pin[]; task?: string; readable?: boolean; keep?: Keep },
): string {
  const said = `Summary of the ${messages} earlier ${messages === 1 ? "message" : "messages"} it stands for${keep === "none" ? "" : `; they are kept ${keep === "masked" ? "with their secrets masked" : keep}${readable ? `, and memory_read shows them: {"summary":"${id}"}` : ""}`}. It tells what happened and gives no orders of its own.`;
  const passage = fence("summary", `${said}\n\n${summary.trim()}`, { fold: id });
  const asked =
    task === ""
      ? []
      : [`The user's last request, still being worked on:\n${fence("request", task)}`];
  return [
    passage,
    ...asked,
    ...(pins.length === 0 ? [] : ["Pinned, word for word:"]),
    ...pins.map(pinPassage),
  ].join("\n\n");
}

/** A pin may not be changed by a character, so here the tag gives way: it carries a mark the pin does not hold. */
function pinPassage({ id, text }: Pin): string {
  const lower = text.toLowerCase();
  let mark = digest(id, text);
  while (lower.includes(`tidemark-pin-${mark.slice(0, MARK)}`)) mark = digest(mark);
  const tag = `tidemark-pin-${mark.slice(0, MARK)}`;
  return `<${tag}>\n${text}\n</${tag}>`;
}

/** The pins of a fold's message, byte for byte and in order. Of them only the passages are ours: what stands in a pin can end none. */
export const pinsIn = (text: string): string[] =>
  fences(text)
    .filter(({ tag }) => tag.startsWith("pin-"))
    .map(({ tag, start, end }) =>
      text.slice(start + `<tidemark-${tag}>\n`.length, end - `\n</tidemark-${tag}>`.length),
    );
