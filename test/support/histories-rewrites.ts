import type { Message } from "../../src/core/request.ts";

type Json = unknown;
type Visit = (value: Json, name: string, path: readonly string[]) => Json;

/** A deep copy, each value passed through `change` after its inside was. */
export function rewrite(value: Json, change: Visit, name = "", path: readonly string[] = []): Json {
  const inner = (member: Json, key: string) => rewrite(member, change, key, [...path, key]);
  if (Array.isArray(value))
    return change(
      value.map((item, at) => inner(item, String(at))).filter((item) => item !== undefined),
      name,
      path,
    );
  if (typeof value === "object" && value !== null)
    return change(
      Object.fromEntries(
        Object.entries(value)
          .map(([key, member]) => [key, inner(member, key)])
          .filter(([, member]) => member !== undefined),
      ),
      name,
      path,
    );
  return change(value, name, path);
}

const all = (messages: readonly Message[], change: Visit): Message[] =>
  rewrite(messages, change) as Message[];
const isBlock = (value: Json): value is Record<string, Json> & { type: string } =>
  typeof value === "object" && value !== null && "type" in value && typeof value.type === "string";
/** Members that tie a result to its call, in any dialect. */
const IDS = new Set(["id", "tool_use_id", "tool_call_id", "call_id", "toolCallId"]);
const CALL_INPUT = new Set(["input", "arguments", "args", "response"]);
const inInput = (path: readonly string[]) => path.some((key) => CALL_INPUT.has(key));

/** What callers, SDKs and proxies do to a history without meaning to change it. */
export const HARMLESS: Record<string, (messages: readonly Message[]) => Message[]> = {
  "parsed anew from JSON": (messages) => JSON.parse(JSON.stringify(messages)) as Message[],
  "strings as one text block": (messages) =>
    all(messages, (value, name, path) =>
      name === "content" &&
      typeof value === "string" &&
      value !== "" &&
      !inInput(path) &&
      isWrappable(path)
        ? [{ type: "text", text: value }]
        : value,
    ),
  "one text block as a string": (messages) =>
    all(messages, (value, name, path) => {
      if (name !== "content" || inInput(path) || !Array.isArray(value) || value.length !== 1)
        return value;
      const only: unknown = value[0];
      return isBlock(only) &&
        only.type === "text" &&
        typeof only.text === "string" &&
        Object.keys(only).length === 2
        ? only.text
        : value;
    }),
  "call ids rewritten": (messages) => {
    const names = new Map<unknown, string>();
    const renamed = (id: unknown) => {
      if (!names.has(id)) names.set(id, `renamed_${names.size}`);
      return names.get(id);
    };
    return all(messages, (value, name, path) =>
      !inInput(path) &&
      typeof value === "string" &&
      (IDS.has(name) || path.at(-2) === "tool_call_ids")
        ? renamed(value)
        : value,
    );
  },
  "cache marks moved": (messages) =>
    all(messages, (value, _name, path) =>
      isBlock(value) && !inInput(path) && !("cache_control" in value) && path.length === 3
        ? { ...value, cache_control: { type: "ephemeral" } }
        : value,
    ),
  "thinking stripped": (messages) =>
    all(messages, (value, name, path) =>
      ["content", "items", "parts"].includes(name) && Array.isArray(value) && !inInput(path)
        ? value.filter((block) => !isThinking(block))
        : name === "thoughtSignature"
          ? undefined
          : value,
    ),
  "keys in another order": (messages) =>
    all(messages, (value) =>
      typeof value === "object" && value !== null && !Array.isArray(value)
        ? Object.fromEntries(Object.entries(value).reverse())
        : value,
    ),
  "nulls and empty lists added": (messages) =>
    all(messages, (value, _name, path) =>
      isBlock(value) && !inInput(path) && path.length === 3
        ? {
            ...value,
            citations: value.citations ?? null,
            annotations: [],
            note: value.note ?? null,
          }
        : value,
    ),
  "callers dropped": (messages) =>
    all(messages, (value, name, path) => (name === "caller" && !inInput(path) ? undefined : value)),
  "queries of media links changed": (messages) =>
    all(messages, (value, name, path) =>
      name === "url" && typeof value === "string" && value.includes("?sig=") && !inInput(path)
        ? value.replace(/\?sig=.*/, "?sig=other")
        : value,
    ),
};

