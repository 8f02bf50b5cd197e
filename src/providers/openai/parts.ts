import { asDict, asText, type Dict, dicts, isDict, parsed } from "../../core/base.ts";
import type { Message } from "../../core/request.ts";
import {
  asMessage,
  blocksOf,
  type Call,
  type Cut,
  cutting,
  type Dialect,
  isBlank,
  itemsOf,
  lines,
  mapWithin,
  type Piece,
  type Result,
  same,
  withMember,
} from "../common/dialect.ts";
import { inText } from "../common/parts.ts";
import { cutInput, dataUrl, jsonText, mediaPiece, textPiece, weigh } from "../common/pieces.ts";
import type { Links } from "../common/seams.ts";

export const roleOf = (message: Message | undefined): string => asText(asMessage(message).role);
export const partsOf = (message: Message): readonly Dict[] => blocksOf(asMessage(message).content);
export const isInstruction = (message: Message | undefined): boolean =>
  ["system", "developer"].includes(roleOf(message));
export const isAnswer = (message: Message): boolean =>
  ["tool", "function"].includes(roleOf(message));

/** Words of a part. A refusal is what the assistant said. */
const wordsOf = (part: Dict): string => {
  if (part.type === "text") return asText(part.text);
  return part.type === "refusal" ? asText(part.refusal) : "";
};

/**
 * What a call carries, whichever of its three forms it has: `raw` is the model's own text, JSON or
 * not.
 */
interface Carried {
  readonly id: string;
  readonly kind: string;
  readonly name: string;
  readonly raw: unknown;
  readonly whole: Dict;
}

/** What a call says of its tool, by either of its names. */
export const innerOf = ({ function: named, custom }: Dict): Dict =>
  isDict(named) ? named : asDict(custom);

/** Function calls, custom calls, and the legacy `function_call`, whose only id is its name. */
export function carriedBy(message: Message): readonly Carried[] {
  const { tool_calls, function_call } = asMessage(message);
  if (tool_calls === undefined && function_call === undefined) return [];
  const carried = dicts(tool_calls).map((call): Carried => {
    const inner = innerOf(call);
    return {
      id: asText(call.id),
      kind: call.type === undefined ? "function" : asText(call.type),
      name: asText(inner.name),
      raw: inner.arguments ?? inner.input,
      whole: call,
    };
  });
  if (isDict(function_call))
    carried.push({
      id: asText(function_call.name),
      kind: "function_call",
      name: asText(function_call.name),
      raw: function_call.arguments,
      whole: {},
    });
  return carried;
}

/** Some logs write the id of a lone call as a list of one. */
function answeredBy(message: Message): string {
  const { role, name, tool_call_id, tool_call_ids } = asMessage(message);
  if (role === "function") return asText(name);
  return asText(tool_call_id ?? [tool_call_ids].flat()[0]);
}

export const links: Links = {
  calls: (message) => carriedBy(message).map(({ id }) => id),
  results: (message) => (isAnswer(message) ? [answeredBy(message)] : []),
};

/** Arguments as the value they stand for; their text when they are no JSON. */
export function inputOf(raw: unknown): unknown {
  const value = parsed(asText(raw));
  return value === undefined ? raw : value;
}

export const toCall = ({ id, kind, name, raw }: Carried): Call => ({
  id,
  name,
  input: kind === "custom" ? raw : inputOf(raw),
  server: false,
});

export const toResult = (message: Message): Result => ({
  id: answeredBy(message),
  text: lines(partsOf(message).map(wordsOf)),
  failed: false,
  server: false,
});

/** Pictures and files that a user hands on; recorded speech is the user's own. */
export const handedIn = (message: Message): string[] =>
  roleOf(message) === "user"
    ? partsOf(message).flatMap((part) => {
        const own = part.type === "text" || part.type === "input_audio";
        const texts = piecesOf(part).flatMap((one) => (one.kind === "text" ? [one.text] : []));
        return own ? [] : [...texts, ""];
      })
    : [];

export function textOf(message: Message): string {
  if (isAnswer(message)) return "";
  return lines([...partsOf(message).map(wordsOf), asText(asMessage(message).refusal)]);
}

