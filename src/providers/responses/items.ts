import { asDict, asText, defined, type Dict, dicts, isDict } from "../../core/base.ts";
import type { Message, ProviderRequest } from "../../core/request.ts";
import { asMessage, itemsOf } from "../common/dialect.ts";
import { viewing } from "../common/parts.ts";
import { jsonText } from "../common/pieces.ts";

/**
 * Items of one reply, in their order: reasoning, words, calls. The provider refuses a reasoning
 * item without what follows it, so that nothing may come between them.
 */
export interface Run extends Message {
  readonly role: "assistant";
  readonly items: readonly Dict[];
}

export const isRun = (message: Message | undefined): message is Run =>
  isDict(message) && Array.isArray(message.items);

const typeOf = (item: Dict): string => asText(asDict(item).type);
export const isWords = (item: Dict): boolean => asDict(item).role !== undefined;
export const isReasoning = (item: Dict): boolean => typeOf(item) === "reasoning";
/** Answers that the caller's program gives to a call, and a person's to a server's question. */
export const isOutput = (item: Dict): boolean =>
  !isWords(item) && /_output$|^mcp_approval_response$/.test(typeOf(item));

const OWN = /^(?:function|custom_tool|computer|local_shell|shell|apply_patch|tool_search)_call$/;
/** A call that the caller's program answers. */
const isOwnCall = (item: Dict): boolean => OWN.test(typeOf(item));

/** Is the item part of a reply, and not the caller's or an answer. */
const isReplied = (item: Dict): boolean =>
  isWords(item) ? item.role === "assistant" : !isOutput(item) && !IN_BETWEEN.has(typeOf(item));
/** The caller's own items that no model said. */
const IN_BETWEEN = new Set(["item_reference", "configuration_update", "compaction_trigger"]);

const PARTS = /^(?:input_(?:text|image|file)|output_text)$/;
/** Is it of this API, for one who sees a message alone? */
export const isItem = (message: Dict): boolean =>
  isRun(message) ||
  (!isWords(message) && (isOutput(message) || isOwnCall(message) || isReasoning(message))) ||
  (Array.isArray(message.content) &&
    dicts(message.content).some(({ type }) => PARTS.test(asText(type))));

/** Runs by their first item: the same items are the same message in each request. */
const runs = new WeakMap<object, Run>();

/** The message that a reply's items are: one that only says something is its item. */
export function runOf(items: readonly Dict[]): Message {
  const [first] = items;
  if (first === undefined) return { role: "assistant", content: "" };
  if (items.length === 1 && isWords(first)) return first;
  const known = runs.get(first);
  if (known?.items.length === items.length && known.items.every((item, at) => item === items[at]))
    return known;
  const run: Run = { role: "assistant", items };
  runs.set(first, run);
  return run;
}

/** The items of a request as messages; the caller's own objects stay as they are. */
export function messagesOf(input: readonly unknown[]): Message[] {
  const messages: Message[] = [];
  let run: Dict[] = [];
  const end = (): void => {
    if (run.length > 0) messages.push(runOf(run));
    run = [];
  };
  for (const item of input.map(asMessage)) {
    if (isReplied(item)) {
      run.push(item);
      continue;
    }
    end();
    messages.push(item);
  }
  end();
  return messages;
}

const itemsIn = (messages: readonly Message[]): Dict[] =>
  messages.flatMap((message): readonly Dict[] => (isRun(message) ? message.items : [message]));

export function open(given: Dict): ProviderRequest {
  const { input, instructions, ...rest } = given;
  return {
    ...rest,
    ...defined({ system: instructions ?? undefined }),
    messages:
      typeof input === "string" ? [{ role: "user", content: input }] : messagesOf([input].flat()),
  };
}

/** The request as the API takes it; its input is the caller's own where no message differs. */
export function close(
  given: Dict,
  { messages, system, ...rest }: ProviderRequest,
  opened?: ProviderRequest,
): Dict {
  return {
    ...rest,
    ...defined({ instructions: system }),
    input: messages === opened?.messages ? given.input : itemsIn(messages),
  };
}

/** A message in the words of chat completions. */
export const viewOf = viewing((message) =>
  isRun(message) ? replied(message.items) : seen(message),
);

function seen(item: Dict): Message {
  if (isOutput(item))
    return {
      role: "tool",
      tool_call_id: asText(item.call_id ?? item.approval_request_id),
      content: outputOf(item),
    };
  if (!isWords(item)) return { role: "system", content: [item] };
  return { role: item.role, content: item.content };
}

const outputOf = ({ output, ...item }: Dict): unknown =>
  typeof output === "string" || Array.isArray(output) ? output : jsonText(output ?? item);

function replied(items: readonly Dict[]): Message {
  const content = items.flatMap((item) => {
    if (isWords(item)) return itemsOf(item.content);
    return isReasoning(item) || isOwnCall(item) ? [] : [item];
  });
  const calls = items.filter(isOwnCall).map(callOf);
  const reasoning = items.filter(isReasoning);
  return {
    role: "assistant",
    content,
    ...(calls.length > 0 && { tool_calls: calls }),
    ...(reasoning.length > 0 && { reasoning_details: reasoning }),
  };
}

/** A call of the API's own tools has no arguments but an action, or an operation. */
function callOf({ id: _id, status: _status, ...item }: Dict): Dict {
  const { type, call_id: id, name, input, ...more } = item;
  if (type === "custom_tool_call") return { id, type: "custom", custom: { name, input } };
  const given = more.arguments ?? jsonText(more);
  return { id, type: "function", function: { name: name ?? type, arguments: given } };
}
