import { asText, type Dict, dicts, isDict } from "../../base/guards.ts";
import type { ProviderRequest } from "../../model/request.ts";

/** Blocks that take `cache_control` (SDK 1.11 types); thinking and blocks of tomorrow do not, or may not. */
const CACHEABLE = new Set([
  "text",
  "image",
  "document",
  "search_result",
  "tool_use",
  "server_tool_use",
  "mcp_tool_use",
  "container_upload",
  "compaction",
]);

/** A block that may be marked, and its place in the order the provider reads: tools, system, messages. */
export interface Spot {
  readonly order: number;
  /** Of which message; -1: of tools or system text. */
  readonly message: number;
  readonly block: number;
  readonly mark: unknown;
}

/** A cache mark there is already. */
interface Mark {
  readonly order: number;
  readonly message: number;
  readonly hour: boolean;
}

/** What the request holds already, and where a mark of ours could stand. */
export interface Survey {
  readonly marks: readonly Mark[];
  readonly lastTool: Spot | undefined;
  /** The cacheable blocks of the system text. */
  readonly system: readonly Spot[];
  /** The cacheable blocks of a message; none of one that is not shown again. */
  readonly spotsOf: (index: number) => readonly Spot[];
  /** The last cacheable block of the messages up to this one. */
  readonly endAt: (index: number) => Spot | undefined;
}

/** Null is the same as absent, as the SDK types say. */
export const isMark = (value: unknown): boolean => value !== undefined && value !== null;
export const lastsHour = (mark: unknown): boolean => isDict(mark) && mark.ttl === "1h";

const isCacheable = (block: Dict): boolean => {
  const type = asText(block.type);
  return type === "text"
    ? asText(block.text).trim() !== ""
    : CACHEABLE.has(type) || type.endsWith("tool_result");
};

/** Every block is counted, and looked at for a mark; of a history of thousands few messages are asked for their spots. */
export function survey(request: ProviderRequest): Survey {
  const marks: Mark[] = [];
  let [order, at] = [0, -1];

  const visit = (block: Dict): void => {
    const { content, source, cache_control: mark } = block;
    if (Array.isArray(content)) visitAll(content);
    if (isDict(source) && Array.isArray(source.content)) visitAll(source.content);
    order += 1;
    if (isMark(mark)) marks.push({ order, message: at, hour: lastsHour(mark) });
  };
  const visitAll = (blocks: readonly unknown[]): void => {
    for (const block of blocks) if (isDict(block)) visit(block);
  };
  const pass = (content: unknown): void => {
    if (Array.isArray(content)) visitAll(content);
    else if (isText(content)) order += 1;
  };

  if (Array.isArray(request.tools)) visitAll(request.tools);
  const tools = order;
  pass(request.system);
  const starts: number[] = [];
  for (const { content } of request.messages) {
    starts.push(order);
    at += 1;
    pass(content);
  }

  const known = new Map<number, readonly Spot[]>();
  const spotsOf = (index: number): readonly Spot[] => {
    const message = request.messages[index];
    // A message with `clear_at` is not shown again, so what is cached behind it would never be read.
    if (message === undefined || isMark(message.clear_at)) return [];
    const spots =
      known.get(index) ?? spotsIn(message.content, { message: index, from: starts[index] ?? 0 });
    known.set(index, spots);
    return spots;
  };
  return {
    marks,
    lastTool: lastToolOf(request.tools, tools),
    system: spotsIn(request.system, { message: -1, from: tools }),
    spotsOf,
    endAt: (index) => {
      for (let before = index; before >= 0; before--) {
        const last = spotsOf(before).at(-1);
        if (last !== undefined) return last;
      }
      return undefined;
    },
  };
}

const isText = (content: unknown): boolean => typeof content === "string" && content.trim() !== "";

/** The cacheable blocks of a content whose first stands behind so many others. */
function spotsIn(content: unknown, { message, from }: { message: number; from: number }): Spot[] {
  if (!Array.isArray(content))
    return isText(content) ? [{ order: from + 1, message, block: 0, mark: undefined }] : [];
  const spots: Spot[] = [];
  let order = from;
  for (const [index, block] of (content as readonly unknown[]).entries()) {
    if (!isDict(block)) continue;
    order += sizeOf(block);
    if (isCacheable(block)) spots.push({ order, message, block: index, mark: block.cache_control });
  }
  return spots;
}

/** Blocks a block is counted as: those within it, and itself. */
const sizeOf = ({ content, source }: Dict): number =>
  [...dicts(content), ...(isDict(source) ? dicts(source.content) : [])].reduce(
    (sum, inner) => sum + sizeOf(inner),
    1,
  );

function lastToolOf(tools: ProviderRequest["tools"], order: number): Spot | undefined {
  const all: readonly unknown[] = Array.isArray(tools) ? tools : [];
  const block = all.findLastIndex(isDict);
  const tool = all[block];
  return isDict(tool) ? { order, message: -1, block, mark: tool.cache_control } : undefined;
}

const FIVE_MINUTES = 300_000;
const HOUR = 3_600_000;

/** ms the provider keeps the conversation of this request after its last use, by the mark furthest on; undefined without any. */
export function lifetimeOf(request: ProviderRequest): number | undefined {
  const automatic = request.cache_control;
  const last = isMark(automatic) ? { hour: lastsHour(automatic) } : survey(request).marks.at(-1);
  return last && (last.hour ? HOUR : FIVE_MINUTES);
}
