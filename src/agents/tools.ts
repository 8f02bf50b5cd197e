import { degraded, type ErrorCode, isTidemarkError, refuse } from "../core/errors-and-events.ts";
import type { Identity, Scope } from "../core/identity.ts";
import { LEAD_CATEGORIES } from "../core/memory.ts";
import { mask } from "../core/secrets/mask.ts";
import { cleaned, label } from "../core/text/cut.ts";
import { fence } from "../core/text/fence.ts";
import { withoutComments, withoutFrontMatter } from "../core/text/markdown.ts";
import { type MemoryTool, namesFor, TOOL_NAMES } from "../core/tool-names.ts";
import { type Doings, type Ground, inAgentsHand, type Who } from "../session/ports.ts";
import { checkArguments } from "../session/options/check-arguments.ts";
import type { Tidemark, ToolOptions } from "../session/options/tidemark-api.ts";
import { headOf, markless, withHead } from "../workspace/pages/memory-page.ts";
import { refusal, underWay } from "./public-calls.ts";
import {
  category,
  findingTools,
  LONGEST_MEMORY,
  readingTools,
  type ToolGround,
  type Tools,
  writingTools,
} from "./memory-tools.ts";
import { hostTools } from "./host-tools.ts";
import { notesApi } from "./notes.ts";
import { promoteApi } from "./proposals.ts";
import { recordsApi } from "./records.ts";
import { failed, oneOf, optional, string, tool, toolOf } from "./tool-parts.ts";

/**
 * A block's file, and how many characters it may have: as many as its section of the prompt shows.
 */
const BLOCKS = {
  user: { file: "USER.md", longest: 4_000 },
  memory: { file: "MEMORY.md", longest: 8_000 },
} as const;
const MOST_CHARACTERS = 2_000;
const DONE = "Done. The copy in the system text changes with the next conversation or summary.";
const LONG = failed("that would make the block too long; shorten or replace some of it first.");
const UNLIKE = failed(
  "old does not occur exactly once in the block; read it with core_memory_view.",
);

const block = oneOf(
  '"user": about the person. "memory": all else that must stay in view.',
  "user",
  "memory",
);

/**
 * Tools over the notes an agent keeps in view, few and curated: with the person it talks to, if one
 * is named, else its own.
 */
function coreTools({ core, who }: ToolGround): Tools {
  const written = (text: string): string => markless(cleaned(mask(text)));

  /** Answers what became of it. */
  async function change(
    name: keyof typeof BLOCKS,
    made: (before: string) => string | undefined,
  ): Promise<string> {
    const { file: page, longest } = BLOCKS[name];
    const scope = (await who()).home;
    let answer = DONE;
    const edited = (file: string): string | undefined => {
      const before = name === "user" ? file : headOf(file);
      const after = made(before);
      if (after === undefined) answer = UNLIKE;
      // A text that is too long may still be shortened.
      else if (lengthShown(after) > longest && lengthShown(after) >= lengthShown(before))
        answer = LONG;
      else if (name === "memory") return withHead(file, after);
      else return after.endsWith("\n") ? after : `${after}\n`;
      return undefined;
    };
    await core.workspace.edit(page, edited, scope);
    if (name === "memory" && answer === DONE) await core.views.take(scope, "agent");
    return answer;
  }

  return {
    core_memory_view: tool({
      description: "Read the notes that stand in your system text, as they are now.",
      takes: { block },
      async work({ block: name }) {
        const found = (await core.workspace.prompt([(await who()).home]))[name];
        return found.trim() === "" ? "The block is empty." : fence(name, found);
      },
    }),
    core_memory_append: tool({
      description:
        "Add a line to the notes that stand in your system text. Only what matters in " +
        "every conversation; all else goes to memory_save.",
      takes: { block, text: string("The line or lines to add.", MOST_CHARACTERS) },
      async work({ block: name, text }) {
        const line = written(text);
        return change(name, (before) =>
          before.trim() === "" ? line : `${before.trimEnd()}\n${line}`,
        );
      },
    }),
    core_memory_replace: tool({
      description:
        "Replace a passage of the notes that stand in your system text; an empty text removes it.",
      takes: {
        block,
        old: string(
          "The passage as it stands, word for word; it must occur once.",
          MOST_CHARACTERS,
        ),
        text: string("What is to stand there.", MOST_CHARACTERS, 0),
      },
      async work({ block: name, old, text }) {
        const line = written(text);
        return change(name, (before) => {
          const at = before.indexOf(old);
          // A mark of the file's own is no text to replace.
          return at < 0 || before.lastIndexOf(old) !== at || markless(old) !== old
            ? undefined
            : before.slice(0, at) + line + before.slice(at + old.length);
        });
      },
    }),
  };
}

