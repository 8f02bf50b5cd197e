import type { Message } from "../../model/request.ts";
import type { Dialect } from "./dialect.ts";
import { lastUser, openLoop } from "./loop.ts";
import { asMessage } from "./reading.ts";

/** Which calls a message opens and which it answers, by the provider's ids. */
export interface Links {
  calls(message: Message): readonly string[];
  results(message: Message): readonly string[];
}

/**
 * How many messages back a result may find its call. Providers want it in the message before;
 * OpenAI may put up to 128 results between.
 */
const LOOK_BACK = 256;

/**
 * The nearest call `id` before `index`: how many call-bearing messages lie between, and its place
 * in its own.
 */
function callBefore(
  links: Links,
  messages: readonly Message[],
  index: number,
  id: string,
): string | undefined {
  let between = 0;
  for (let at = index - 1; at >= Math.max(0, index - LOOK_BACK); at -= 1) {
    const ids = links.calls(messages[at] ?? {});
    if (ids.length === 0) continue;
    const place = ids.indexOf(id);
    if (place >= 0) return `${between}.${place}`;
    between += 1;
  }
  return undefined;
}

/**
 * A result's call by its place relative to the result, which neither rewritten ids nor a trimmed
 * head change.
 */
export function ordinalOf(
  links: Links,
  messages: readonly Message[],
  { index, id, own = [] }: { index: number; id: string; own?: readonly string[] },
): string {
  const here = own.indexOf(id);
  return here >= 0 ? `=${here}` : (callBefore(links, messages, index, id) ?? "?");
}

/**
 * May a history start here: with a message of the user's or the assistant's, and no result, there
 * or later, apart from its call.
 */
export function opensTail(links: Links, messages: readonly Message[], index: number): boolean {
  const first = asMessage(messages[index]);
  if (first.role !== "user" && first.role !== "assistant") return false;
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

/**
 * The latest message a tail of fewer than `keepLast` may start at: never behind the last user
 * message, nor inside the tool loop that works at it; `first` where that loop is longer than the
 * tail.
 */
export function leastTail(dialect: Dialect, messages: readonly Message[], first: number): number {
  const said = lastUser(dialect, messages);
  const loop = openLoop(dialect, messages);
  // Words beside results are of one turn with them, and with the calls these answer.
  const asked =
    loop !== undefined && said > loop
      ? messages.findLastIndex((message) => dialect.speaker(message) === "assistant")
      : said;
  if (asked >= first) return seamBefore(asked, (index) => dialect.opensTail(messages, index));
  if (loop !== undefined) return first;
  return Math.max(
    first,
    messages.findLastIndex((_, index) => index > first && dialect.opensTail(messages, index)),
  );
}

/** The seam at or before `index`, so that pairs stay whole; 0 when there is none. */
export function seamBefore(index: number, opens: (index: number) => boolean): number {
  let at = Math.max(0, index);
  while (at > 0 && !opens(at)) at--;
  return at;
}
