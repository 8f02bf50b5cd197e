import { type Placed } from "../../history/sessions.ts";
import { type Dict, dicts, isDict } from "../../model/guards.ts";
import { type ProviderRequest } from "../../model/request.ts";
import { isCorrection, isRebuke } from "../../distil/cues/correction.ts";
import { isQuestion } from "../../distil/extract/specific.ts";
import { sentences } from "../../text/sentences.ts";
import { toolName } from "../../workspace/learnings.ts";
import { type Call } from "../core.ts";

/** A correction comes first in a message, and says what it has to say in a few sentences. */
const FIRST = 3;
/** An OpenAI result has no mark of failure: it is told by how it begins. */
const FAILED = /^\W{0,3}(?:error|exception|traceback|failed|fatal)\b/i;
/** A correction is a remark; a page that begins with "no" is something else. */
const LONGEST = 2_000;
/** The last messages of a request: those before were there when Tidemark was not, or were looked at in their turn. */
const NEWEST = 12;

const nameOf = (tool: Dict): unknown => (isDict(tool.function) ? tool.function.name : tool.name);

const isOffered = ({ tools }: ProviderRequest, name: string): boolean => dicts(tools).some((tool) => nameOf(tool) === name);

/** "No, …" to a question answers it, whatever follows; a rule in answer to what was done corrects that. */
function correctsReply(text: string, reply: string): boolean {
  const said = sentences(text).slice(0, FIRST).map((sentence) => sentence.text);
  const asked = isQuestion(reply);
  return said.some((sentence) => isCorrection(sentence) || (!asked && isRebuke(sentence)));
}

/** Tool errors and corrections, noted as they pass: by rules, without a model. They are told at once, and written when what this returns is called: the turn does not wait for its own lessons. */
export function noteLessons(call: Call, placed: Placed): () => void {
  const { core, who, dialect, conversation } = call;
  const at = core.now();
  const lessons: (() => Promise<unknown>)[] = [];
  const from = Math.max(placed.added, conversation.length - NEWEST);
  conversation.slice(from).forEach((message, offset) => {
    const index = from + offset;
    for (const { id, text, failed } of dialect.results(message)) {
      if (!failed && !(dialect.format === "openai-chat" && FAILED.test(text))) continue;
      const before = conversation.slice(Math.max(0, index - NEWEST), index);
      const made = before.flatMap((earlier) => dialect.calls(earlier)).findLast((one) => one.id === id);
      // A name that a model made up is words like any other.
      const tool = made !== undefined && (made.server || isOffered(call.request, made.name)) ? made.name : "tool";
      core.emit({ type: "learned", what: "error", tool: toolName(tool), characters: text.length });
      // With the person: what a tool says of one user is not for the next.
      lessons.push(async () => {
        const mask = await core.mask();
        await core.workspace.learn({ kind: "error", tool: mask(tool), text: mask(text), at }, who.learns);
      });
    }
    if (dialect.speaker(message) !== "user") return;
    const text = dialect.text(message);
    const reply = conversation.slice(0, index).findLast((earlier) => dialect.speaker(earlier) === "assistant");
    if (!reply || text.length > LONGEST || !correctsReply(text, dialect.text(reply))) return;
    lessons.push(async () => {
      const mask = await core.mask();
      core.emit({ type: "learned", what: "correction", characters: text.length });
      await core.workspace.learn({ kind: "correction", text: mask(text), reply: mask(dialect.text(reply)), at }, who.learns);
    });
  });
  return () => lessons.forEach((lesson) => core.background.run(lesson()));
}