const lengthShown = (text: string): number => withoutComments(withoutFrontMatter(text)).length;

const LONGEST_PAGE = 20_000;

interface KnowledgeGround extends ToolGround {
  readonly identity: Identity;
  readonly fold: Tidemark["fold"];
}

/** The tools that give others what one knows. */
const sharingTools = ({ core, who, identity }: KnowledgeGround): Tools => ({
  memory_promote: tool({
    description:
      "Give a memory or note of your own to your team or project, when others need it " +
      "too. It may have to be accepted first.",
    takes: {
      id: string("The id in brackets of a memory, or a note's name.", 300),
      to: string("Where to: team:NAME or project:NAME.", 220),
    },
    async work({ id, to }) {
      // "team" is the one it is in.
      const { scopes } = await who();
      const given = { to: scopes.find((one) => one.startsWith(`${to}:`)) ?? (to as Scope) };
      const notes = notesApi(core, who);
      const isNote = /\.\w+$/.test(id) && (await notes.read(id)) !== undefined;
      const { proposal } = isNote
        ? await notes.promote(id, given)
        : await promoteApi(core, who)(id, given);
      return proposal === undefined
        ? "Moved: it is theirs too from now on."
        : "Proposed: it moves when a lead or a person accepts it.";
    },
  }),
  memory_inject:
    identity.role === "lead"
      ? tool({
          description:
            "Tell an agent of your team, or the team, something it must know from now on.",
          takes: {
            to: string("Whom: agent:NAME or team:NAME.", 220),
            content: string("What, as one sentence that stands alone.", LONGEST_MEMORY),
            category: oneOf("What kind of thing it is.", ...LEAD_CATEGORIES),
          },
          async work({ to, ...told }) {
            await (await who()).memories.inject({ to: to as Scope, ...told });
            return "Told: it stands in their next conversation.";
          },
        })
      : undefined,
});

/** The tools over records, notes, and the conversation itself. */
const pageTools = ({ core, who, fold }: KnowledgeGround): Tools => ({
  record_add: tool({
    description:
      "Keep a page that is worth having whole: a decision with its reasons, a procedure, " +
      "an incident.",
    takes: {
      category: category("decision, procedure, principle, preference, incident, or another word."),
      content: string("The page in Markdown; its first line is its title.", LONGEST_PAGE),
      name: optional(string("The file's name, without ending.", 100)),
    },
    async work(record) {
      const { id, path } = await recordsApi(core, who).add({ ...record, source: "agent" });
      return `Added ${label(path)} as ${id}.`;
    },
  }),
  record_update: tool({
    description: "Write a record anew; its old text is kept.",
    takes: {
      id: string("The id in the record's front matter.", 500),
      content: string("The whole page as it is from now on.", LONGEST_PAGE),
    },
    work: async ({ id, content }) =>
      `Changed ${label((await recordsApi(core, who).update(id, { content })).path)}.`,
  }),
  note_write: tool({
    description: "Write a note of your own, or write it anew; searches find it.",
    takes: {
      name: string("Where it stands, such as ideas/cats.md.", 300),
      content: string("The whole note.", LONGEST_PAGE),
    },
    async work({ name, content }) {
      await notesApi(core, who).write(name, content);
      return "Written.";
    },
  }),
  compact_context: tool({
    description:
      "Fold the older messages of this conversation into a summary now, when they are no " +
      "longer needed word for word.",
    takes: {},
    async work() {
      const done = await fold();
      return "refused" in done
        ? `Nothing was folded: ${done.refused}.`
        : `Folded ${done.messages} messages into a summary.`;
    },
  }),
});

/** Tokens one answer may have. */
const TOKENS = 2_000;

interface ToolsGiven {
  readonly open: () => Promise<Who>;
  readonly identity: Identity;
  readonly seen: Doings;
  readonly fold: Tidemark["fold"];
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
    return inAgentsHand(await open());
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
  const own = only.flatMap((wanted) => {
    const [name, work] = [nameOf(wanted), all[wanted]];
    if (work === undefined) return [];
    return toolOf(name, work, {
      onTrouble: (thrown) => sentenceFor(core, name, thrown),
      underWay: (answer) => underWay(core, answer),
    });
  });
  return [...own, ...hostTools(core, tokens, (name, thrown) => sentenceFor(core, name, thrown))];
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
