import type { Message } from "../../src/core/request.ts";

// Written from what the providers refuse, on purpose without a line of the dialects they judge.

type Dict = Record<string, unknown>;
const isDict = (value: unknown): value is Dict =>
  typeof value === "object" && value !== null && !Array.isArray(value);
const isWords = (value: unknown): value is string =>
  typeof value === "string" && value.trim() !== "";
const ANTHROPIC_ID = /^[a-zA-Z0-9_-]+$/;
const isServerCall = (block: Dict) =>
  block.type === "server_tool_use" || block.type === "mcp_tool_use";
const isServerResult = (block: Dict) =>
  typeof block.type === "string" && block.type.endsWith("_tool_result");

/** Why the Messages API would refuse this history, or undefined. The last message may be anyone's whose turn may end. */
export function validAnthropic(messages: readonly Message[]): string | undefined {
  if (messages.length === 0) return "no messages";
  if (messages[0]?.role !== "user") return "the first message is not the user's";
  const seen = new Set<string>();
  let open: string[] = [];
  let paused = new Set<string>();
  let marks = 0;
  for (const [at, message] of messages.entries()) {
    const where = `messages.${at}`;
    const { role, content } = message;
    if (role !== "user" && role !== "assistant" && role !== "system")
      return `${where}: role ${String(role)}`;
    if (role === "system" && messages[at - 1]?.role !== "user")
      return `${where}: system not after a user turn`;
    if (
      typeof content === "string"
        ? !isWords(content)
        : !Array.isArray(content) || content.length === 0
    )
      return `${where}: empty content`;
    const blocks: unknown[] =
      typeof content === "string" ? [{ type: "text", text: content }] : (content as unknown[]);
    if (paused.size > 0 && role !== "assistant")
      return `${where}: a server tool's call is without its result`;
    const answered: string[] = [];
    const asked: string[] = [];
    let wrote = false;
    for (const [place, block] of blocks.entries()) {
      const here = `${where}.content.${place}`;
      if (!isDict(block) || typeof block.type !== "string") return `${here}: no block`;
      if (block.cache_control) marks += 1;
      if (role === "system" && block.type !== "text")
        return `${here}: ${block.type} in a system message`;
      if (block.type === "text" && !isWords(block.text)) return `${here}: empty text`;
      if (block.type === "tool_result") {
        if (role !== "user") return `${here}: a result in the ${role}'s message`;
        if (wrote) return `${here}: a result after other content`;
        const why = badResult(block);
        if (why) return `${here}: ${why}`;
        answered.push(block.tool_use_id as string);
        continue;
      }
      wrote = true;
      if (block.type === "image" && badSource(block)) return `${here}: no source`;
      if (block.type === "thinking" || block.type === "redacted_thinking") {
        if (role !== "assistant") return `${here}: thinking in the ${role}'s message`;
        if (
          block.type === "thinking" &&
          (typeof block.thinking !== "string" || !isWords(block.signature))
        )
          return `${here}: thinking without signature`;
        if (block.cache_control) return `${here}: a cache mark on thinking`;
        if (place === blocks.length - 1) return `${here}: the last block is thinking`;
      }
      if (block.type === "tool_use" || isServerCall(block)) {
        if (role !== "assistant") return `${here}: a call in the ${role}'s message`;
        const { id } = block;
        if (typeof id !== "string" || !ANTHROPIC_ID.test(id)) return `${here}: bad id`;
        if (seen.has(id)) return `${here}: id ${id} twice`;
        if (!isWords(block.name) || !isDict(block.input))
          return `${here}: a call without name or input`;
        seen.add(id);
        if (block.type === "tool_use") asked.push(id);
        else paused.add(id);
      } else if (isServerResult(block)) {
        if (!paused.delete(String(block.tool_use_id)))
          return `${here}: a server result without its call`;
      }
    }
    const missing = open.filter((id) => !answered.includes(id));
    if (missing.length > 0) return `${where}: calls without result: ${missing.join(", ")}`;
    const orphan = answered.find(
      (id, place) => !open.includes(id) || answered.indexOf(id) !== place,
    );
    if (orphan !== undefined) return `${where}: result ${orphan} has no call in the message before`;
    // A call may wait for the next message of the same turn only.
    if (
      role === "assistant" &&
      messages[at + 1]?.role === "assistant" &&
      messages[at - 1]?.role === "assistant" &&
      paused.size > 0
    )
      return `${where}: a server tool's call waits too long`;
    if (role !== "assistant") paused = new Set();
    open = asked;
  }
  if (open.length > 0) return `calls without result at the end: ${open.join(", ")}`;
  return marks > 4 ? "more than four cache breakpoints" : undefined;
}

