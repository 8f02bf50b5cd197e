import { shown, refuse } from "../model/errors.ts";
import { isDict } from "../base/guards.ts";

export const TOOL_NAMES = [
  "memory_search",
  "memory_recall",
  "memory_get",
  "memory_list",
  "memory_read",
  "memory_save",
  "memory_update",
  "memory_forget",
  "memory_promote",
  "memory_inject",
  "record_add",
  "record_update",
  "note_write",
  "compact_context",
  "core_memory_view",
  "core_memory_append",
  "core_memory_replace",
] as const;
export type ToolName = (typeof TOOL_NAMES)[number];

/** Names of tools where a host came from; tools that are not named keep their own. */
const SETS: Readonly<Record<string, Partial<Record<ToolName, string>>>> = {
  pynchy: {
    memory_save: "save_memory",
    memory_recall: "recall_memories",
    memory_forget: "forget_memory",
    memory_list: "list_memories",
  },
  "agent-swarm": {
    memory_search: "memory-search",
    memory_get: "memory-get",
    memory_save: "memory-store",
    memory_update: "memory-edit",
    memory_forget: "memory-delete",
    memory_inject: "inject-learning",
  },
  synthorg: { memory_search: "search_memory", memory_get: "recall_memory" },
};

export type ToolNames = Partial<Record<ToolName, string>> | keyof typeof SETS;

/** What each tool is called. Throws "config" for names that a model's API would refuse. */
export function namesFor(given: unknown): (name: ToolName) => string {
  if (given === undefined) return (name) => name;
  const set = typeof given === "string" && Object.hasOwn(SETS, given) ? SETS[given] : given;
  if (!isDict(set))
    refuse(
      `tools({ names }) takes { memory_save: "save_memory", … } or one of ${Object.keys(SETS).join(", ")}, got ${shown(given)}.`,
    );
  for (const [name, wanted] of Object.entries(set)) {
    if (!TOOL_NAMES.some((known) => known === name))
      refuse(`tools({ names }) knows no tool "${name}".`);
    if (typeof wanted !== "string" || !/^[\w-]{1,64}$/.test(wanted))
      refuse(
        `tools({ names: { ${name} } }) must be 1 to 64 letters, digits, "_" and "-", got ${shown(wanted)}.`,
      );
  }
  const named = set as Partial<Record<ToolName, string>>;
  const all = TOOL_NAMES.map((name) => named[name] ?? name);
  const double = all.find((name, at) => all.indexOf(name) !== at);
  if (double !== undefined) refuse(`tools({ names }) calls two tools "${double}".`);
  return (name) => named[name] ?? name;
}
