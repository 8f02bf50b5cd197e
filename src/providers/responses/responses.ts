import { asDict, asText, type Dict, dicts, isDict } from "../../core/base.ts";
import type { Message } from "../../core/request.ts";
import {
  type Cut,
  cutting,
  type Dialect,
  isBlank,
  itemsOf,
  mapKeeping,
  mapWithin,
  type Reply,
  same,
  withMember,
} from "../common/dialect.ts";
import { weigh } from "../common/pieces.ts";
import { unwrap, usageOf } from "../common/replies.ts";
import { reading } from "../openai/chat.ts";
import { cutArguments } from "../openai/parts.ts";
import {
  close,
  isOutput,
  isReasoning,
  isRun,
  isWords,
  open,
  type Run,
  runOf,
  viewOf,
} from "./items.ts";

const read = reading(viewOf);

/** A message with each of its items changed; itself where none is. */
function mapItems(message: Message, change: (item: Dict) => Dict): Message {
  if (!isRun(message)) return change(message);
  return withMember(message, "items", mapKeeping(message.items, change));
}

const TEXTS = new Set(["input_text", "output_text", "text"]);
const inTexts = (holder: Dict, name: string, cut: Cut): Dict =>
  mapWithin(holder, name, cut, (part) =>
    TEXTS.has(asText(part.type)) ? mapWithin(part, "text", cut, same) : part,
  );

/** Without the ids by which the server asks for the reasoning that stood before. */
const unbound = ({ items, ...run }: Run): Message => {
  const left = items.filter((item) => !isReasoning(item)).map(({ id: _id, ...item }) => item);
  return left.length > 0
    ? { ...run, items: left }
    : { role: "assistant", content: "(thinking left out)" };
};

const INPUTS = ["arguments", "input"] as const;

const edits = {
  withoutThinking: (message) =>
    isRun(message) && message.items.some(isReasoning) ? unbound(message) : message,

  shortenResults: (message, cut) =>
    isOutput(message)
      ? inTexts(
          message,
          "output",
          cutting((text) => cut(text, asText(message.call_id))),
        )
      : message,

  shortenTexts: (message, cut) =>
    mapItems(message, (item) => (isWords(item) ? inTexts(item, "content", cutting(cut)) : item)),

  shortenInputs: (message, cut) =>
    mapItems(message, (item) =>
      INPUTS.reduce(
        (made, name) => mapWithin(made, name, (raw) => cutArguments(raw, cut), same),
        item,
      ),
    ),

  withoutMedia: (message, note) =>
    isRun(message) || message.role === "assistant"
      ? message
      : ["content", "output"].reduce(
          (made, name) =>
            mapWithin(made, name, same, (part) =>
              TEXTS.has(asText(part.type)) ? part : { type: "input_text", text: note },
            ),
          message,
        ),

  appendSystem: (request, text) =>
    isBlank(text)
      ? request
      : { ...request, system: [asText(request.system), text].filter(Boolean).join("\n\n") },
} satisfies Partial<Dialect>;

function withText(message: Message, text: string): Message {
  const { content } = message;
  const before = typeof content === "string" ? [content].filter(Boolean) : itemsOf(content);
  const parts = [...before, text].map((part) =>
    typeof part === "string" ? { type: "input_text", text: part } : part,
  );
  return { ...message, content: parts };
}

function usageIn(reported: Dict) {
  const { cached_tokens: read, cache_write_tokens: write } = asDict(reported.input_tokens_details);
  const { input_tokens: prompt, output_tokens: output } = reported;
  return usageOf({ prompt, read, write, output });
}

function reply(given: unknown): Reply | undefined {
  const { reply: response, usage } = unwrap(given);
  if (!isDict(response)) return undefined;
  const items = dicts(response.output).filter(
    (item) => item.status !== "incomplete" || isWords(item),
  );
  if (items.length === 0) return undefined;
  const { status, incomplete_details: why } = response;
  return {
    message: runOf(items),
    usage: usageIn(asDict(usage)),
    stop: asText(asDict(why).reason) || asText(status) || undefined,
  };
}

/** The reason for people that a request does not hold its history. */
function held(request: Dict): string | undefined {
  const by = ["previous_response_id", "conversation", "prompt"].find(
    (name) => isDict(request[name]) || asText(request[name]) !== "",
  );
  if (by !== undefined) return `the server holds the history (${by})`;
  return request.background === true ? "the answer is fetched later (background)" : undefined;
}

/** OpenAI's Responses API: the items of a reply that belong together are one message. */
export const openaiResponses: Dialect = {
  format: "openai-responses",
  provider: "openai",
  envelope: { open, close },
  held,
  ...read,
  withText,
  pieces: (message) => [
    ...read.pieces(message),
    ...(isRun(message) ? message.items.filter(isReasoning).flatMap(weigh) : []),
  ],
  ...edits,
  reply,
};

const ENDED = /^response\.(?:completed|incomplete|failed|cancelled)$/;

/** What nothing can be told by yet: the model may still refuse the request. */
const BEFORE = /^response\.(?:created|queued|in_progress)$/;
export const saysNothing = ({ type }: Dict): boolean => BEFORE.test(asText(type));

/**
 * Puts a response together from its events; of what was cut off, whole items are given and the
 * words of the one under way. Half a call was never made.
 */
export function gatherResponse() {
  let head: Dict = {};
  let ended = false;
  const done = new Map<unknown, Dict>();
  const words = new Map<unknown, string>();

  function take(event: Dict): void {
    const { type, output_index: index, item } = event;
    if (isDict(event.response)) head = event.response;
    ended ||= ENDED.test(asText(type));
    if (type === "response.output_item.done" && isDict(item)) done.set(index, item);
    if (type === "response.output_text.delta")
      words.set(index, (words.get(index) ?? "") + asText(event.delta));
  }

  /** The response; undefined where nothing of it came. */
  function message(): Dict | undefined {
    const whole = Array.isArray(head.output) && head.output.length > 0;
    if (ended && whole) return head;
    for (const [index, text] of words)
      if (!done.has(index) && text !== "")
        done.set(index, {
          ...{ type: "message", role: "assistant", status: "incomplete" },
          content: [{ type: "output_text", text, annotations: [] }],
        });
    const output = [...done]
      .sort(([one], [other]) => Number(one) - Number(other))
      .map(([, item]) => item);
    // The provider refuses reasoning that nothing follows.
    while (asDict(output.at(-1)).type === "reasoning") output.pop();
    return output.length > 0 ? { ...head, output } : undefined;
  }

  return { take, message, complete: () => ended };
}
