import { capabilitiesOf } from "../dialect/capabilities.ts";
import { asText, type Dict, dicts, isDict } from "../model/guards.ts";
import { type Message, type ProviderRequest } from "../model/request.ts";

/** Breakpoints a request may hold, the caller's included; a fifth is refused (platform.claude.com, prompt caching). */
const MOST = 4;
/** Blocks a mark is looked for something cached at, its own the first of them. */
const LOOK_BACK = 20;
/** Blocks that take `cache_control` (SDK 1.11 types); thinking and blocks of tomorrow do not, or may not. */
const CACHEABLE = new Set(["text", "image", "document", "search_result", "tool_use", "server_tool_use", "mcp_tool_use", "container_upload", "compaction"]);

/** A block that may be marked, and its place in the order the provider reads: tools, system, messages. */
interface Spot {
  readonly order: number;
  readonly block: number;
  readonly mark: unknown;
}

/** What the request holds already, and where a mark of ours could stand. */
interface Survey {
  readonly marks: { readonly order: number; readonly hour: boolean }[];
  readonly lastTool: Spot | undefined;
  /** The cacheable blocks of the system text. */
  readonly system: readonly Spot[];
  /** The last cacheable block of each message. */
  readonly ends: readonly (Spot | undefined)[];
}

export interface CacheHints {
  /** A mark on a prompt smaller than the model caches does nothing. */
  readonly least?: number;
  /** The last block of the system text, where it is ours: other conversations, and the next epoch, have another one there. */
  readonly ours?: string;
}

/**
 * An Anthropic request with cache breakpoints at the end of the last message, of the system text, of the message the previous
 * call ended with, and of what the caller's conversations have in common: so each call reads what the one before wrote,
 * however many blocks lie between, and a fold leaves the caller's own tools and rules warm. `tokens` is the size of the prompt.
 * Never more than four in all, never on a block that has one; the same reference when nothing is added.
 */
export function markCache(request: ProviderRequest, tokens: number, { least = capabilitiesOf(asText(request.model)).cacheMinimumTokens, ours = "" }: CacheHints = {}): ProviderRequest {
  if (tokens < least) return request;
  const { marks, lastTool, system, ends } = survey(request);
  const automatic = request["cache_control"];
  const hasAutomatic = isMark(automatic);
  // The provider refuses a one-hour mark behind a five-minute one, so ours last an hour where the caller's later ones do.
  const lastHour = hasAutomatic && lastsHour(automatic) ? Infinity : Math.max(-1, ...marks.filter((mark) => mark.hour).map((mark) => mark.order));

  // A mark on the request itself stands for one on its last block.
  const last = hasAutomatic ? -1 : ends.findLastIndex((spot) => spot !== undefined);
  const before = ends.slice(0, previousEnd(request.messages) + 1).findLast((spot) => spot !== undefined);
  const common = ours !== "" && textAt(request.system, system.at(-1)) === ours ? (system.at(-2) ?? lastTool) : undefined;
  // A mark finds what was cached a few blocks before it; further on, only a mark on that very place does.
  const far = (ends[last]?.order ?? Infinity) - (before?.order ?? 0) >= LOOK_BACK;
  const wanted = new Set([ends[last], ...(far ? [before, system.at(-1)] : [system.at(-1), before]), common].filter((spot) => spot !== undefined && !isMark(spot.mark)));
  const chosen = new Set([...wanted].slice(0, Math.max(0, MOST - marks.length - (hasAutomatic ? 1 : 0))));
  if (chosen.size === 0) return request;

  const markFor = (spot: Spot): Dict => (spot.order < lastHour ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" });
  const place = (content: unknown, spot: Spot | undefined): unknown => (spot === undefined || !chosen.has(spot) ? content : withMark(content, spot.block, markFor(spot)));
  const messages = request.messages.map((message, index) => {
    const content = place(message["content"], ends[index]);
    return content === message["content"] ? message : { ...message, content };
  });
  const changed = messages.some((message, index) => message !== request.messages[index]);
  const tools = place(request.tools, lastTool);
  const instructions = system.reduce(place, request.system);
  return {
    ...request,
    ...(tools === request.tools ? {} : { tools }),
    ...(instructions === request.system ? {} : { system: instructions }),
    ...(changed ? { messages } : {}),
  };
}

const FIVE_MINUTES = 300_000;
const HOUR = 3_600_000;

/** ms the provider keeps the conversation of this request after its last use, by the mark furthest on; undefined without any. */
export function lifetimeOf(request: ProviderRequest): number | undefined {
  const automatic = request["cache_control"];
  const last = isMark(automatic) ? { hour: lastsHour(automatic) } : survey(request).marks.at(-1);
  return last && (last.hour ? HOUR : FIVE_MINUTES);
}

const textAt = (content: unknown, spot: Spot | undefined): unknown => (spot !== undefined && Array.isArray(content) ? (content as readonly Dict[])[spot.block]?.["text"] : content);

function survey(request: ProviderRequest): Survey {
  const marks: Survey["marks"] = [];
  let order = 0;
  const visit = (block: Dict, index: number): Spot => {
    const source = isDict(block["source"]) ? block["source"] : {};
    for (const inner of [...dicts(block["content"]), ...dicts(source["content"])]) visit(inner, 0);
    order += 1;
    const mark = block["cache_control"];
    if (isMark(mark)) marks.push({ order, hour: lastsHour(mark) });
    return { order, block: index, mark };
  };
  const spotsOf = (content: unknown): Spot[] => {
    if (!Array.isArray(content)) return typeof content === "string" && content.trim() !== "" ? [{ order: (order += 1), block: 0, mark: undefined }] : [];
    return content.flatMap((block: unknown, index) => {
      if (!isDict(block)) return [];
      const spot = visit(block, index);
      return isCacheable(block) ? [spot] : [];
    });
  };
  const lastTool = (Array.isArray(request.tools) ? (request.tools as unknown[]) : []).reduce<Spot | undefined>((last, tool, index) => (isDict(tool) ? visit(tool, index) : last), undefined);
  const system = spotsOf(request.system);
  const ends = request.messages.map((message) => {
    const spot = spotsOf(message["content"]).at(-1);
    // A message with `clear_at` is not shown again, so what is cached behind it would never be read.
    return isMark(message["clear_at"]) ? undefined : spot;
  });
  return { lastTool, system, ends, marks };
}

/** Null is the same as absent, as the SDK types say. */
const isMark = (value: unknown): boolean => value !== undefined && value !== null;
const lastsHour = (mark: unknown): boolean => isDict(mark) && mark["ttl"] === "1h";

const isCacheable = (block: Dict): boolean => {
  const type = asText(block["type"]);
  return type === "text" ? asText(block["text"]).trim() !== "" : CACHEABLE.has(type) || type.endsWith("tool_result");
};

/** The message the previous call ended with: what stands before the reply that the last messages answer. */
function previousEnd(messages: readonly Message[]): number {
  const isReply = (index: number): boolean => messages[index]?.["role"] === "assistant";
  let index = messages.length - 1;
  while (index >= 0 && isReply(index)) index -= 1; // a prefilled reply belongs to this call
  while (index >= 0 && !isReply(index)) index -= 1;
  while (index >= 0 && isReply(index)) index -= 1;
  return index;
}

function withMark(content: unknown, index: number, mark: Dict): unknown {
  if (typeof content === "string") return [{ type: "text", text: content, cache_control: mark }];
  return Array.isArray(content) ? content.map((block: unknown, at) => (at === index && isDict(block) ? { ...block, cache_control: mark } : block)) : content;
}
