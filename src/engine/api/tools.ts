import {
  degraded,
  type ErrorCode,
  isTidemarkError,
  shown,
  TidemarkError,
  refuse,
} from "../../model/errors.ts";
import type { Hit, InjectInput } from "../../model/memory.ts";
import {
  failed,
  type MemoryTool,
  type KnowledgeRoom,
  namesFor,
  TOOL_NAMES,
  type ToolRoom,
  toolsOf,
  type Block,
  type CoreBlocks,
  type Outcome,
} from "../../tools/tools.ts";
import { asksToForget } from "./asks-to-forget.ts";
import { normalForm, cleaned } from "../../text/cut.ts";
import { refusal, underWay } from "./border.ts";
import { emptyQueue } from "../journal/watermark.ts";
import type { Core, Who } from "../session/core.ts";
import { conversationsOf } from "./history.ts";
import { promoteNote } from "./note-promotion.ts";
import { checkKeys, injectOptions } from "../options/options.ts";
import { search } from "./memory.ts";
import type { Tidemark, ToolOptions } from "../options/types.ts";
import { agentScope, type Identity, identityKey, type Scope } from "../../model/identity.ts";
import { withoutComments, withoutFrontMatter } from "../../text/markdown.ts";
import { preferenceWords } from "../../workspace/pages/preferences-part.ts";
import { headOf, markless, withHead } from "../../workspace/pages/memory-page.ts";
import { showOnPages } from "../journal/pages.ts";

/** Tokens one answer may have. */
const TOKENS = 2_000;
const LEAST = 300;

/** What tools are made of: an identity, and what its host can do. */
interface ToolGround {
  readonly open: () => Promise<Who>;
  readonly identity: Identity;
  readonly api: Tidemark;
  /** As the agent itself: its person has not spoken. */
  readonly promote: Tidemark["memory"]["promote"];
}

/** The tools an agent of this identity may use. Its scopes come with it: no argument of a model's reaches beyond them. */
export function toolsFor(
  core: Core,
  { open, identity, ...ground }: ToolGround,
  options: ToolOptions | undefined,
): MemoryTool[] {
  const { only, tokens = TOKENS, names, guidance } = checked(options);
  const nameOf = namesFor(names);
  core.process.toolsGiven.set(identityKey(identity), {
    names: TOOL_NAMES.map(nameOf),
    guidance,
  });
  const who = async (): Promise<Who> => {
    if (core.off) throw new TidemarkError("closed", "Tidemark is switched off.");
    return open();
  };
  const room: ToolRoom & KnowledgeRoom = {
    async search(query, { category, ...options }) {
      const asking = await who();
      if (category !== undefined) return asking.memories.recall(query, { ...options, category });
      return search(core, asking, query, { ...options, besides: inSight(core, asking, query) });
    },
    save: async (given) => (await who()).byAgent.save({ ...given, source: "agent" }),
    async forget(target) {
      const mine = await who();
      const said = core.said.get(mine.root) ?? "";
      const count = await mine.byAgent.forget(target, {
        asked: (memory) => asksToForget(said, memory),
      });
      if (count > 0) await emptyQueue(core, mine);
      return count;
    },
    list: async (asked) => (await who()).memories.list(asked),
    read: async (which) => conversationsOf(core, await who()).open(which),
    ...knowledgeRoom(core, { ...ground, identity }, who),
    core: injectOptions(core.options).as === "self-edit" ? coreBlocks(core, who) : undefined,
  };
  const tools = toolsOf(room, {
    tokens,
    only,
    names: nameOf,
    onTrouble: (tool, thrown) => sentenceFor(core, tool, thrown),
  });
  return tools.map((tool) => ({
    ...tool,
    run: (input, given) => underWay(core, tool.run(input, given ?? {})),
  }));
}

