import { asDict, asText, defined, type Dict, isDict } from "../../core/base.ts";
import type { Message, ProviderRequest } from "../../core/request.ts";
import { asMessage, itemsOf } from "../common/dialect.ts";
import { mediaBlock, viewing } from "../common/parts.ts";
import { jsonText } from "../common/pieces.ts";

/** What a system text, or a list of what is said, may be written as: text, parts, or a content. */
export const partsOf = (said: unknown): unknown[] =>
  [isDict(said) && "parts" in said ? (said.parts ?? []) : (said ?? [])]
    .flat()
    .map((part) => (typeof part === "string" ? { text: part } : part));

/** Contents of one reply: a stream's pieces are sent back each as a content of its own. */
interface Pieces extends Message {
  readonly role: "model";
  readonly contents: readonly Message[];
}

const isPieces = (message: unknown): message is Pieces =>
  isDict(message) && Array.isArray(message.contents);
export const contentsIn = (message: Message): readonly Message[] =>
  isPieces(message) ? message.contents : [message];
/** A reply's contents as one message; the message itself where they are still its own. */
export function together(contents: readonly Message[], message?: Message): Message {
  const own = message === undefined ? [] : contentsIn(message);
  if (message && contents.length === own.length && contents.every((one, at) => one === own[at]))
    return message;
  const [first] = contents;
  return first !== undefined && contents.length === 1 ? first : { role: "model", contents };
}

/** Replies by their first content: the same contents are the same message in each request. */
const replies = new WeakMap<object, Message>();

/** Contents as messages: the model's in a row are one, all others stand as they are. */
export function messagesOf(given: readonly unknown[]): Message[] {
  const messages: Message[] = [];
  const contents = given.map(asMessage);
  const isModel = (at: number): boolean => contents[at]?.role === "model";
  for (let at = 0, end = 1; at < contents.length; at = end, end += 1) {
    const first = contents[at] as Message;
    while (isModel(at) && isModel(end)) end += 1;
    const known = replies.get(first);
    const message = together(contents.slice(at, end), known);
    if (message !== first) replies.set(first, message);
    messages.push(message);
  }
  return messages;
}

/** A list as the API has it, or all that its client makes one of. */
function listOf(contents: unknown): Message[] {
  const all = [contents].flat();
  const isList = all.some((one) => Array.isArray(asDict(one).parts));
  return isList ? (all as Message[]) : [{ role: "user", parts: partsOf(contents) }];
}

/**
 * A request as the API has it, or as its client takes it: there the system text, the tools and the
 * reply's bound stand in `config`.
 */
export function open(given: Dict): ProviderRequest {
  const { contents, systemInstruction, config, ...rest } = given;
  const head = isDict(config) ? config : { ...rest, systemInstruction };
  const { maxOutputTokens } = asDict(config ?? given.generationConfig);
  return {
    ...rest,
    ...defined({ config, tools: head.tools, max_tokens: maxOutputTokens }),
    ...defined({ system: head.systemInstruction ?? undefined }),
    messages: contents === undefined ? [] : messagesOf(listOf(contents)),
  };
}

/** The request as it came; its contents are the caller's own where no message differs. */
export function close(
  given: Dict,
  { messages, system, max_tokens: _most, ...rest }: ProviderRequest,
  opened?: ProviderRequest,
): Dict {
  const contents =
    messages === opened?.messages ? given.contents : messages.flatMap((one) => contentsIn(one));
  if (!isDict(given.config))
    return { ...rest, ...defined({ systemInstruction: system }), contents };
  const { tools: _tools, ...left } = rest;
  return {
    ...left,
    config: { ...given.config, ...defined({ systemInstruction: system }) },
    contents,
  };
}

/** In place of a signature: the API asks for none where a call was not made by its model. */
export const UNSIGNED = "skip_thought_signature_validator";

export const signatureOf = ({ thoughtSignature: sign }: Dict): string =>
  sign === UNSIGNED ? "" : asText(sign);
/** Thoughts, or what they are known again by. */
export const isThought = (part: unknown): boolean =>
  isDict(part) && (part.thought === true || signatureOf(part) !== "");

