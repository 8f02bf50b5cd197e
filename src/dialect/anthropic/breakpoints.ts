import { asDict, defined, asText, type Dict, dicts, present } from "../../base/guards.ts";
import { capabilitiesOf } from "../models/capabilities.ts";
import type { Message, ProviderRequest } from "../../model/request.ts";
import type { CacheHints, CacheMarks } from "../common/dialect.ts";
import { itemsOf } from "../common/reading.ts";
import { isMark, lastsHour, lifetimeOf, type Spot, survey, type Survey } from "./survey.ts";

/**
 * Breakpoints a request may hold, the caller's included; a fifth is refused (platform.claude.com,
 * prompt caching).
 */
const MOST_MARKS = 4;
/** Blocks a mark is looked for something cached at, its own the first of them. */
const LOOK_BACK = 20;

/**
 * An Anthropic request with cache breakpoints at the end of the last message, of the system text,
 * of the message the previous call ended with, and of what the caller's conversations have in
 * common: so each call reads what the one before wrote, however many blocks lie between, and a fold
 * leaves the caller's own tools and rules warm. `tokens` is the size of the prompt. Never more than
 * four in all, never on a block that has one; the same reference when nothing is added.
 */
export function markCache(
  request: ProviderRequest,
  tokens: number,
  {
    least = capabilitiesOf(asText(request.model)).cacheMinimumTokens,
    head = Infinity,
    ours,
  }: CacheHints = {},
): ProviderRequest {
  if (tokens < least) return request;
  const surveyed = survey(request);
  return withMarks(request, head < least ? { ...surveyed, system: [] } : surveyed, ours);
}

function withMarks(request: ProviderRequest, surveyed: Survey, frozen = ""): ProviderRequest {
  const { marks, lastTool, system, endAt } = surveyed;
  const last = endAt(request.messages.length - 1);
  const automatic = request.cache_control;
  const hasAutomatic = isMark(automatic);
  // The provider refuses a one-hour mark behind a five-minute one, so ours last an hour where the
  // caller's later ones do. The mark on the request adds none where its last block has one.
  const lastHour =
    hasAutomatic && lastsHour(automatic) && !isMark(last?.mark)
      ? Infinity
      : (marks.findLast(({ hour }) => hour)?.order ?? -1);

  // A mark on the request itself stands for one on its last block.
  const ours = hasAutomatic ? undefined : last;
  const [before, perhaps] = previousEnds(request.messages).map(endAt);
  const lastBlock = asDict(itemsOf(request.system)[system.at(-1)?.block ?? 0]);
  const common =
    frozen !== "" && lastBlock.text === frozen ? (system.at(-2) ?? lastTool) : undefined;
  // A mark finds what was cached a few blocks before it; further on, only a mark on that very place
  // does.
  const finds = (spot: Spot | undefined, ...marked: (Spot | undefined)[]): boolean =>
    spot === undefined ||
    present(marked).some(({ order }) => order >= spot.order && order - spot.order < LOOK_BACK);
  const far = [finds(before, ours) ? undefined : before];
  if (!finds(perhaps, ours, before)) far.push(perhaps);
  const free = Math.max(0, MOST_MARKS - marks.length - (hasAutomatic ? 1 : 0));
  const wanted = new Set(present([ours, ...far, system.at(-1), before, common]));
  const chosen = [...wanted].filter(({ mark }) => !isMark(mark)).slice(0, free);
  if (chosen.length === 0) return request;

  const markFor = (spot: Spot): Dict =>
    spot.order < lastHour ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" };
  const place = (content: unknown, spot: Spot | undefined): unknown =>
    spot === undefined || !chosen.includes(spot)
      ? content
      : withMark(content, spot.block, markFor(spot));
  const messages = [...request.messages];
  for (const spot of chosen) {
    const message = messages[spot.message];
    if (message !== undefined)
      messages[spot.message] = { ...message, content: place(message.content, spot) };
  }
  const tools = place(request.tools, lastTool);
  return {
    ...request,
    ...defined({ tools, system: system.reduce(place, request.system) }),
    messages: chosen.some(({ message }) => message >= 0) ? messages : request.messages,
  };
}

/**
 * A request that ends otherwise than its caller's, or was put together from two. The automatic mark
 * stays as long as the provider takes it beside the marks there are, now that it falls on another
 * block: as no fifth, and not for an hour behind one of five minutes.
 */
export function withinMarks(request: ProviderRequest): ProviderRequest {
  const { cache_control: automatic, ...rest } = request;
  if (!isMark(automatic)) return request;
  const { marks, endAt } = survey(request);
  if (isMark(endAt(request.messages.length - 1)?.mark)) return request;
  return marks.length < MOST_MARKS && !(lastsHour(automatic) && marks.some(({ hour }) => !hour))
    ? request
    : rest;
}

/**
 * The messages the previous call may have ended with, the likelier first: the one before the last
 * reply. Where replies stand in a row, the provider has paused and gone on, or the caller sends one
 * reply as several messages: then it is the reply before or what the first of them answers.
 */
function previousEnds(messages: readonly Message[]): number[] {
  let last = messages.length - 1;
  // A prefilled reply belongs to this call.
  while (isReply(messages[last]) && !isPaused(messages[last])) last -= 1;
  const answered = messages.findLastIndex(
    (_, index) => index < last && isReply(messages[index + 1]),
  );
  if (!isReply(messages[answered])) return [answered];
  const spoken = messages.findLastIndex((message, index) => index < answered && !isReply(message));
  return isPaused(messages[answered]) ? [answered, spoken] : [spoken, answered];
}

/** A turn is paused while tools of the provider run, so it ends with a block of theirs. */
function isPaused(message: Message | undefined): boolean {
  const type = isReply(message) ? asText(dicts(message?.content).at(-1)?.type) : "";
  return type !== "tool_use" && (type.endsWith("_tool_use") || type.endsWith("_tool_result"));
}

const isReply = (message: Message | undefined): boolean => message?.role === "assistant";

const withMark = (content: unknown, index: number, mark: Dict): unknown[] =>
  itemsOf(content).map((block, at) =>
    at === index ? { ...asDict(block), cache_control: mark } : block,
  );

export const cacheMarks: CacheMarks = {
  ours: true,
  mark: markCache,
  fit: withinMarks,
  lifetime: lifetimeOf,
};