/** All that costs tokens in a part. */
export function piecesOf(part: Dict): Piece[] {
  switch (part.type) {
    case "text":
    case "refusal":
      return textPiece(wordsOf(part));
    case "image_url":
      return [mediaPiece(dataUrl(urlOf(part.image_url)) ?? {}, "image")];
    case "input_audio": {
      const { data, format } = asDict(part.input_audio);
      return [mediaPiece({ data: asText(data), mediaType: `audio/${asText(format) || "wav"}` })];
    }
    case "file": {
      const { file_data, filename } = asDict(part.file);
      const data = asText(file_data);
      return [
        ...textPiece(asText(filename)),
        mediaPiece(data === "" ? {} : (dataUrl(data) ?? { data })),
      ];
    }
    default:
      return weigh(part);
  }
}

/** `image_url` as the API has it, or as the bare string some servers take. */
const urlOf = (image: unknown): string => (isDict(image) ? asText(image.url) : asText(image));

export function piecesOfMessage(given: Message): Piece[] {
  const message = asMessage(given);
  const calls = carriedBy(message).flatMap(({ name, raw }) => [
    ...textPiece(name),
    ...textPiece(typeof raw === "string" ? raw : jsonText(raw)),
  ]);
  const texts = (...all: readonly unknown[]): Piece[] => all.map(asText).flatMap(textPiece);
  return [
    ...texts(message.reasoning_content, message.name),
    ...partsOf(message).flatMap(piecesOf),
    ...texts(message.refusal, asDict(message.audio).transcript),
    ...calls,
  ];
}

/**
 * Reasoning that is bound to what stood before it. Plain `reasoning_content` is not, and some
 * servers want it back.
 */
export const hasBoundReasoning = (message: Message): boolean =>
  isDict(message) &&
  Array.isArray(message.reasoning_details) &&
  message.reasoning_details.length > 0;

function cutContent(message: Message, cut: Cut): Message {
  const cutText = cutting(cut);
  return mapWithin(message, "content", cutText, inText(cutText));
}

/**
 * Arguments are JSON in a string, and stay JSON where they were; a custom tool's input is any text.
 */
export function cutArguments(raw: string, cut: Cut): string {
  const input = inputOf(raw);
  if (!isDict(input)) return cut(raw);
  const shorter = cutInput(input, cut);
  return shorter === input ? raw : JSON.stringify(shorter);
}

/** A holder with a text in one of its members cut. */
const cutDeep = (holder: Dict, name: string, member: string, cut: Cut): Dict =>
  withMember(holder, name, mapWithin(holder[name], member, cut, same));

/** A message with a text behind all it holds. */
export const withText = (message: Dict, text: string): Message => ({
  ...message,
  content:
    typeof message.content === "string"
      ? [message.content, text].filter(Boolean).join("\n\n")
      : [...itemsOf(message.content), { type: "text", text }],
});

/** Leading messages that are instructions. */
export function preamble(messages: readonly Message[]): number {
  const end = messages.findIndex((message) => !isInstruction(message));
  return end < 0 ? messages.length : end;
}

export const edits = {
  withoutThinking(message) {
    if (!hasBoundReasoning(message)) return message;
    const { reasoning_details: _bound, ...left } = message;
    const says = itemsOf(left.content).length > 0;
    const answers = ["tool_calls", "function_call", "refusal", "audio"].some(
      (name) => left[name] !== undefined && left[name] !== null,
    );
    return says || answers ? left : { ...left, content: "(thinking left out)" };
  },

  shortenResults: (message, cut) =>
    isAnswer(message) ? cutContent(message, (text) => cut(text, answeredBy(message))) : message,

  shortenTexts: (message, cut) => (isAnswer(message) ? message : cutContent(message, cut)),

  shortenInputs(message, cut) {
    if (!isDict(message)) return message;
    const cutJson = (raw: string): string => cutArguments(raw, cut);
    const calls = mapWithin(message, "tool_calls", same, (call) =>
      cutDeep(cutDeep(call, "function", "arguments", cutJson), "custom", "input", cut),
    );
    return cutDeep(calls, "function_call", "arguments", cutJson);
  },

  /** A user's parts of tomorrow count as media too. */
  withoutMedia: (message, note) =>
    roleOf(message) === "assistant"
      ? message
      : mapWithin(message, "content", same, (part) =>
          part.type === "text" ? part : { type: "text", text: note },
        ),

  appendSystem(request, text) {
    if (isBlank(text)) return request;
    const [first, ...rest] = request.messages;
    // Templates of many models refuse a second system message.
    const messages = isInstruction(first)
      ? [withText(asMessage(first), text), ...rest]
      : [{ role: "system", content: text }, ...request.messages];
    return { ...request, messages };
  },
} satisfies Partial<Dialect>;
