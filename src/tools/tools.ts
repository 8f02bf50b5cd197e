import { coreTools } from "./core-tools.ts";
import { memoryTools, type ToolRoom } from "./memory-tools.ts";
import { type MemoryTool, type OnTrouble, toolOf } from "./tool.ts";

export type { Block, CoreBlocks, Place, ToolRoom } from "./memory-tools.ts";
export type { InputSchema, InputValue } from "./tool.ts";
export { failed, type MemoryTool } from "./tool.ts";

export const TOOL_NAMES = [
  "memory_search",
  "memory_save",
  "memory_forget",
  "memory_list",
  "memory_read",
  "core_memory_view",
  "core_memory_append",
  "core_memory_replace",
] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

/** The tools of one identity; those of the core blocks where the room has them. */
export function toolsOf(
  room: ToolRoom,
  {
    tokens,
    only = TOOL_NAMES,
    onTrouble,
  }: { tokens: number; only?: readonly ToolName[] | undefined; onTrouble: OnTrouble },
): MemoryTool[] {
  const all = [...memoryTools(room, tokens), ...(room.core ? coreTools(room.core) : [])];
  return all
    .filter(({ name }) => only.some((wanted) => wanted === name))
    .map((work) => toolOf(work, onTrouble));
}
