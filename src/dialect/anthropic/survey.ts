import { asDict, asText, type Dict, isDict } from "../../base/guards.ts";
import type { ProviderRequest } from "../../model/request.ts";

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
export interface Spot {
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
export interface Survey {
  readonly marks: readonly CacheMark[];
  readonly lastTool: Spot | undefined;
  /** The cacheable blocks of the system text. */
  readonly system: readonly Spot[];
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
export function survey(request: ProviderRequest): Survey {
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
export function lifetimeOf(request: ProviderRequest): number | undefined {
  const automatic = request.cache_control;
  const last = isMark(automatic) ? { hour: lastsHour(automatic) } : survey(request).marks.at(-1);
  return last && (last.hour ? HOUR : FIVE_MINUTES);
}
