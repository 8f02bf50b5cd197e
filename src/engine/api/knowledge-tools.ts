import { agentScope, type Identity, type Scope } from "../../model/identity.ts";
import { LEAD_CATEGORIES } from "../../model/memory.ts";
import { label } from "../../text/cut.ts";
import { oneOf, optional, string, tool } from "../../tools/tool.ts";
import type { Tidemark } from "../options/types.ts";
import { category, LONGEST_MEMORY, type ToolGround, type Tools } from "./memory-tools.ts";
import { promoteNote } from "./notes.ts";

const LONGEST_PAGE = 20_000;

interface KnowledgeGround extends ToolGround {
  readonly identity: Identity;
  readonly api: Tidemark;
  /** As the agent itself: its person has not spoken. */
  readonly promote: Tidemark["memory"]["promote"];
}

/** The tools that give others what one knows. */
export const sharingTools = ({ core, who, identity, api, promote }: KnowledgeGround): Tools => ({
  memory_promote: tool({
    description:
      "Give a memory or note of your own to your team or project, when others need it " +
      "too. It may have to be accepted first.",
    takes: {
      id: string("The id in brackets of a memory, or a note's name.", 300),
      to: string("Where to: team:NAME or project:NAME.", 220),
    },
    async work({ id, to }) {
      const target = to as Scope;
      const from = { scope: agentScope(identity), path: id };
      const isNote = /\.\w+$/.test(id) && (await api.notes.read(id)) !== undefined;
      const { proposal } = isNote
        ? await promoteNote(core, await who(), { from, to: target, voice: "agent" })
        : await promote(id, { to: target });
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
            await (await who()).byAgent.inject({ to: to as Scope, ...told });
            return "Told: it stands in their next conversation.";
          },
        })
      : undefined,
});

/** The tools over records, notes, and the conversation itself. */
export const pageTools = ({ api }: KnowledgeGround): Tools => ({
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
      const { id, path } = await api.records.add({ ...record, source: "agent" });
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
      `Changed ${label((await api.records.update(id, { content })).path)}.`,
  }),
  note_write: tool({
    description: "Write a note of your own, or write it anew; searches find it.",
    takes: {
      name: string("Where it stands, such as ideas/cats.md.", 300),
      content: string("The whole note.", LONGEST_PAGE),
    },
    async work({ name, content }) {
      await api.notes.write(name, content);
      return "Written.";
    },
  }),
  compact_context: tool({
    description:
      "Fold the older messages of this conversation into a summary now, when they are no " +
      "longer needed word for word.",
    takes: {},
    async work() {
      const done = await api.fold();
      return "refused" in done
        ? `Nothing was folded: ${done.refused}.`
        : `Folded ${done.messages} messages into a summary.`;
    },
  }),
});
