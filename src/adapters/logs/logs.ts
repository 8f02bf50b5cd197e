import { asDict, asText, type Dict, dictIn, dicts, isDict } from "../../core/base.ts";
import type { LogNode } from "./branches.ts";

/** Conversations as programs keep them, each a list of lines that name the line before them. */
export interface Log {
  readonly by: string;
  readonly id: string;
  readonly nodes: readonly LogNode[];
  /** The conversation stands there; undefined: at what was said last; null: before all of it. */
  readonly leaf?: string | null | undefined;
  readonly model?: string | undefined;
  /** How often the program itself made it shorter. */
  readonly compacted?: number;
  /** Lines of sub-agents, which are left out. */
  readonly beside?: number;
  /** It is a sub-agent's whole: a program asked, and no person. */
  readonly subAgent?: boolean;
  /** Its user wants nothing of it remembered. */
  readonly forgotten?: boolean;
}

/** Written by a program in the user's place. */
const TAGS =
  "command- local-command- system-reminder user_instructions environment_context permissions " +
  "session_context turn_aborted user_action INSTRUCTIONS";
const NOT_SAID = new RegExp(
  `^\\s*(?:<(?:${TAGS.replaceAll(" ", "|")})|# AGENTS\\.md instructions)`,
);

const REMINDER = { opens: "<system-reminder>", ends: "</system-reminder>" } as const;

/** A program writes its reminders between the words of either side. */
function withoutReminders(text: string): string {
  let [kept, at] = ["", 0];
  for (;;) {
    const start = text.indexOf(REMINDER.opens, at);
    const end = start < 0 ? -1 : text.indexOf(REMINDER.ends, start);
    if (end < 0) return kept + text.slice(at);
    kept += text.slice(at, start);
    at = end + REMINDER.ends.length;
  }
}

const ARGS = /<command-args>\s*(\S[^]*?)\s*<\/command-args>/;