/** An agent's own words are its own, whatever its identity may do. */
function knowledgeRoom(
  core: Core,
  { api, promote, identity }: Omit<ToolGround, "open">,
  who: () => Promise<Who>,
): KnowledgeRoom {
  return {
    recall: async (query, options) => (await who()).memories.recall(query, options),
    async get(id) {
      const memory = await api.memory.get(id, { use: true });
      return memory && { memory, past: await (await who()).memories.past(id) };
    },
    update: async (id, content, version) =>
      (await who()).byAgent.update(id, { content }, { version }),
    async promote(id, to) {
      const target = to as Scope;
      const from = { scope: agentScope(identity), path: id };
      const isNote = /\.\w+$/.test(id) && (await api.notes.read(id)) !== undefined;
      const { proposal } = isNote
        ? await promoteNote(core, await who(), { from, to: target, voice: "agent" })
        : await promote(id, { to: target });
      return proposal === undefined ? "moved" : "proposed";
    },
    inject:
      identity.role === "lead"
        ? async (told) => void (await (await who()).byAgent.inject(told as InjectInput))
        : undefined,
    addRecord: (record) => api.records.add({ ...record, source: "agent" }),
    updateRecord: (id, content) => api.records.update(id, { content }),
    writeNote: (name, content) => api.notes.write(name, content),
    fold: () => api.fold(),
  };
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
  if (code === "history" && core.history.keeps.keep === "none")
    return failed("the words of past messages are not kept here.");
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
    checkKeys("tools", [options]);
    const { only, tokens, guidance } = options ?? {};
    if (
      only !== undefined &&
      !(Array.isArray(only) && only.every((name) => TOOL_NAMES.includes(name)))
    )
      refuse(`tools({ only }) takes a list of ${TOOL_NAMES.join(", ")}; got ${shown(only)}.`);
    if (tokens !== undefined && !(Number.isInteger(tokens) && tokens >= LEAST))
      refuse(`tools({ tokens }) must be a whole number from ${LEAST}, got ${shown(tokens)}.`);
    if (guidance !== undefined && guidance !== false && typeof guidance !== "string")
      refuse(`tools({ guidance }) must be a text or false, got ${shown(guidance)}.`);
    return options ?? {};
  } catch (thrown) {
    throw refusal("tools", thrown);
  }
}

/** Characters of a block: as many as its section of the prompt shows. */
const LONGEST: Readonly<Record<Block, number>> = { user: 4_000, memory: 8_000 };
const FILES = { user: "USER.md", memory: "MEMORY.md" } as const;

/** The notes an agent keeps in view: with the person it talks to, if one is named, else its own (design §7). */
function coreBlocks(core: Core, open: () => Promise<Who>): CoreBlocks {
  const written = async (text: string): Promise<string> =>
    markless(cleaned((await core.mask())(text)));

  async function change(
    block: Block,
    made: (before: string) => string | undefined,
  ): Promise<Outcome> {
    const scope = (await open()).learns;
    let outcome: Outcome = "done";
    const edited = (file: string): string | undefined => {
      const before = block === "user" ? file : headOf(file);
      const after = made(before);
      // What a preference says, and whether it holds, is its user's.
      const keeps = block === "memory" || preferenceWords(after ?? "") === preferenceWords(file);
      if (after === undefined || !keeps) outcome = "unlike";
      // What is too long may still be shortened.
      else if (lengthShown(after) > LONGEST[block] && lengthShown(after) >= lengthShown(before))
        outcome = "long";
      else if (block === "memory") return withHead(file, after);
      else return after.endsWith("\n") ? after : `${after}\n`;
      return undefined;
    };
    await core.workspace.edit(FILES[block], edited, scope);
    if (block === "memory" && outcome === "done") await showOnPages(core, [scope], "agent");
    return outcome;
  }

  return {
    view: async (block) => (await core.workspace.prompt([(await open()).learns]))[block],
    async append(block, text) {
      const line = await written(text);
      return change(block, (before) =>
        before.trim() === "" ? line : `${before.trimEnd()}\n${line}`,
      );
    },
    async replace(block, { old, text }) {
      const line = await written(text);
      return change(block, (before) => {
        const at = before.indexOf(old);
        // A mark of the file's own is no text to replace.
        if (at < 0 || before.indexOf(old, at + 1) >= 0 || markless(old) !== old) return undefined;
        return before.slice(0, at) + line + before.slice(at + old.length);
      });
    },
  };
}

const lengthShown = (text: string): number => withoutComments(withoutFrontMatter(text)).length;
