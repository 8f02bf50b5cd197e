import { asDict, asText, type Dict, dictIn, dicts, isDict } from "../../core/base.ts";
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
function wordsIn(content: unknown): string {
  if (typeof content === "string") return content;
  if (!Array.isArray(content)) return content === undefined ? "" : JSON.stringify(content);
  return content.map((part) => asText(isDict(part) ? part.text : part)).join("\n");
}
/** A text alone is a list of one part. */
const partsOf = (content: unknown): Dict[] =>
  typeof content === "string" ? [{ type: "text", text: content }] : dicts(content);

const text = (value: unknown): string | undefined => asText(value) || undefined;
const roleOf = (role: unknown): LogNode["role"] => (role === "assistant" ? role : "user");
const place = (id: unknown, parent: unknown, at: unknown): Omit<LogNode, "role" | "blocks"> => ({
  id: text(id),
  parent: parent === null ? null : text(parent),
  at: typeof at === "number" || typeof at === "string" ? at : undefined,
});

type Said = Pick<Log, "nodes" | "leaf" | "beside">;

const isSpoken = ({ type, message }: Dict): boolean =>
  (type === "user" || type === "assistant") && isDict(message);
/** Written by the program, not said: notes, summaries of a compaction, its own error messages. */
const isOwn = ({ isMeta, isCompactSummary, isApiErrorMessage, message }: Dict): boolean =>
  [isMeta, isCompactSummary, isApiErrorMessage].includes(true) ||
  asDict(message).model === "<synthetic>";

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
  };
}

/** Lines in the order they were said, of which a rewind takes the last ones back. */
class Chain {
  readonly nodes = new Map<string, LogNode>();
  standing: string[] = [];

  add(id: string, node: Omit<LogNode, "id" | "parent">): void {
    const known = this.nodes.get(id);
    this.nodes.set(id, {
      id,
      parent: known ? known.parent : (this.standing.at(-1) ?? null),
      ...node,
    });
    if (known === undefined) this.standing.push(id);
  }

  /** To before a line; where it does not stand, before all. */
  rewind(id: string | undefined): void {
    this.standing.splice(Math.max(0, this.standing.indexOf(id ?? "")));
  }

  end(): Said {
    return { nodes: [...this.nodes.values()], leaf: this.standing.at(-1) ?? null };
  }
}

/** An item of OpenAI's Responses. */
export function responsesItem(item: Dict): Pick<LogNode, "role" | "blocks"> {
  const { type = "message", role, call_id: id, arguments: given, action, content } = item;
  if (asText(type).endsWith("_call") && text(id)) {
    const input = dictIn(asText(given)) ?? action ?? { input: item.input ?? given };
    return { role: "assistant", blocks: [call(id, item.name ?? type, input)] };
  }
  if (asText(type).endsWith("_output")) return { role: "user", blocks: [answer(id, item.output)] };
  const isSaid = type === "message" && (role === "user" || role === "assistant");
  const blocks = isSaid ? partsOf(content).flatMap((part) => word(part.text)) : [];
  return { role: roleOf(role), blocks };
}

function codex(lines: readonly Dict[]): Said {
  const said = new Chain();
  for (const [at, { type, payload, timestamp, ...bare }] of lines.entries()) {
    const item = asDict(payload ?? { type, ...bare });
    if (item.type === "thread_rolled_back") {
      const turns = said.standing.filter((id) => {
        const { role, blocks = [] } = said.nodes.get(id) ?? {};
        return role === "user" && blocks.some((block) => block.type === "text");
      });
      said.rewind(turns.at(-Number(item.num_turns)));
    } else if (type === "response_item" || payload === undefined)
      said.add(`${at}`, { ...responsesItem(item), at: place("", "", timestamp).at });
  }
  return said.end();
}

function pi(lines: readonly Dict[]): Said {
  const nodes = lines.slice(1).map(({ id, parentId, message, timestamp }): LogNode => {
    const { role, content, toolCallId, isError } = asDict(message);
    const said = partsOf(content).flatMap((part) =>
      part.type === "toolCall" ? [call(part.id, part.name, part.arguments)] : word(part.text),
    );
    const result = role === "toolResult" ? [answer(toolCallId, content, isError)] : [];
    const blocks = role === "user" || role === "assistant" ? said : result;
    return { ...place(id, parentId, timestamp), role: roleOf(role), blocks };
  });
  return { nodes, leaf: nodes.at(-1)?.id };
}

function gemini(lines: readonly Dict[]): Said {
  const said = new Chain();
  const all = lines.flatMap((line) => [line, ...dicts(line.messages)]);
  for (const { id, type, content, toolCalls, timestamp, $rewindTo } of all) {
    if (typeof $rewindTo === "string") said.rewind($rewindTo);
    if (!text(id) || !text(type)) continue;
    const { at } = place(id, "", timestamp);
    const words = type === "user" || type === "gemini" ? word(wordsIn(content)) : [];
    const calls = dicts(toolCalls);
    const asked = calls.map((one) => call(one.id, one.name, one.args));
    const role = type === "gemini" ? "assistant" : "user";
    said.add(asText(id), { role, at, blocks: [...words, ...asked] });
    const blocks = calls.flatMap(({ id: of, result }) => {
      const { response } = asDict(asDict([result].flat()[0]).functionResponse);
      const { output, error } = asDict(response);
      return result ? [answer(of, output ?? error ?? response)] : [];
    });
    if (blocks.length > 0) said.add(`${asText(id)} results`, { role: "user", at, blocks });
  }
  return said.end();
}