/** A block of what was said; none of what a program wrote in its user's place. */
export function word(given: unknown): Dict[] {
  const whole = withoutReminders(asText(given));
  // Behind the name of a command stands what its user wants of it.
  const text = ARGS.exec(whole)?.[1] ?? whole;
  return text.trim() === "" || NOT_SAID.test(text) ? [] : [{ type: "text", text }];
}
const call = (id: unknown, name: unknown, input: unknown): Dict => ({
  ...{ type: "tool_use", id: asText(id), name: asText(name), input: asDict(input) },
});
const answer = (id: unknown, content: unknown, failed?: unknown): Dict => ({
  ...{ type: "tool_result", tool_use_id: asText(id), content: wordsIn(content) },
  ...(failed === true ? { is_error: true } : {}),
});
/** The words of a text, or of a list of parts. */
export function wordsIn(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return content === undefined ? "" : JSON.stringify(content);
  return content.map((part) => asText(isDict(part) ? part.text : part)).join("\n");
}
/** A text alone is a list of one part. */
const partsOf = (content: unknown): Dict[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : dicts(content);

const text = (value: unknown): string | undefined => asText(value) || undefined;
export const roleOf = (role: unknown): LogNode["role"] => (role === "assistant" ? role : "user");
export const place = (id: unknown, parent: unknown, at: unknown) => ({
  id: text(id),
  parent: parent === null ? null : text(parent),
  at: typeof at === "number" || typeof at === "string" ? at : undefined,
});

type Said = Pick<Log, "nodes" | "leaf" | "beside" | "subAgent">;

const isSpoken = ({ type, message }: Dict): boolean =>
  (type === "user" || type === "assistant") && isDict(message);
/** Written by the program, not said: notes, summaries of a compaction, its own error messages. */
const OWN =
  "isMeta isCompactSummary repeatsCompactSummary isVisibleInTranscriptOnly isApiErrorMessage".split(
    " ",
  );
const isOwn = (line: Dict): boolean =>
  OWN.some((mark) => line[mark] === true) || asDict(line.message).model === "<synthetic>";

function claudeCode(lines: readonly Dict[]): Said {
  // The log of a sub-agent is nothing but a side chain.
  const main = lines.filter(({ isSidechain }) => isSidechain !== true);
  const own = main.some(isSpoken) ? main : lines;
  // A session that was resumed may hold a line twice.
  const once = new Map(own.map((line) => [line.uuid ?? line, line])).values();
  const nodes = Array.from(once, (line): LogNode => {
    const { role, content, id: reply } = asDict(line.message);
    const { uuid, logicalParentUuid, parentUuid, timestamp, isCompactSummary, subtype } = line;
    const isCut = subtype === "compact_boundary" || isCompactSummary === true;
    const parent = logicalParentUuid ?? parentUuid ?? (isCut ? undefined : parentUuid);
    // Texts of nothing but white space are refused when they are sent again.
    const blocks = partsOf(content).flatMap((one) =>
      one.type === "text" ? word(one.text) : [one],
    );
    return {
      ...place(uuid, parent, timestamp),
      role: roleOf(role),
      blocks: isSpoken(line) && !isOwn(line) ? blocks : [],
      reply: role === "assistant" ? text(reply) : undefined,
    };
  });
  return {
    nodes,
    beside: own === main ? lines.filter(isSpoken).length - main.filter(isSpoken).length : 0,
    subAgent: own !== main,
  };
}

/** A line, or a rewind: so many of the user's turns back. */
type Step = LogNode | { readonly back: number };

/** Lines in the order they were said. A rewind beyond the first turn goes to before all. */
function chain(steps: readonly Step[]): Said {
  const nodes: LogNode[] = [];
  const standing: LogNode[] = [];
  for (const step of steps)
    if ("back" in step) {
      const turns = standing.filter(
        ({ role, blocks }) => role === "user" && blocks.some(({ type }) => type === "text"),
      );
      const to = turns.at(-step.back);
      standing.splice(to === undefined ? 0 : standing.indexOf(to));
    } else {
      const node = { ...step, parent: standing.at(-1)?.id ?? null };
      nodes.push(node);
      standing.push(node);
    }
  return { nodes, leaf: standing.at(-1)?.id ?? null };
}

/** An item of OpenAI's Responses. */
function responsesItem(item: Dict): Pick<LogNode, "role" | "blocks"> {
  const { type = "message", role, call_id: id, arguments: given, action, content } = item;
  if (asText(type).endsWith("_call") && text(id)) {
    const input = dictIn(asText(given)) ?? action ?? { input: item.input ?? given };
    return { role: "assistant", blocks: [call(id, item.name ?? type, input)] };
  }
  if (asText(type).endsWith("_output")) return { role: "user", blocks: [answer(id, item.output)] };
  const isSaid = type === "message" && (role === "user" || role === "assistant");
  const { content_item_kinds: kinds } = asDict(item.internal_chat_message_metadata_passthrough);
  const isOther = (at: number): boolean =>
    role === "user" && Array.isArray(kinds) && kinds[at] !== "user.text";
  const said = partsOf(content).filter((_, at) => isSaid && !isOther(at));
  return { role: roleOf(role), blocks: said.flatMap((part) => word(part.text)) };
}

/** Items of OpenAI's Responses, with or without the lines of a rollout around them. */
const codex = (lines: readonly Dict[]): Said =>
  chain(
    lines.flatMap(({ type, payload, timestamp, ...bare }, at): Step[] => {
      const item = asDict(payload ?? { type, ...bare });
      if (item.type === "thread_rolled_back") return [{ back: Number(item.num_turns) }];
      const isSaid = type === "response_item" || payload === undefined;
      return isSaid ? [{ ...place(`${at}`, "", timestamp), ...responsesItem(item) }] : [];
    }),
  );

const isItem = ({ type, content }: Dict): boolean =>
  /^(?:message|reasoning|.+_call|.+_call_output)$/.test(asText(type)) ||
  dicts(content).some(({ type: part }) => /^(?:in|out)put_text$/.test(asText(part)));
const COMPACTED: readonly unknown[] = ["compact_boundary", "compacted"];

/** The log that a program wrote in these lines; undefined where none is known that writes such. */
export function logIn(lines: readonly Dict[]): Log | undefined {
  // A bare message has a role.
  const isClaude = lines.some((line) => line.role === undefined && isSpoken(line));
  const first = lines[0]?.type === "session_meta" ? asDict(lines[0].payload) : {};
  if (!isClaude && first.id === undefined && !lines.some(isItem)) return undefined;
  const models = lines
    .filter(({ isSidechain }) => isSidechain !== true)
    .flatMap((line) => [line, ...[line.message, line.payload].map(asDict)])
    .map(({ model }) => text(model));
  return {
    by: isClaude ? "Claude Code" : "Codex",
    id: asText(lines.find(({ sessionId }) => sessionId)?.sessionId ?? first.id),
    ...(isClaude ? claudeCode : codex)(lines),
    model: models.findLast((model) => model !== undefined && model !== "<synthetic>"),
    compacted: lines.filter(({ type, subtype }) => COMPACTED.includes(subtype ?? type)).length,
  };
}
