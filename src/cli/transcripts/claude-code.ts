import { asText, dicts, isDict, type Dict } from "../../base/guards.ts";
import { type Message } from "../../model/request.ts";
import { count } from "../render/numbers.ts";
import { NoConversation, type Conversation } from "./messages.ts";

const KINDS = new Set([
  "user",
  "assistant",
  "system",
  "summary",
  "progress",
  "file-history-snapshot",
  "queue-operation",
]);

/** A line of a Claude Code session log, as against a bare message. */
export const isClaudeCodeLine = (line: Dict): boolean =>
  KINDS.has(asText(line.type)) &&
  line.role === undefined &&
  (isDict(line.message) || "sessionId" in line || "messageId" in line || "leafUuid" in line);

/** A message while its lines are being gathered. */
interface Draft {
  readonly role: "user" | "assistant";
  content: Dict[];
}

/**
 * A session log as the messages the model saw. One reply is spread over several lines with one `message.id`, with results
 * between them; lines of the program's own (summaries, notes, sub-agents beside the conversation) are left out.
 */
export function fromClaudeCode(lines: readonly Dict[]): Conversation {
  const spoken = lines.filter(
    ({ type, message }) => (type === "user" || type === "assistant") && isDict(message),
  );
  // The log of a sub-agent is nothing but a side chain.
  const main = spoken.filter(({ isSidechain }) => isSidechain !== true);
  const counted = (main.length > 0 ? main : spoken).filter((line) => !isOwn(line));
  const messages = gather(counted);
  if (!messages.some(({ role }) => role === "assistant"))
    throw new NoConversation("a Claude Code log without a reply of a model");

  const boundaries = lines.filter(({ subtype }) => subtype === "compact_boundary").length;
  const beside = spoken.length - main.length;
  const model = counted
    .map(({ message }) => (isDict(message) ? asText(message.model) : ""))
    .findLast((name) => name !== "");
  return {
    format: "anthropic",
    around: model === undefined ? {} : { model },
    messages,
    notes: [
      "the log holds neither the system text nor the tools, so the real requests were larger",
      ...(boundaries > 0
        ? [
            `Claude Code compacted this conversation ${boundaries === 1 ? "once" : `${boundaries} times`}; it is played as one history`,
          ]
        : []),
      ...(main.length > 0 && beside > 0
        ? [`${count(beside, "line")} of sub-agents ${beside === 1 ? "is" : "are"} left out`]
        : []),
    ],
  };
}

/** Written by the program, not said: notes, the summary after a compaction, its own error messages. */
function isOwn(line: Dict): boolean {
  const model = isDict(line.message) ? line.message.model : undefined;
  return (
    line.isMeta === true ||
    line.isCompactSummary === true ||
    line.isVisibleInTranscriptOnly === true ||
    line.isApiErrorMessage === true ||
    model === "<synthetic>"
  );
}

function gather(lines: readonly Dict[]): Message[] {
  const drafts: Draft[] = [];
  const replies = new Map<string, Draft>();
  const seen = new Set<string>();
  for (const line of lines) {
    const uuid = asText(line.uuid);
    if (uuid !== "" && seen.has(uuid)) continue;
    seen.add(uuid);
    const message = line.message as Dict;
    const blocks = blocksOf(message.content);
    if (blocks.length === 0) continue;
    if (message.role === "assistant") {
      const id = asText(message.id);
      const known = id === "" ? undefined : replies.get(id);
      const draft = known ?? { role: "assistant" as const, content: [] };
      const had = new Set(draft.content.map((block) => JSON.stringify(block)));
      draft.content = [
        ...draft.content,
        ...blocks.filter((block) => !had.has(JSON.stringify(block))),
      ];
      if (known === undefined) {
        drafts.push(draft);
        if (id !== "") replies.set(id, draft);
      }
    } else {
      const last = drafts.at(-1);
      if (last?.role === "user") last.content = [...last.content, ...blocks];
      else drafts.push({ role: "user", content: [...blocks] });
    }
  }
  // The provider wants results before words.
  const isResult = ({ type }: Dict): boolean => type === "tool_result";
  return drafts.map(({ role, content }) => ({
    role,
    content:
      role === "user"
        ? [...content.filter(isResult), ...content.filter((block) => !isResult(block))]
        : content,
  }));
}

/** Texts of nothing but white space are refused when they are sent again. */
function blocksOf(content: unknown): Dict[] {
  const blocks: Dict[] =
    typeof content === "string" ? [{ type: "text", text: content }] : dicts(content);
  return blocks.filter(({ type, text }) => type !== "text" || asText(text).trim() !== "");
}
