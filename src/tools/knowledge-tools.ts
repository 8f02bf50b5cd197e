import {
  type Hit,
  LEAD_CATEGORIES,
  type Memory,
  voiceOf,
  isTrusted,
  type Origin,
} from "../model/memory.ts";
import { cleaned, label } from "../text/cut.ts";
import { fence } from "../text/fence.ts";
import {
  category,
  integer,
  listing,
  memoryLine,
  NOTHING,
  string,
  text,
  given,
} from "./memory-tools.ts";
import { failed, schemaOf, type ToolWork } from "./tool.ts";

/** What tools beside the plain ones need, for one identity. */
export interface KnowledgeRoom {
  recall(
    query: string,
    options: { category: string | undefined; limit: number },
  ): Promise<readonly Hit[]>;
  /** The memory, and what it said before, the latest first. */
  get(id: string): Promise<{ memory: Memory; past: readonly Memory[] } | undefined>;
  update(id: string, content: string, version: number): Promise<Memory>;
  /** Moves it, or answers that the move waits to be accepted. */
  promote(id: string, to: string): Promise<"moved" | "proposed">;
  /** Absent where the identity is no lead. */
  readonly inject?:
    ((told: { to: string; content: string; category: string }) => Promise<void>) | undefined;
  addRecord(record: {
    category: string;
    content: string;
    name?: string;
  }): Promise<{ id: string; path: string }>;
  updateRecord(id: string, content: string): Promise<{ path: string }>;
  writeNote(name: string, content: string): Promise<void>;
  /** Folds the conversation now, or says why not. */
  fold(): Promise<{ messages: number } | { refused: string }>;
}

const injectTool = (inject: NonNullable<KnowledgeRoom["inject"]>): ToolWork => ({
  name: "memory_inject",
  description: "Tell an agent of your team, or the team, something it must know from now on.",
  schema: schemaOf(
    {
      to: string("Whom: agent:NAME or team:NAME.", 220),
      content: string("What, as one sentence that stands alone.", LONGEST),
      category: {
        type: "string",
        description: "What kind of thing it is.",
        enum: [...LEAD_CATEGORIES],
      },
    },
    ["to", "content", "category"],
  ),
  async work({ to, content, category: of }) {
    await inject({ to: text(to), content: text(content), category: text(of) });
    return "Told: it stands in their next conversation.";
  },
});

const LONGEST = 4_000;
const LONGEST_PAGE = 20_000;
const DEFAULT = 8;

export const knowledgeTools = (room: KnowledgeRoom, tokens: number): ToolWork[] => [
  ...memoryOnes(room, tokens),
  promoteTool(room),
  ...(room.inject === undefined ? [] : [injectTool(room.inject)]),
  ...pageOnes(room),
];

const markOf = (origin: Origin): string => (isTrusted(origin) ? "" : ", unverified");

const memoryOnes = (room: KnowledgeRoom, tokens: number): ToolWork[] => [
  {
    name: "memory_recall",
    description:
      "Recall facts from long-term memory, the best first; of one category, if you name it.",
    schema: schemaOf(
      {
        query: string("What to recall, as a question or a few words.", 1_000),
        category: category("Only facts of this category."),
        limit: integer("At most so many. Default 8.", 30),
      },
      ["query"],
    ),
    async work({ query, category: only, limit }) {
      const hits = await room.recall(text(query), {
        category: given(only),
        limit: typeof limit === "number" ? limit : DEFAULT,
      });
      const lines = hits.flatMap(({ memory, text: said }) =>
        memory === undefined ? [] : [memoryLine(memory, said)],
      );
      return lines.length === 0 ? NOTHING : listing(lines, tokens);
    },
  },
  {
    name: "memory_get",
    description:
      "Read one memory whole, with its version and what it said before. Counts as use: what is used lives longer.",
    schema: schemaOf({ id: string("The id in brackets of a memory.", 200) }, ["id"]),
    async work({ id }) {
      const found = await room.get(text(id));
      if (found === undefined) return failed("there is no such memory.");
      const { memory, past } = found;
      const lines = [
        `[${memory.id}] version ${memory.version}, ${label(memory.category)}, from ${voiceOf(memory)}${markOf(memory.origin)}`,
        cleaned(memory.content),
        ...past.map(
          ({ content, version, origin }) =>
            `Before, version ${version}${markOf(origin)}: ${cleaned(content)}`,
        ),
      ];
      return fence("memory", lines.join("\n"));
    },
  },
  {
    name: "memory_update",
    description:
      "Change what one memory says. Needs the version you read with memory_get, so that nothing newer is overwritten.",
    schema: schemaOf(
      {
        id: string("The id in brackets of a memory.", 200),
        content: string("What it says from now on, as one sentence.", LONGEST),
        version: integer("The version you read.", 1_000_000),
      },
      ["id", "content", "version"],
    ),
    async work({ id, content, version }) {
      const changed = await room.update(text(id), text(content), Number(version));
      return `Changed: version ${changed.version}.`;
    },
  },
];

const promoteTool = (room: KnowledgeRoom): ToolWork => ({
  name: "memory_promote",
  description:
    "Give a memory or note of your own to your team or project, when others need it too. It may have to be accepted first.",
  schema: schemaOf(
    {
      id: string("The id in brackets of a memory, or a note's name.", 300),
      to: string("Where to: team:NAME or project:NAME.", 220),
    },
    ["id", "to"],
  ),
  work: async ({ id, to }) =>
    (await room.promote(text(id), text(to))) === "moved"
      ? "Moved: it is theirs too from now on."
      : "Proposed: it moves when a lead or a person accepts it.",
});

const pageOnes = (room: KnowledgeRoom): ToolWork[] => [
  {
    name: "record_add",
    description:
      "Keep a page that is worth having whole: a decision with its reasons, a procedure, an incident.",
    schema: schemaOf(
      {
        category: category(
          "decision, procedure, principle, preference, incident, or another word.",
        ),
        content: string("The page in Markdown; its first line is its title.", LONGEST_PAGE),
        name: string("The file's name, without ending.", 100),
      },
      ["category", "content"],
    ),
    async work({ category: of, content, name }) {
      const { id, path } = await room.addRecord({
        category: text(of),
        content: text(content),
        name: given(name),
      });
      return `Added ${label(path)} as ${id}.`;
    },
  },
  {
    name: "record_update",
    description: "Write a record anew; its old text is kept.",
    schema: schemaOf(
      {
        id: string("The id in the record's front matter.", 500),
        content: string("The whole page as it is from now on.", LONGEST_PAGE),
      },
      ["id", "content"],
    ),
    work: async ({ id, content }) =>
      `Changed ${label((await room.updateRecord(text(id), text(content))).path)}.`,
  },
  {
    name: "note_write",
    description: "Write a note of your own, or write it anew; searches find it.",
    schema: schemaOf(
      {
        name: string("Where it stands, such as ideas/cats.md.", 300),
        content: string("The whole note.", LONGEST_PAGE),
      },
      ["name", "content"],
    ),
    async work({ name, content }) {
      await room.writeNote(text(name), text(content));
      return "Written.";
    },
  },
  {
    name: "compact_context",
    description:
      "Fold the older messages of this conversation into a summary now, when they are no longer needed word for word.",
    schema: schemaOf({}),
    async work() {
      const done = await room.fold();
      return "refused" in done
        ? `Nothing was folded: ${done.refused}.`
        : `Folded ${done.messages} messages into a summary.`;
    },
  },
];
