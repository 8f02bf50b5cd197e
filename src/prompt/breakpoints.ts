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
  /** Of which message; -1: of tools or system text. */
  readonly message: number;
  readonly block: number;
  readonly mark: unknown;
}

/** What the request holds already, and where a mark of ours could stand. */
interface Survey {
  readonly marks: { readonly order: number; readonly message: number; readonly hour: boolean }[];
  readonly lastTool: Spot | undefined;
  /** The cacheable blocks of the system text. */
  readonly system: readonly Spot[];
  /** The cacheable blocks of each message; none of one that is not shown again. */
  readonly spots: readonly (readonly Spot[])[];
  /** The last of them. */
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
 * however many blocks lie between, and a fold leaves the caller's own tools and rules warm. Where the caller's marks leave one
 * only, it follows the end as far as it still finds what the call before wrote. `tokens` is the size of the prompt.
 * Never more than four in all, never on a block that has one; the same reference when nothing is added.
 */
export function markCache(request: ProviderRequest, tokens: number, { least = capabilitiesOf(asText(request.model)).cacheMinimumTokens, ours = "" }: CacheHints = {}): ProviderRequest {
  if (tokens < least) return request;
  const surveyed = survey(request);
  const { marks, lastTool, system, ends } = surveyed;
  const automatic = request["cache_control"];
  const hasAutomatic = isMark(automatic);
  // The provider refuses a one-hour mark behind a five-minute one, so ours last an hour where the caller's later ones do.
  // The mark on the request adds none where its last block has one.
  const lastHour = hasAutomatic && lastsHour(automatic) && !isMark(ends.findLast((spot) => spot !== undefined)?.mark) ? Infinity : Math.max(-1, ...marks.filter((mark) => mark.hour).map((mark) => mark.order));

  // A mark on the request itself stands for one on its last block.
  const last = hasAutomatic ? -1 : ends.findLastIndex((spot) => spot !== undefined);
  const [before, perhaps] = previousEnds(request.messages).map((index) => ends.slice(0, index + 1).findLast((spot) => spot !== undefined));
  const common = ours !== "" && textAt(request.system, system.at(-1)) === ours ? (system.at(-2) ?? lastTool) : undefined;
  // A mark finds what was cached a few blocks before it; further on, only a mark on that very place does.
  const finds = (spot: Spot | undefined, marked: readonly (Spot | undefined)[]): boolean => spot === undefined || marked.some((mark) => mark !== undefined && mark.order >= spot.order && mark.order - spot.order < LOOK_BACK);
  const far = finds(before, [ends[last]]) ? [] : [before];
  if (!finds(perhaps, [ends[last], before])) far.push(perhaps);
  const free = Math.max(0, MOST - marks.length - (hasAutomatic ? 1 : 0));
  const end = free === 1 && ends[last] !== undefined && !isMark(ends[last].mark) ? follow(request.messages, surveyed) : ends[last];
  const wanted = new Set([end, ...far, system.at(-1), before, common].filter((spot) => spot !== undefined && !isMark(spot.mark)));
  const chosen = new Set([...wanted].slice(0, free));
  if (chosen.size === 0) return request;

  const markFor = (spot: Spot): Dict => (spot.order < lastHour ? { type: "ephemeral", ttl: "1h" } : { type: "ephemeral" });
  const place = (content: unknown, spot: Spot | undefined): unknown => (spot === undefined || !chosen.has(spot) ? content : withMark(content, spot.block, markFor(spot)));
  const byMessage = new Map([...chosen].map((spot) => [spot?.message, spot]));
  const messages = request.messages.map((message, index) => {
    const content = place(message["content"], byMessage.get(index));
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

/**
 * A request that ends otherwise than its caller's, or was put together from two. The automatic mark stays as long as the provider
 * takes it beside the marks there are, now that it falls on another block: as no fifth, and not for an hour behind one of five minutes.
 */
export function withinMarks(request: ProviderRequest): ProviderRequest {
  const { cache_control: automatic, ...rest } = request;
  if (!isMark(automatic)) return request;
  const { marks, ends } = survey(request);
  if (isMark(ends.findLast((spot) => spot !== undefined)?.mark)) return request;
  return marks.length < MOST && !(lastsHour(automatic) && marks.some(({ hour }) => !hour)) ? request : rest;
}

const FIVE_MINUTES = 300_000;
const HOUR = 3_600_000;

/** ms the provider keeps the conversation of this request after its last use, by the mark furthest on; undefined without any. */
export function lifetimeOf(request: ProviderRequest): number | undefined {
  const automatic = request["cache_control"];
  const last = isMark(automatic) ? { hour: lastsHour(automatic) } : survey(request).marks.at(-1);
  return last && (last.hour ? HOUR : FIVE_MINUTES);
}

/** Ours live for an hour only where one of the caller's does. */
export function asksForAnHour({ cache_control, tools, system, messages }: ProviderRequest): boolean {
  const asks = (block: Dict): boolean => lastsHour(block["cache_control"]) || dicts(block["content"]).some(asks);
  return lastsHour(cache_control) || dicts(tools).some(asks) || dicts(system).some(asks) || messages.some(({ content }) => dicts(content).some(asks));
}

/** How many messages stand before the end of the last mark that lives for an hour; undefined where none does. */
export function hourReach(request: ProviderRequest): number | undefined {
  const automatic = request["cache_control"];
  if (isMark(automatic) && lastsHour(automatic)) return request.messages.length;
  const last = survey(request).marks.findLast(({ hour }) => hour);
  return last && last.message + 1;
}

/**
 * Where the one mark there is goes. From a mark the provider looks back only so far, so one at the end of a long turn would
 * find nothing of what stands before it. It goes on from where the call before had it, as far as it finds that place again,
 * and is at the end when turns are short again. What stays behind it is paid in full with every call: where that comes to more
 * than what would be written anew, it goes to the end at once. Where it was follows from the conversation, so nothing is remembered.
 */
function follow(messages: readonly Message[], { spots, ends, marks }: Survey): Spot | undefined {
  const open = spots.flat().filter(({ mark }) => !isMark(mark));
  const theirs = marks.filter(({ message }) => message >= 0);
  const head = marks.findLast(({ message }) => message < 0)?.order ?? 0;
  let behind = 0;
  let [at, end, before]: (Spot | undefined)[] = [];
  messages.forEach((message, index) => {
    end = ends[index] ?? end;
    const ended = index === messages.length - 1 || (isReply(messages[index + 1]) && (!isReply(message) || isPaused(message)));
    if (!ended || end === undefined) return;
    const [to, last] = [end.order, before?.order ?? 0];
    const found = Math.max(at?.order ?? 0, ...theirs.flatMap(({ order }) => (order <= last ? [order] : [])));
    const near = to - found < LOOK_BACK || behind + to - found - LOOK_BACK >= found - head;
    at = at === undefined || near ? end : (open.findLast(({ order }) => order > found && order - found < LOOK_BACK) ?? end);
    behind = at === end ? 0 : behind + to - at.order;
    before = end;
  });
  return at;
}

const textAt = (content: unknown, spot: Spot | undefined): unknown => (spot !== undefined && Array.isArray(content) ? (content as readonly Dict[])[spot.block]?.["text"] : content);

function survey(request: ProviderRequest): Survey {
  const marks: Survey["marks"] = [];
  let [order, at] = [0, -1];
  const visit = (block: Dict, index: number): Spot => {
    const source = isDict(block["source"]) ? block["source"] : {};
    for (const inner of [...dicts(block["content"]), ...dicts(source["content"])]) visit(inner, 0);
    order += 1;
    const mark = block["cache_control"];
    if (isMark(mark)) marks.push({ order, message: at, hour: lastsHour(mark) });
    return { order, message: at, block: index, mark };
  };
  const spotsOf = (content: unknown): Spot[] => {
    if (!Array.isArray(content)) return typeof content === "string" && content.trim() !== "" ? [{ order: (order += 1), message: at, block: 0, mark: undefined }] : [];
    return content.flatMap((block: unknown, index) => {
      if (!isDict(block)) return [];
      const spot = visit(block, index);
      return isCacheable(block) ? [spot] : [];
    });
  };
  const lastTool = (Array.isArray(request.tools) ? (request.tools as unknown[]) : []).reduce<Spot | undefined>((last, tool, index) => (isDict(tool) ? visit(tool, index) : last), undefined);
  const system = spotsOf(request.system);
  const spots = request.messages.map((message, index) => {
    at = index;
    const found = spotsOf(message["content"]);
    // A message with `clear_at` is not shown again, so what is cached behind it would never be read.
    return isMark(message["clear_at"]) ? [] : found;
  });
  return { lastTool, system, spots, ends: spots.map((found) => found.at(-1)), marks };
}

/** Null is the same as absent, as the SDK types say. */
const isMark = (value: unknown): boolean => value !== undefined && value !== null;
const lastsHour = (mark: unknown): boolean => isDict(mark) && mark["ttl"] === "1h";

const isCacheable = (block: Dict): boolean => {
  const type = asText(block["type"]);
  return type === "text" ? asText(block["text"]).trim() !== "" : CACHEABLE.has(type) || type.endsWith("tool_result");
};

/**
 * The messages the previous call may have ended with, the likelier first: the one before the last reply. Where replies stand in a
 * row, the provider has paused and gone on, or the caller sends one reply as several messages: then it is the reply before or
 * what the first of them answers.
 */
function previousEnds(messages: readonly Message[]): number[] {
  let last = messages.length - 1;
  while (isReply(messages[last]) && !isPaused(messages[last])) last -= 1; // a prefilled reply belongs to this call
  const answered = messages.findLastIndex((_, index) => index < last && isReply(messages[index + 1]));
  if (!isReply(messages[answered])) return [answered];
  const spoken = messages.findLastIndex((message, index) => index < answered && !isReply(message));
  return isPaused(messages[answered]) ? [answered, spoken] : [spoken, answered];
}

/** A turn is paused while tools of the provider run, so it ends with a block of theirs. */
function isPaused(message: Message | undefined): boolean {
  const type = isReply(message) ? asText(dicts(message?.["content"]).at(-1)?.["type"]) : "";
  return type !== "tool_use" && (type.endsWith("_tool_use") || type.endsWith("_tool_result"));
}

const isReply = (message: Message | undefined): boolean => message?.["role"] === "assistant";

function withMark(content: unknown, index: number, mark: Dict): unknown {
  if (typeof content === "string") return [{ type: "text", text: content, cache_control: mark }];
  return Array.isArray(content) ? content.map((block: unknown, at) => (at === index && isDict(block) ? { ...block, cache_control: mark } : block)) : content;
}