interface Program {
  readonly by: string;
  readonly wrote: (first: Dict, lines: readonly Dict[]) => boolean;
  readonly read: (lines: readonly Dict[]) => Said;
}
const PROGRAMS: readonly Program[] = [
  { by: "pi", wrote: ({ type }) => type === "session", read: pi },
  {
    by: "Claude Code",
    // A bare message has a role.
    wrote: (_, lines) => lines.some(({ role, message }) => role === undefined && isDict(message)),
    read: claudeCode,
  },
  { by: "Gemini CLI", wrote: (first) => "sessionId" in first, read: gemini },
  {
    by: "Codex",
    wrote: ({ type }, lines) =>
      type === "session_meta" || lines.some((one) => one.type === "message"),
    read: codex,
  },
];
const COMPACTED: readonly unknown[] = ["compact_boundary", "compacted", "compaction"];

/** The log that a program wrote in these lines; undefined where none is known that writes such. */
export function logIn(lines: readonly Dict[]): Log | undefined {
  const [first = {}] = lines;
  const program = PROGRAMS.find(({ wrote }) => wrote(first, lines));
  if (program === undefined) return undefined;
  const models = lines
    .filter(({ isSidechain }) => isSidechain !== true)
    .flatMap((line) => [line, ...[line.message, line.payload].map(asDict), ...dicts(line.messages)])
    .map(({ model, modelId }) => text(model ?? modelId));
  const named = lines.find(({ sessionId }) => sessionId)?.sessionId;
  return {
    by: program.by,
    id: asText(named ?? asDict(first.payload).id ?? first.id),
    ...program.read(lines),
    model: models.findLast((model) => model !== undefined && model !== "<synthetic>"),
    compacted: lines.filter(({ type, subtype }) => COMPACTED.includes(subtype ?? type)).length,
  };
}

const STARTED = /^# aider chat started at (\d[\d-]+ [\d:]+)\s*$/m;
const USERS_ROWS = /^((?:####.*\n?)+)/m;
const OWN_ROWS = /^(?:>|#### \/(?!(?:ask|code|architect) )).*\n?/gm;
const USERS_MARK = /^#### ?(?:\/(?:ask|code|architect) )?/gm;

/** A file of chats in Markdown, one behind the other: "####" is the user, ">" is aider. */
export function aider(file: string): Log[] {
  const [, ...parts] = file.split(STARTED);
  return parts.flatMap((started, nth) => {
    if (nth % 2 === 1) return [];
    const at = Date.parse(started.replace(" ", "T"));
    const runs = (parts[nth + 1] ?? "").replace(OWN_ROWS, "").split(USERS_ROWS);
    const nodes = runs.map((run, place): LogNode => {
      const words = run.replace(USERS_MARK, "").replace(/(?<![^\S\n])[^\S\n]+$/gm, "");
      return { role: place % 2 === 1 ? "user" : "assistant", blocks: word(words.trim()), at };
    });
    return [{ by: "aider", id: `aider ${started}`, nodes }];
  });
}

/** How far each message stands from the root; one that leads to itself counts as a root. */
function depthsIn(tree: Dict): ReadonlyMap<string | undefined, number> {
  const depths = new Map<string, number>();
  for (const id of Object.keys(tree)) {
    const way: string[] = [];
    let at = id;
    while (Object.hasOwn(tree, at) && !depths.has(at)) {
      depths.set(at, 0);
      way.push(at);
      at = asText(asDict(tree[at]).parent);
    }
    const above = depths.get(at) ?? -1;
    for (const [nth, one] of way.toReversed().entries()) depths.set(one, above + 1 + nth);
  }
  return depths;
}

/** A conversation of ChatGPT's export, a tree of messages. */
export function chatGpt(given: Dict): Log {
  const tree = asDict(given.mapping);
  const depths = depthsIn(tree);
  const nodes = Object.keys(tree).map((id): LogNode => {
    const { message, parent } = asDict(tree[id]);
    const { author, content, metadata, recipient = "all", weight, create_time } = asDict(message);
    const { role } = asDict(author);
    const { content_type: kind, parts } = asDict(content);
    const isSaid =
      (role === "user" || role === "assistant") &&
      asDict(metadata).is_visually_hidden_from_conversation !== true &&
      recipient === "all" &&
      weight !== 0 &&
      (kind === "text" || kind === "multimodal_text");
    const blocks = isSaid ? word(wordsIn(parts)) : [];
    return { ...place(id, parent ?? null, create_time), role: roleOf(role), blocks };
  });
  return {
    ...{ by: "ChatGPT", id: asText(given.conversation_id ?? given.id ?? given.title) },
    nodes: nodes.sort((one, other) => (depths.get(one.id) ?? 0) - (depths.get(other.id) ?? 0)),
    leaf: text(given.current_node),
    model: text(given.default_model_slug),
    forgotten: given.is_do_not_remember === true,
  };
}
