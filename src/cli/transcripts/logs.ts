import { asDict, asText, type Dict, dicts, isDict, parsed } from "../../base/guards.ts";
import type { Moment } from "../../model/memory.ts";
import type { LogNode } from "./branches.ts";

/** Conversations as programs keep them, each a list of lines that name the line before them. */
export interface Log {
  readonly by: string;
  readonly id: string;
  readonly nodes: readonly LogNode[];
  /** Where the conversation stands; undefined: at what was said last; null: before all of it. */
  readonly leaf?: string | null | undefined;
  readonly model?: string | undefined;
  /** How often the program itself made it shorter. */
  readonly compacted?: number;
  /** Lines of sub-agents, which are left out. */
  readonly beside?: number;
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

const ARGS = /<command-args>\s*(\S[^]*?)\s*<\/command-args>/;

function word(given: unknown): Dict[] {
  // Behind the name of a command stands what its user wants of it.
  const text = ARGS.exec(asText(given))?.[1] ?? asText(given);
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
const wordsIn = (content: unknown): string => {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return content === undefined ? "" : JSON.stringify(content);
  return content.map((part) => (isDict(part) ? asText(part.text) : asText(part))).join("\n");
};
const moment = (value: unknown): Moment | undefined =>
  typeof value === "number" || typeof value === "string" ? value : undefined;
const text = (value: unknown): string | undefined => asText(value) || undefined;
const lastOf = (values: readonly unknown[]): string | undefined =>
  text(values.findLast((value) => text(value) && value !== "<synthetic>"));
const roleOf = (role: unknown): LogNode["role"] => (role === "assistant" ? role : "user");
const nullOr = (id: unknown): string | null | undefined => (id === null ? id : text(id));

/** Texts of nothing but white space are refused when they are sent again. */
const blocksOf = (content: unknown): Dict[] =>
  typeof content === "string"
    ? word(content)
    : dicts(content).flatMap((block) => (block.type === "text" ? word(block.text) : [block]));

/** Written by the program, not said: notes, summaries of a compaction, its own error messages. */
const isOwn = (line: Dict): boolean =>
  [
    ...[line.isMeta, line.isCompactSummary, line.isVisibleInTranscriptOnly],
    ...[line.isApiErrorMessage, line.repeatsCompactSummary],
  ].includes(true) || asDict(line.message).model === "<synthetic>";

export function claudeCode(lines: readonly Dict[]): Log {
  const isSpoken = ({ type, message }: Dict): boolean =>
    (type === "user" || type === "assistant") && isDict(message);
  // The log of a sub-agent is nothing but a side chain.
  const main = lines.filter(({ isSidechain }) => isSidechain !== true);
  const own = main.some(isSpoken) ? main : lines;
  const seen = new Set<string>();
  const nodes = own.flatMap((line): LogNode[] => {
    const id = text(line.uuid);
    if (id !== undefined && seen.has(id)) return [];
    seen.add(id ?? "");
    if (id === undefined && !isSpoken(line)) return [];
    const { role, content, id: reply } = asDict(line.message);
    const isCut = line.subtype === "compact_boundary" || line.isCompactSummary === true;
    const parent = nullOr(line.logicalParentUuid ?? line.parentUuid);
    const blocks = isSpoken(line) && !isOwn(line) ? blocksOf(content) : [];
    return [
      {
        ...{ id, role: roleOf(role), blocks, at: moment(line.timestamp) },
        parent: isCut ? (parent ?? undefined) : parent,
        reply: role === "assistant" ? text(reply) : undefined,
      },
    ];
  });
  return {
    ...{ by: "Claude Code", nodes },
    id: asText(lines.find(({ sessionId }) => sessionId)?.sessionId),
    model: lastOf(own.map(({ message }) => asDict(message).model)),
    compacted: lines.filter(({ subtype }) => subtype === "compact_boundary").length,
    beside: lines.filter((line) => isSpoken(line) && !own.includes(line)).length,
  };
}

/** Lines in the order they were said, of which a rewind takes the last ones back. */
function chain() {
  const nodes = new Map<string, LogNode>();
  let last: string | null = null;
  return {
    nodes,
    add(id: string, node: Omit<LogNode, "id" | "parent">): void {
      const known = nodes.get(id);
      nodes.set(id, { id, parent: known ? known.parent : last, ...node });
      if (known === undefined) last = id;
    },
    /** To before a line; where none is named, before all. */
    rewind: (id: string | undefined): void => void (last = nodes.get(id ?? "")?.parent ?? null),
    /** The lines of what stands, the last first. */
    standing(): LogNode[] {
      const all: LogNode[] = [];
      for (let at = nodes.get(last ?? ""); at; at = nodes.get(at.parent ?? "")) all.push(at);
      return all;
    },
    end: () => ({ nodes: [...nodes.values()], leaf: last }),
  };
}

/** An item of OpenAI's Responses. */
export function responsesItem(item: Dict): Pick<LogNode, "role" | "blocks"> {
  const { type, role, call_id: id } = item;
  const { content_item_kinds: kinds } = asDict(item.internal_chat_message_metadata_passthrough);
  if (asText(type).endsWith("_call") && text(id))
    return {
      role: "assistant",
      blocks: [call(id, item.name ?? type, isDict(item.action) ? item.action : inputOf(item))],
    };
  if (asText(type).endsWith("_output")) return { role: "user", blocks: [answer(id, item.output)] };
  if ((type ?? "message") !== "message" || (role !== "user" && role !== "assistant"))
    return { role: "user", blocks: [] };
  const parts = typeof item.content === "string" ? [{ text: item.content }] : dicts(item.content);
  const isSaid = (at: number): boolean =>
    !Array.isArray(kinds) || String(kinds[at] ?? "user.").startsWith("user.");
  return { role, blocks: parts.flatMap((part, at) => (isSaid(at) ? word(part.text) : [])) };
}

const inputOf = ({ arguments: given, input }: Dict): Dict => {
  const read = parsed(asText(given));
  return isDict(read) ? read : { input: input ?? given };
};

export function codex(lines: readonly Dict[]): Log {
  const said = chain();
  for (const [at, line] of lines.entries()) {
    const { type, payload = line } = line;
    const item = asDict(payload);
    if (item.type === "thread_rolled_back") {
      const turns = said
        .standing()
        .filter(({ role, blocks }) => role === "user" && blocks.some((one) => one.type === "text"));
      said.rewind(turns[Math.max(1, Number(item.num_turns)) - 1]?.id);
    } else if (type === "response_item" || payload === line)
      said.add(`${at}`, { ...responsesItem(item), at: moment(line.timestamp) });
  }
  const all = lines.map(({ payload }) => asDict(payload));
  return {
    ...{ by: "Codex", id: asText(all[0]?.id ?? lines[0]?.id), ...said.end() },
    model: lastOf(all.map(({ model }) => model)),
    compacted: lines.filter(({ type }) => type === "compacted").length,
  };
}

export function pi(lines: readonly Dict[]): Log {
  const nodes = lines.slice(1).map(({ id, parentId, message, timestamp }): LogNode => {
    const { role, content, toolCallId, isError } = asDict(message);
    const parts = typeof content === "string" ? [{ text: content } as Dict] : dicts(content);
    const said = parts.flatMap((part) =>
      part.type === "toolCall" ? [call(part.id, part.name, part.arguments)] : word(part.text),
    );
    const result = role === "toolResult" ? [answer(toolCallId, content, isError)] : [];
    const blocks = role === "user" || role === "assistant" ? said : result;
    const place = { id: text(id), parent: nullOr(parentId), at: moment(timestamp) };
    return { ...place, role: roleOf(role), blocks };
  });
  return {
    ...{ by: "pi", id: asText(lines[0]?.id), nodes, leaf: nodes.at(-1)?.id },
    model: lastOf(lines.map(({ message, modelId }) => asDict(message).model ?? modelId)),
    compacted: lines.filter(({ type }) => type === "compaction").length,
  };
}

export function gemini(lines: readonly Dict[]): Log {
  const said = chain();
  const take = ({ id, type, content, toolCalls, timestamp }: Dict): void => {
    const at = moment(timestamp);
    const calls = dicts(toolCalls);
    const role = type === "gemini" ? "assistant" : "user";
    const words = type === "user" || type === "gemini" ? word(wordsIn(content)) : [];
    const asked = calls.map((one) => call(one.id, one.name, one.args));
    said.add(asText(id), { role, at, blocks: [...words, ...asked] });
    const blocks = calls
      .filter(({ result }) => result)
      .map((one) => answer(one.id, outputOf(one.result) ?? one.resultDisplay));
    if (blocks.length > 0) said.add(`${asText(id)} results`, { role: "user", at, blocks });
  };
  for (const line of lines) {
    const { $set, $rewindTo, messages = asDict($set).messages } = line;
    if (typeof $rewindTo === "string") said.rewind($rewindTo);
    else if (text(line.id) && text(line.type)) take(line);
    // A history that the program made shorter stands beside what was said.
    for (const one of dicts(messages)) if (!said.nodes.has(asText(one.id))) take(one);
  }
  return {
    ...{ by: "Gemini CLI", id: asText(lines[0]?.sessionId), ...said.end() },
    model: lastOf(lines.flatMap((line) => [line, ...dicts(line.messages)]).map((one) => one.model)),
  };
}

const outputOf = (result: unknown): unknown => {
  const [first] = [result].flat();
  const { response } = asDict(asDict(first).functionResponse);
  const { output, error } = asDict(response);
  return output ?? error ?? response;
};

const STARTED = /^# aider chat started at (.+)$/;

/** A file of chats in Markdown, one behind the other: "####" is the user, ">" is aider. */
export function aider(file: string): Log[] {
  const logs: { by: string; id: string; nodes: LogNode[] }[] = [];
  let at = NaN;
  for (const row of file.split("\n")) {
    const started = STARTED.exec(row.trim())?.[1];
    if (started !== undefined) {
      at = Date.parse(started.replace(" ", "T"));
      logs.push({ by: "aider", id: `aider ${started}`, nodes: [] });
    }
    const nodes = logs.at(-1)?.nodes;
    const [said, words = row] = /^#### ?(?:\/(?:ask|code|architect) )?(.*)$/.exec(row) ?? [];
    const isOther = started !== undefined || row.startsWith(">") || words.startsWith("/");
    if (nodes === undefined || isOther) continue;
    const role = said === undefined ? "assistant" : "user";
    const last = nodes.at(-1);
    const before = last?.role === role ? nodes.pop() : undefined;
    const text = `${asText(before?.blocks[0]?.text)}\n${words.trimEnd()}`;
    nodes.push({ role, blocks: [{ type: "text", text }], ...(at > 0 ? { at } : {}) });
  }
  return logs.map(({ nodes, ...log }) => ({
    ...log,
    nodes: nodes.map((node) => ({ ...node, blocks: word(asText(node.blocks[0]?.text).trim()) })),
  }));
}

/** A conversation of ChatGPT's export, a tree of messages. */
export function chatGpt(given: Dict): Log {
  const all = Object.entries(asDict(given.mapping)).map(([id, one]) => ({ ...asDict(one), id }));
  const tree = new Map(all.map((one: Dict) => [one.id, one]));
  const depthOf = (one: Dict | undefined): number => {
    let depth = 0;
    for (let at = one; at && depth < tree.size; at = tree.get(at.parent)) depth += 1;
    return depth;
  };
  const nodes = all.map((one: Dict): LogNode => {
    const { author, content, metadata, recipient, weight, create_time: at } = asDict(one.message);
    const { role } = asDict(author);
    const { content_type: kind, parts } = asDict(content);
    const isSaid =
      (role === "user" || role === "assistant") &&
      asDict(metadata).is_visually_hidden_from_conversation !== true &&
      (recipient ?? "all") === "all" &&
      weight !== 0 &&
      (kind === "text" || kind === "multimodal_text");
    const place = { id: asText(one.id), parent: text(one.parent) ?? null, at: moment(at) };
    return { ...place, role: roleOf(role), blocks: isSaid ? word(wordsIn(parts)) : [] };
  });
  const depths = new Map(nodes.map(({ id }) => [id, depthOf(tree.get(id))]));
  return {
    ...{ by: "ChatGPT", id: asText(given.conversation_id ?? given.id ?? given.title) },
    nodes: nodes.sort((one, other) => (depths.get(one.id) ?? 0) - (depths.get(other.id) ?? 0)),
    leaf: text(given.current_node),
    model: text(given.default_model_slug),
    forgotten: given.is_do_not_remember === true,
  };
}
