import { asDict, asText, defined, type Dict, isDict, present } from "../../core/base.ts";
import type { Message, ProviderRequest } from "../../core/request.ts";
import { type CacheHints, type CacheMarks, itemsOf } from "../common/dialect.ts";
import { capabilitiesOf } from "../common/models.ts";

/**
 * Blocks that take `cache_control` (SDK 1.11 types); thinking and blocks of tomorrow do not, or may
 * not.
 */
const CACHEABLE = new Set(
  (
    "text image document search_result tool_use server_tool_use mcp_tool_use container_upload " +
    "compaction"
  ).split(" "),
);

/**
 * A block that may be marked, and its place in the order the provider reads: tools, system,
 * messages.
 */
interface Spot {
  readonly order: number;
  /** The message's index, or one of those below. */
  readonly message: number;
  readonly block: number;
  readonly mark: unknown;
}
const [TOOLS, SYSTEM] = [-2, -1];

/** A cache mark there is already. */
interface CacheMark {
  readonly order: number;
  readonly hour: boolean;
}

/** Null is the same as absent, as the SDK types say. */
const isMark = (value: unknown): boolean => value !== undefined && value !== null;
const lastsHour = (mark: unknown): boolean => isDict(mark) && mark.ttl === "1h";

const isCacheable = (block: Dict): boolean => {
  const type = asText(block.type);
  return type === "text"
    ? asText(block.text).trim() !== ""
    : CACHEABLE.has(type) || type.endsWith("tool_result");
};

/** Marks the request holds already, those within its blocks too, and places for ours. */
function survey({ tools, system, messages }: ProviderRequest) {
  const marks: CacheMark[] = [];
  const spots: Spot[] = [];
  let order = 0;
  const look = (content: unknown, message: number, takes?: (block: Dict) => boolean): void => {
    const blocks = itemsOf(content);
    for (let at = 0; at < blocks.length; at += 1) {
      const block = blocks[at];
      if (!isDict(block)) continue;
      if (block.content !== undefined) look(block.content, message);
      if (isDict(block.source)) look(block.source.content, message);
      order += 1;
      const mark = block.cache_control;
      if (isMark(mark)) marks.push({ order, hour: lastsHour(mark) });
      if (takes?.(block)) spots.push({ order, message, block: at, mark });
    }
  };
  look(tools, TOOLS, () => true);
  look(system, SYSTEM, isCacheable);
  // A message with `clear_at` is not shown again: what is cached behind it would never be read.
  messages.forEach(({ content, clear_at }, index) => {
    look(content, index, isMark(clear_at) ? undefined : isCacheable);
  });
  const within = (from: number, to: number): Spot | undefined =>
    spots.findLast(({ message }) => message >= from && message <= to);
  return {
    marks,
    lastTool: within(TOOLS, TOOLS),
    /** The cacheable blocks of the system text. */
    system: spots.filter(({ message }) => message === SYSTEM),
    /** The last cacheable block of the messages up to this one. */
    endAt: (index: number) => within(0, index),
  };
}

const FIVE_MINUTES = 300_000;
const HOUR = 3_600_000;

/**
 * ms the provider keeps the conversation of this request after its last use, by the mark furthest
 * on; undefined without any.
 */
function lifetimeOf(request: ProviderRequest): number | undefined {
  const automatic = request.cache_control;
  const last = isMark(automatic) ? { hour: lastsHour(automatic) } : survey(request).marks.at(-1);
  return last && (last.hour ? HOUR : FIVE_MINUTES);
}

/**
 * Breakpoints a request may hold, the caller's included; a fifth is refused (platform.claude.com,
 * prompt caching).
 */
const MOST_MARKS = 4;

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

function withMarks(
  request: ProviderRequest,
  surveyed: ReturnType<typeof survey>,
  frozen = "",
): ProviderRequest {
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
  const before = endAt(previousEnd(request.messages));
  const lastBlock = asDict(itemsOf(request.system)[system.at(-1)?.block ?? 0]);
  const common =
    frozen !== "" && lastBlock.text === frozen ? (system.at(-2) ?? lastTool) : undefined;
  const free = Math.max(0, MOST_MARKS - marks.length - (hasAutomatic ? 1 : 0));
  const wanted = new Set(present([ours, before, system.at(-1), common]));
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
 * The message the previous call ended with: the one before the last reply, of however many messages
 * that is.
 */
function previousEnd(messages: readonly Message[]): number {
  const isReply = ({ role }: Message): boolean => role === "assistant";
  const reply = messages.findLastIndex(isReply);
  return messages.findLastIndex((message, index) => index < reply && !isReply(message));
}

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
