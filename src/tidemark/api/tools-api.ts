import { defined } from "../../model/defined.ts";
import { isTidemarkError, shown, TidemarkError, troubleOf } from "../../model/errors.ts";
import { type Hit } from "../../model/memory.ts";
import { isDict } from "../../model/guards.ts";
import {
  failed,
  type MemoryTool,
  TOOL_NAMES,
  type ToolName,
  type ToolRoom,
  toolsOf,
} from "../../tools/tools.ts";
import { normalForm } from "../../text/one-line.ts";
import { asksToForget } from "../../text/asks-to-forget.ts";
import { refusal, underWay } from "../border.ts";
import { emptyQueue } from "../behind/rest-read.ts";
import { type Core, type Who } from "../core.ts";
import { archiveOf } from "./history-api.ts";
import { coreBlocks } from "./tools-core.ts";
import { checkKeys } from "../known-keys.ts";
import { search } from "./search.ts";
import { injectOptions } from "../options.ts";
import { type ToolOptions } from "../types.ts";

/** Tokens one answer may have. */
const TOKENS = 2_000;
const LEAST = 300;

/** The tools an agent of this identity may use. Its scopes come with it: no argument of a model's reaches beyond them. */
export function toolsFor(
  core: Core,
  open: () => Promise<Who>,
  options: ToolOptions | undefined,
): MemoryTool[] {
  const { only, tokens = TOKENS } = checked(options);
  core.hasTools = true;
  const who = async (): Promise<Who> => {
    if (core.off) throw new TidemarkError("closed", "Tidemark is switched off.");
    return open();
  };
  const room: ToolRoom = {
    async search(query, { in: places, category, limit }) {
      const asking = await who();
      if (category !== undefined) return asking.memories.recall(query, { limit, category });
      return search(core, asking, query, {
        limit,
        ...defined({ in: places }),
        besides: inSight(core, asking, query),
      });
    },
    save: async (given) => (await who()).byAgent.save({ ...given, source: "agent" }),
    async forget(which) {
      const mine = await who();
      const said = core.said.get(mine.root) ?? "";
      const target = "id" in which ? which.id : which;
      const count = await mine.byAgent.forget(target, {
        asked: (memory) => asksToForget(said, memory),
      });
      if (count > 0) await emptyQueue(core, mine);
      return count;
    },
    list: async (asked) => (await who()).memories.list(asked),
    async read(which) {
      return archiveOf(core, await who()).open(
        "summary" in which ? { fold: which.summary } : which,
      );
    },
    ...(injectOptions(core.options).as === "self-edit" ? { core: coreBlocks(core, who) } : {}),
  };
  const tools = toolsOf(room, {
    tokens,
    only,
    onTrouble: (tool, thrown) => sentenceFor(core, tool, thrown),
  });
  return tools.map((tool) => ({
    ...tool,
    run: (input, given) => underWay(core, tool.run(input, given ?? {})),
  }));
}

/** What the agent has before it: its conversation from where the last fold ends, and its own question wherever it stands. */
function inSight({ newest }: Core, { root }: Who, query: string): (hit: Hit) => boolean {
  const { session, from } = newest.get(root) ?? {};
  const asked = normalForm(query);
  return ({ id, source, text }) => {
    const place = Number(/#(\d+)/.exec(id)?.[1]);
    return (
      (source === session && from !== undefined && place >= from) || normalForm(text) === asked
    );
  };
}

/** What a model may read of trouble: fixed words, with no path and nothing out of sight in them. */
function sentenceFor(core: Core, tool: string, thrown: unknown): string {
  const code = isTidemarkError(thrown) ? thrown.code : undefined;
  if (code === "closed") return failed("memory is closed.");
  if (code === "scope-denied") return failed("this may be read here, but not changed.");
  if (code === "config") return failed("memory cannot take this; say it otherwise.");
  if (code === "history" && core.history.keeps.keep === "none")
    return failed("the words of past messages are not kept here.");
  core.emit({ type: "degraded", where: `tool ${tool}`, ...troubleOf(thrown) });
  return failed("memory could not do this now; go on without it.");
}

function checked(options: ToolOptions | undefined): ToolOptions {
  try {
    checkKeys("tools", [options]);
    if (options === undefined || options === null) return {};
    if (!isDict(options))
      throw new TidemarkError(
        "config",
        `tools() takes an object such as { only: ["memory_search"] }, or nothing; got ${shown(options)}.`,
      );
    const { only, tokens, ...other } = options;
    const [unknown] = Object.keys(other);
    if (unknown !== undefined)
      throw new TidemarkError(
        "config",
        `tools() knows no option "${unknown}"; it knows only, tokens.`,
      );
    if (
      only !== undefined &&
      !(Array.isArray(only) && only.every((name) => TOOL_NAMES.includes(name as ToolName)))
    )
      throw new TidemarkError(
        "config",
        `tools({ only }) takes a list of ${TOOL_NAMES.join(", ")}; got ${shown(only)}.`,
      );
    if (
      tokens !== undefined &&
      !(typeof tokens === "number" && Number.isInteger(tokens) && tokens >= LEAST)
    )
      throw new TidemarkError(
        "config",
        `tools({ tokens }) must be a whole number from ${LEAST}, got ${shown(tokens)}.`,
      );
    return options;
  } catch (thrown) {
    throw refusal("tools", thrown);
  }
}
