import { degraded, type ErrorCode, isTidemarkError, refuse } from "../../model/errors.ts";
import type { Identity } from "../../model/identity.ts";
import { namesFor, TOOL_NAMES } from "../../tools/names.ts";
import type { MemoryTool } from "../../tools/memory-tool.ts";
import { failed, toolOf } from "../../tools/tool.ts";
import { checkArguments } from "../options/check-arguments.ts";
import type { Tidemark, ToolOptions } from "../options/types.ts";
import type { Doings, Ground, Who } from "../session/core.ts";
import { refusal, underWay } from "./border.ts";
import { coreTools } from "./core-tools.ts";
import { pageTools, sharingTools } from "./knowledge-tools.ts";
import {
  findingTools,
  readingTools,
  type ToolGround,
  type Tools,
  writingTools,
} from "./memory-tools.ts";

/** Tokens one answer may have. */
const TOKENS = 2_000;

interface ToolsGiven {
  readonly open: () => Promise<Who>;
  readonly identity: Identity;
  readonly seen: Doings;
  readonly api: Tidemark;
  readonly promote: Tidemark["memory"]["promote"];
}

/** The tools an agent of this identity may use. */
export function toolsFor(
  core: ToolGround["core"],
  { open, identity, seen, ...given }: ToolsGiven,
  options: ToolOptions | undefined,
): MemoryTool[] {
  const { only = TOOL_NAMES, tokens = TOKENS, names, guidance } = checked(options);
  const nameOf = namesFor(names);
  seen.tools = { names: TOOL_NAMES.map(nameOf), guidance };
  const who = async (): Promise<Who> => {
    if (core.off) refuse("Tidemark is switched off.", "closed");
    return open();
  };
  const ground = { core, who, tokens, identity, ...given };
  const all: Tools = {
    ...findingTools(ground),
    ...readingTools(ground),
    ...writingTools(ground),
    ...sharingTools(ground),
    ...pageTools(ground),
    ...(core.inject === "self-edit" && coreTools(ground)),
  };
  return only.flatMap((wanted) => {
    const work = all[wanted];
    if (work === undefined) return [];
    const tool = toolOf(nameOf(wanted), work, (name, thrown) => sentenceFor(core, name, thrown));
    return {
      ...tool,
      run: (input: unknown, how?: Parameters<MemoryTool["run"]>[1]) =>
        underWay(core, tool.run(input, how)),
    };
  });
}

/** A model reads fixed words on trouble: an error may hold a path, or words out of its sight. */
function sentenceFor(core: Ground, tool: string, thrown: unknown): string {
  const code = isTidemarkError(thrown) ? thrown.code : undefined;
  const sentence = code && SENTENCES[code];
  if (sentence) return failed(sentence);
  core.emit(degraded(`tool ${tool}`, thrown));
  return failed("memory could not do this now; go on without it.");
}
const SENTENCES: Partial<Record<ErrorCode, string>> = {
  closed: "memory is closed.",
  "scope-denied": "this may be read here, but not changed.",
  config: "memory cannot take this; say it otherwise.",
  "not-found": "there is no such memory, note or record.",
  conflict: "it says something else by now; read it again and repeat the change on that.",
};

function checked(options: ToolOptions | undefined): ToolOptions {
  try {
    checkArguments("tools", [options]);
    return options ?? {};
  } catch (thrown) {
    throw refusal("tools", thrown);
  }
}
