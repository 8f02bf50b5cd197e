import { type Message } from "../../model/request.ts";

/** Which calls a message opens and which it answers, by the provider's ids. */
export interface Links {
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

/** No result at `index` stands apart from its call, and none after it has its call before. */
export function startsWhole(links: Links, messages: readonly Message[], index: number): boolean {
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