function badSource({ source }: Dict): boolean {
  if (!isDict(source)) return true;
  return source.type === "base64"
    ? !isWords(source.data)
    : source.type === "url"
      ? !isWords(source.url)
      : !isWords(source.file_id);
}

function badResult(block: Dict): string | undefined {
  if (!isWords(block.tool_use_id)) return "a result without id";
  const { content } = block;
  if (content === undefined || typeof content === "string") return undefined;
  if (!Array.isArray(content)) return "a result with odd content";
  for (const inner of content as unknown[]) {
    if (!isDict(inner)) return "a result with odd content";
    if (inner.type === "text" && !isWords(inner.text)) return "empty text in a result";
    if (inner.type === "image" && badSource(inner)) return "an image without source in a result";
    if (block.is_error === true && inner.type !== "text")
      return "a failed result with more than text";
  }
  return undefined;
}

/** Why Chat Completions would refuse this history, or undefined. */
export function validOpenAI(messages: readonly Message[]): string | undefined {
  if (messages.length === 0) return "no messages";
  const open = new Set<string>();
  let legacy: string | undefined;
  for (const [at, message] of messages.entries()) {
    const where = `messages.${at}`;
    const { role, content } = message;
    if (role === "tool") {
      if (!open.delete(String(message.tool_call_id)))
        return `${where}: a result without its call directly before`;
      if (typeof content !== "string" && !isParts(content, ["text"]))
        return `${where}: a result with odd content`;
      continue;
    }
    if (open.size > 0) return `${where}: calls without result: ${[...open].join(", ")}`;
    if (role === "function") {
      if (legacy !== message.name)
        return `${where}: a function result without its call directly before`;
      legacy = undefined;
      if (typeof content !== "string") return `${where}: a function result without text`;
      continue;
    }
    legacy = undefined;
    if (role === "assistant") {
      const { tool_calls: calls, function_call: call, refusal } = message;
      if (content === undefined || content === null) {
        if (!calls && !call && !refusal) return `${where}: an assistant message without content`;
      } else if (typeof content !== "string" && !isParts(content, ["text", "refusal"]))
        return `${where}: odd content`;
      if (calls !== undefined) {
        if (!Array.isArray(calls) || calls.length === 0) return `${where}: an empty list of calls`;
        for (const each of calls as unknown[]) {
          if (!isDict(each) || !isWords(each.id) || open.has(each.id))
            return `${where}: a call without an id of its own`;
          const inner = each.type === "custom" ? each.custom : each.function;
          if (
            !isDict(inner) ||
            !isWords(inner.name) ||
            typeof (inner.arguments ?? inner.input) !== "string"
          )
            return `${where}: a call without name or arguments`;
          open.add(each.id);
        }
      }
      if (isDict(call)) legacy = String(call.name);
    } else if (role === "user" || role === "system" || role === "developer") {
      if (typeof content !== "string" && !isParts(content, role === "user" ? undefined : ["text"]))
        return `${where}: odd content`;
    } else return `${where}: role ${String(role)}`;
  }
  return open.size > 0 ? `calls without result at the end: ${[...open].join(", ")}` : undefined;
}

const isParts = (content: unknown, kinds?: readonly string[]): boolean =>
  Array.isArray(content) &&
  content.length > 0 &&
  content.every(
    (part: unknown) =>
      isDict(part) &&
      typeof part.type === "string" &&
      (kinds === undefined || kinds.includes(part.type)) &&
      (part.type !== "text" || typeof part.text === "string"),
  );