const THOUGHTS = new Set(["thinking", "redacted_thinking", "reasoning"]);
const isThinking = (block: unknown): boolean =>
  isBlock(block)
    ? THOUGHTS.has(block.type)
    : typeof block === "object" && block !== null && "thought" in block;

/** Only a message's or a result's content has two forms; other members of that name have not. */
const isWrappable = (path: readonly string[]) =>
  path.length === 2 || (path.length === 4 && path[1] === "content");

const BOOKKEEPING = new Set(
  [...IDS, "type", "role", "media_type", "signature", "file_id", "encrypted_content"].concat([
    "thoughtSignature",
    "status",
    "mediaType",
    "source_type",
    "mimeType",
    "toolName",
    "detail",
  ]),
);
/** A result's name repeats its call's, and its id's place is tested apart. */
const isContent = (path: readonly string[], message: Message): boolean => {
  const name = path.at(-1) ?? "";
  if (name === "name" && (message.role === "tool" || message.role === "function")) return false;
  if (name === "name" && path.includes("functionResponse")) return false;
  return inInput(path)
    ? true
    : !BOOKKEEPING.has(name) &&
        !path.includes("caller") &&
        !path.includes("cache_control") &&
        !path.includes("tool_call_ids");
};

/** Paths of every string of a message that is part of what was said, called, answered or shown. */
export function contentPaths(message: Message): string[][] {
  const paths: string[][] = [];
  rewrite(message, (value, _name, path) => {
    if (typeof value === "string" && isContent(path, message) && !isThought(message, path))
      paths.push([...path]);
    return value;
  });
  return paths;
}

function isThought(message: Message, path: readonly string[]): boolean {
  const block = path
    .slice(0, -1)
    .reduce<unknown>((at, name) => (at as Record<string, Json>)[name], message);
  const { content } = message;
  const top: unknown = Array.isArray(content) ? content[Number(path[1])] : undefined;
  // LangChain's messages hold their calls apart, and some providers repeat them here.
  const isRepeated =
    isBlock(top) &&
    path[0] === "content" &&
    top.type === "tool_use" &&
    Array.isArray(message.tool_calls);
  return isRepeated || isThinking(block);
}

/** The message with the string at `path` changed by one character, within base64's alphabet where it is base64. */
export function changedAt(message: Message, path: readonly string[]): Message {
  return rewrite(message, (value, _name, here) =>
    typeof value === "string" && here.join("/") === path.join("/") ? changed(value) : value,
  ) as Message;
}

function changed(text: string): string {
  const comma = text.startsWith("data:") ? text.indexOf(",") + 1 : 0;
  // Before a query: of a link, only scheme, host and path are content. Inside a JSON string: the first letter of a value.
  const query = text.includes("?sig=") ? text.indexOf("?sig=") : text.length;
  if (/^\s*\{/.test(text)) {
    const at = text.search(/[a-z](?=[^"]*"\s*[,}\]])/i);
    if (at >= 0) return text.slice(0, at) + (text[at] === "q" ? "z" : "q") + text.slice(at + 1);
  }
  const at = comma > 0 ? comma : query < text.length ? query - 1 : 0;
  return (
    text.slice(0, at) +
    (text[at] === "q" ? "z" : "q") +
    text.slice(at + (text.codePointAt(at)! > 0xffff ? 2 : 1))
  );
}

export function deepFreeze<T>(value: T): T {
  if (typeof value === "object" && value !== null && !Object.isFrozen(value)) {
    Object.freeze(value);
    Object.values(value).forEach(deepFreeze);
  }
  return value;
}
