import { asDict, asText, defined, type Dict, dicts, isDict, present } from "../../core/base.ts";
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
  /** The message's index; -1: in tools or system text. */
  readonly message: number;
  readonly block: number;
  readonly mark: unknown;
}

/** A cache mark there is already. */
interface CacheMark {
  readonly order: number;
  readonly hour: boolean;
}

/** Marks the request holds already, and places for ours. */
interface Survey {
  readonly marks: readonly CacheMark[];
  readonly lastTool: Spot | undefined;
  /** The cacheable blocks of the system text. */
  readonly system: readonly Spot[];
  /** The last cacheable block of the messages up to this one. */
  readonly endAt: (index: number) => Spot | undefined;
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

/** A text that stands for a content is one block. */
const WORDS: Dict = { type: "text", text: "words" };

/**
 * Counts the blocks of a content from `order` on, those within a block before it, and tells of
 * each; `at`: its place, where it lies in no other block. Answers how many there are then.
 */
function count(
  content: unknown,
  order: number,
  told: (block: Dict, order: number, at: number) => void,
  inside = false,
): number {
  if (typeof content === "string" && !inside && content.trim() !== "") {
    told(WORDS, order + 1, 0);
    return order + 1;
  }
  let counted = order;
  if (!Array.isArray(content)) return counted;
  for (let at = 0; at < content.length; at += 1) {
    const block: unknown = content[at];
    if (!isDict(block)) continue;
    counted = count(block.content, counted, told, true);
    if (isDict(block.source)) counted = count(block.source.content, counted, told, true);
    counted += 1;
    told(block, counted, inside ? -1 : at);
  }
  return counted;
}

/**
 * Every block is counted, and looked at for a mark; of a history of thousands few messages are
 * asked for their spots.
 */
function survey(request: ProviderRequest): Survey {
  const marks: CacheMark[] = [];
  const noteMark = ({ cache_control: mark }: Dict, order: number): void => {
    if (isMark(mark)) marks.push({ order, hour: lastsHour(mark) });
  };
  const tools: readonly unknown[] = Array.isArray(request.tools) ? request.tools : [];
  const declared = count(tools, 0, noteMark);
  let order = count(request.system, declared, noteMark);
  const starts: number[] = [];
  for (const { content } of request.messages) {
    starts.push(order);
    order = count(content, order, noteMark);
  }

  const spotsOf = (index: number): readonly Spot[] => {
    const given = request.messages[index];
    // A message with `clear_at` is not shown again, so what is cached behind it would never be
    // read.
    if (given === undefined || isMark(given.clear_at)) return [];
    return spotsIn(given.content, index, starts[index] ?? 0);
  };
  const last = tools.findLastIndex(isDict);
  return {
    marks,
    lastTool:
      last < 0
        ? undefined
        : { order: declared, message: -1, block: last, mark: asDict(tools[last]).cache_control },
    system: spotsIn(request.system, -1, declared),
    endAt: (index) => {
      for (let before = index; before >= 0; before--) {
        const last = spotsOf(before).at(-1);
        if (last !== undefined) return last;
      }
      return undefined;
    },
  };
}

/** The cacheable blocks of a content whose first stands behind so many others. */
function spotsIn(content: unknown, message: number, behind: number): Spot[] {
  const spots: Spot[] = [];
  count(content, behind, (block, order, at) => {
    if (at >= 0 && isCacheable(block))
      spots.push({ order, message, block: at, mark: block.cache_control });
  });
  return spots;
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
