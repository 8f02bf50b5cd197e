import { either, type Given, is, oneOf, options, where } from "./schema.ts";

/**
 * A tool for an agent, in no provider's own form. `run` answers text for the model, also where the
 * input is wrong.
 */
export interface MemoryTool {
  name: string;
  description: string;
  /** JSON Schema of `input`. */
  schema: InputSchema;
  /**
   * `input` as the model gave it: an object, or its JSON. Rejects only when `signal` is aborted.
   */
  run(input: unknown, options?: { signal?: AbortSignal | null | undefined }): Promise<string>;
}

// Not readonly: the SDKs' own types for a schema are not.
export interface InputSchema {
  [other: string]: unknown;
  type: "object";
  properties: Record<string, object>;
  required: string[];
  additionalProperties: false;
}

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

type Renamed = Partial<Record<ToolName, string>>;
export type ToolNames = Renamed | keyof typeof SETS;

// A model's API would refuse another one.
const NAME = is<string>(
  '1 to 64 letters, digits, "_" and "-"',
  (value) => typeof value === "string" && /^[\w-]{1,64}$/.test(value),
);
export const NAMES = either(
  `{ memory_save: "save_memory", … } or one of ${Object.keys(SETS).join(", ")}`,
  oneOf(...Object.keys(SETS)),
  where(
    options<Renamed>(Object.fromEntries(TOOL_NAMES.map((name) => [name, NAME])) as Given<Renamed>),
    "of names that differ",
    (renamed) => {
      const all = TOOL_NAMES.map((name) => renamed[name] ?? name);
      return new Set(all).size === all.length;
    },
  ),
);

export function namesFor(given: ToolNames = {}): (name: ToolName) => string {
  const renamed = typeof given === "string" ? SETS[given] : given;
  return (name) => renamed?.[name] ?? name;
}
