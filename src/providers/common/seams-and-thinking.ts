import { asDict, asText, defined, dicts, isDict } from "../../core/base.ts";
import type { Message, ProviderRequest } from "../../core/request.ts";
import { asMessage, type Dialect, isThinking } from "./dialect.ts";

/** The last message in which the user speaks and answers no call; -1 if there is none. */
export function lastUser(dialect: Dialect, messages: readonly Message[]): number {
  return messages.findLastIndex(
    (message) => dialect.speaker(message) === "user" && dialect.results(message).length === 0,
  );
}

/**
 * Where the tool loop under way begins, as the provider sees it: its first assistant message, when
 * the history ends in results or open calls. Undefined when the user has the word. Anthropic reads
 * messages of the user's in a row as one turn, so words beside or behind results do not close a
 * loop; nor does a system message, which belongs to no turn.
 */
export function openLoop(dialect: Dialect, messages: readonly Message[]): number | undefined {
  const joins = dialect.joinsTurns;
  let start: number | undefined;
  let answers = false;
  let speaks = false;
  for (let index = messages.length - 1; index >= 0; index--) {
    const message = messages[index] as Message;
    const speaker = dialect.speaker(message);
    if (speaker === "system") continue;
    if (speaker === "assistant") {
      if (
        start === undefined &&
        !answers &&
        dialect.calls(message).length === 0 &&
        dialect.results(message).length === 0
      )
        break;
      if (speaks && !answers) break;
      start = index;
      answers = speaks = false;
    } else if (dialect.results(message).length > 0) answers = true;
    else if (joins) speaks = true;
    else break;
  }
  return start;
}

/** Which calls a message opens and which it answers, by the provider's ids. */
export interface Links {
  calls(message: Message): readonly string[];
  results(message: Message): readonly string[];
  /** Left out where a message says so itself. */
  role?(message: Message): unknown;
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
  const role = links.role?.(first) ?? first.role;
  if (role !== "user" && role !== "assistant") return false;
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

/**
 * Manual thinking: the provider wants a tool loop under way to begin with the thinking that led to
 * it.
 */
export const thinksByHand = ({ thinking }: ProviderRequest): boolean =>
  asDict(thinking).type === "enabled";

/** The part of the reply's tokens that manual thinking may take. */
export function thinkingBudget(request: ProviderRequest): number {
  const { budget_tokens: budget } = asDict(request.thinking);
  return thinksByHand(request) && typeof budget === "number" ? budget : 0;
}

const leadsWithThinking = ({ content }: Message): boolean => isThinking(asDict(dicts(content)[0]));

/**
 * The request with thinking switched off, and what is refused without it: a loop whose thinking is
 * lost is refused otherwise.
 */
function thinkingOff(request: ProviderRequest): ProviderRequest {
  const { thinking: _thinking, context_management: given, ...rest } = request;
  // The provider clears thoughts only of a request that thinks.
  const managed = withoutEdits(given, "clear_thinking_");
  return { ...rest, ...defined({ context_management: managed }) } as ProviderRequest;
}

/**
 * A request's `context_management` without edits of a kind; undefined where nothing is left of it.
 */
export function withoutEdits(managed: unknown, kind: string): unknown {
  if (!isDict(managed) || !Array.isArray(managed.edits)) return managed;
  const edits = managed.edits.filter(
    (edit: unknown) => !asText(asDict(edit).type).startsWith(kind),
  );
  if (edits.length === managed.edits.length) return managed;
  return edits.length === 0 && Object.keys(managed).length === 1
    ? undefined
    : { ...managed, edits };
}

/** A tool loop under way that has lost its thinking is only accepted with manual thinking off. */
export function fitThinking(dialect: Dialect, request: ProviderRequest): ProviderRequest {
  if (!thinksByHand(request)) return request;
  const first = request.messages[openLoop(dialect, request.messages) ?? -1];
  return first === undefined || leadsWithThinking(first)
    ? request
    : withoutLast(dialect, thinkingOff(request));
}

/** A reply that is gone on with, a paused one say, may hold no thoughts where thinking is off. */
function withoutLast(dialect: Dialect, request: ProviderRequest): ProviderRequest {
  const last = request.messages.at(-1);
  if (last === undefined || dialect.speaker(last) !== "assistant" || !dialect.thinks(last))
    return request;
  return { ...request, messages: request.messages.with(-1, dialect.withoutThinking(last)) };
}