const ROLES = new Map<unknown, string>([
  ["model", "assistant"],
  ["system", "system"],
]);

/** A message in the words of Anthropic's Messages. */
export const viewOf = viewing((message) => {
  const named = namer();
  const blocks = partsIn(message).map((part) =>
    isDict(part) ? blockOf(part, named) : { type: "", part },
  );
  const role = ROLES.get(message.role) ?? (Array.isArray(message.parts) ? "user" : message.role);
  return { role, content: role === "assistant" ? joined(blocks) : blocks };
});

/** The parts of a message, each as it stands. */
export const partsIn = (message: unknown): unknown[] =>
  contentsIn(asMessage(message)).flatMap(({ parts }) => (Array.isArray(parts) ? parts : []));

/** Words of a reply go on from part to part. */
const joined = (blocks: readonly Dict[]): Dict[] =>
  blocks.reduce<Dict[]>((all, block) => {
    const before = all.at(-1);
    if (before?.type !== "text" || block.type !== "text") return [...all, block];
    return all.with(-1, { type: "text", text: `${asText(before.text)}${asText(block.text)}` });
  }, []);

type Named = (kind: "call" | "answer", held: Dict) => string;

/** Characters of a name that stand for the id a call does not have: chance makes longer ones. */
const NAME = 10;

/** A call and its answer are known by their id, else by name and place among their like. */
function namer(): Named {
  const taken = new Map<string, number>();
  return (kind, { id, name }) => {
    if (asText(id) !== "") return asText(id);
    const short = asText(name).slice(0, NAME);
    const nth = taken.get(kind + short) ?? 0;
    taken.set(kind + short, nth + 1);
    return `${short}.${nth}`;
  };
}

function blockOf(part: Dict, named: Named): Dict {
  const { text, thought, thoughtSignature: _sign, ...held } = part;
  if (thought === true) return { type: "thinking", thinking: asText(text) };
  if (typeof text === "string") return { type: "text", text };
  const kind = KINDS.find((name) => held[name] !== undefined);
  if (Object.keys(held).length === 0) return { type: "thinking" };
  if (kind === undefined) return { type: "gemini", ...held };
  const { [kind]: one, ...more } = held;
  const inner = asDict(one);
  switch (kind) {
    case "functionCall": {
      const { id: _id, name, args = {} } = inner;
      return { type: "tool_use", id: named("call", inner), name, input: args };
    }
    case "functionResponse":
      return {
        type: "tool_result",
        tool_use_id: named("answer", inner),
        content: [
          ...itemsOf(answerText(inner.response)),
          ...partsOf(inner.parts).map((media) => blockOf(asDict(media), named)),
        ],
        ...(hasFailed(inner.response) && { is_error: true }),
      };
    case "inlineData":
    case "fileData":
      // How much of a film is shown belongs to it.
      return mediaBlock(inner.fileUri ?? inner.data, inner.mimeType, {
        ...defined({ title: inner.displayName }),
        ...more,
      });
    case "executableCode":
    case "toolCall": {
      const { id: _id, ...input } = inner;
      return { type: "server_tool_use", id: named("call", inner), name: kind, input };
    }
    default: {
      const { outcome = "OUTCOME_OK", output = answerText(inner.response) } = inner;
      return {
        type: "server_tool_result",
        tool_use_id: named("answer", inner),
        content: output,
        ...(outcome !== "OUTCOME_OK" && { is_error: true }),
      };
    }
  }
}

const KINDS = [
  ...(["functionCall", "functionResponse", "inlineData", "fileData"] as const),
  ...(["executableCode", "codeExecutionResult", "toolCall", "toolResponse"] as const),
];

export const hasFailed = (response: unknown): boolean => asDict(response).error !== undefined;

/** An answer has members, in any order; one that holds all of it is not named to people. */
function answerText(response: unknown): string {
  const [only, ...more] = Object.values(asDict(response));
  if (typeof only === "string" && more.length === 0) return only;
  return jsonText(response, (_, value) =>
    isDict(value) ? Object.fromEntries(Object.entries(value).sort()) : value,
  );
}
