import { fence } from "../text/fence.ts";
import { type Block, type CoreBlocks, memoryTools, string, type ToolRoom } from "./memory-tools.ts";
import { type KnowledgeRoom, knowledgeTools } from "./knowledge-tools.ts";
import { TOOL_NAMES, type ToolName } from "./names.ts";
import {
  failed,
  type InputValue,
  type MemoryTool,
  type OnTrouble,
  schemaOf,
  toolOf,
  type ToolWork,
} from "./tool.ts";

export type { KnowledgeRoom } from "./knowledge-tools.ts";
export {
  type Block,
  type CoreBlocks,
  fitting,
  type Outcome,
  type ToolRoom,
} from "./memory-tools.ts";
export type { InputSchema, InputValue } from "./tool.ts";
export { namesFor, TOOL_NAMES, type ToolName, type ToolNames } from "./names.ts";
export { failed, type MemoryTool } from "./tool.ts";

/** The tools of one identity; those of the core blocks where the room has them. */
export function toolsOf(
  room: ToolRoom & KnowledgeRoom,
  {
    tokens,
    only = TOOL_NAMES,
    names,
    onTrouble,
  }: {
    tokens: number;
    only?: readonly ToolName[] | undefined;
    names: (name: ToolName) => string;
    onTrouble: OnTrouble;
  },
): MemoryTool[] {
  const all = [
    ...memoryTools(room, tokens),
    ...knowledgeTools(room, tokens),
    ...(room.core ? coreTools(room.core) : []),
  ];
  return only.flatMap((wanted) => {
    const work = all.find(({ name }) => name === wanted);
    return work === undefined ? [] : [toolOf({ ...work, name: names(wanted) }, onTrouble)];
  });
}

const MOST = 2_000;
const block: InputValue = {
  type: "string",
  description: '"user": about the person. "memory": all else that must stay in view.',
  enum: ["user", "memory"],
};
const DONE = "Done. The copy in the system text changes with the next conversation or summary.";
const LONG = failed("that would make the block too long; shorten or replace some of it first.");
const blockOf = (value: unknown): Block => (value === "user" ? "user" : "memory");

/** Tools over the blocks that stand in view: the agent's own notes, few and curated. */
function coreTools(core: CoreBlocks): ToolWork[] {
  return [
    {
      name: "core_memory_view",
      description: "Read the notes that stand in your system text, as they are now.",
      schema: schemaOf({ block }, ["block"]),
      async work({ block: which }) {
        const name = blockOf(which);
        const found = await core.view(name);
        return found.trim() === "" ? "The block is empty." : fence(name, found);
      },
    },
    {
      name: "core_memory_append",
      description:
        "Add a line to the notes that stand in your system text. Only what matters in every conversation; all else goes to memory_save.",
      schema: schemaOf(
        {
          block,
          text: string("The line or lines to add.", MOST),
        },
        ["block", "text"],
      ),
      work: async ({ block: which, text }) =>
        (await core.append(blockOf(which), String(text))) === "done" ? DONE : LONG,
    },
    {
      name: "core_memory_replace",
      description:
        "Replace a passage of the notes that stand in your system text; an empty text removes it.",
      schema: schemaOf(
        {
          block,
          old: string("The passage as it stands, word for word; it must occur once.", MOST),
          text: string("What is to stand there.", MOST, 0),
        },
        ["block", "old", "text"],
      ),
      async work({ block: which, old, text }) {
        const done = await core.replace(blockOf(which), { old: String(old), text: String(text) });
        if (done === "unlike")
          return failed(
            "old does not occur exactly once in the block; read it with core_memory_view.",
          );
        return done === "long" ? LONG : DONE;
      },
    },
  ];
}
