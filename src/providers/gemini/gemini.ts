import { asDict, asText, type Dict, dicts, isDict } from "../../core/base.ts";
import type { Message } from "../../core/request.ts";
import { reading } from "../anthropic/messages.ts";
import {
  type Cut,
  cutting,
  type Dialect,
  isBlank,
  mapWithin,
  type Piece,
  type Reply,
  same,
  withMember,
} from "../common/dialect.ts";
import { cutInput, overheadOf, sealedPiece, textPiece, weigh } from "../common/pieces.ts";
import { tokenCount, unwrap, usageOf } from "../common/replies.ts";
import {
  close,
  contentsIn,
  hasFailed,
  isThought,
  open,
  partsIn,
  partsOf,
  signatureOf,
  together,
  UNSIGNED,
  viewOf,
} from "./contents.ts";

const read = reading(viewOf);

const mapParts = (message: Message, change: (part: Dict) => Dict): Message =>
  together(
    contentsIn(message).map((content) => mapWithin(content, "parts", same, change)),
    message,
  );

/** A part without what it is known again by; a call must not be without. */
function unsigned(part: Dict): Dict {
  const { thoughtSignature: _sign, ...left } = part;
  if (signatureOf(part) === "") return part;
  return part.functionCall === undefined ? left : { ...left, thoughtSignature: UNSIGNED };
}

/** A signature is of the very words it came with. */
const changed = (part: Dict, name: string, value: unknown): Dict =>
  part[name] === value ? part : { ...unsigned(part), [name]: value };

/** An answer stays one that failed. */
function shorter(response: unknown, cut: Cut): unknown {
  const [[name, only] = [""], ...more] = Object.entries(asDict(response));
  if (typeof only === "string" && more.length === 0)
    return withMember(asDict(response), name, cut(only));
  const made = cutInput(response, cut);
  return hasFailed(response) && !hasFailed(made) ? { error: asDict(made).left_out } : made;
}

const edits = {
  withoutThinking(message) {
    if (!partsIn(message).some(isThought)) return message;
    const contents = contentsIn(message).map((content) => ({
      ...content,
      parts: dicts(content.parts)
        .filter(({ thought }) => thought !== true)
        .map(unsigned)
        .filter((part) => part.text !== "" && Object.keys(part).length > 0),
    }));
    const left = contents.filter(({ parts }) => parts.length > 0);
    return together(left.length > 0 ? left : [{ ...contents[0], parts: [LEFT_OUT] }]);
  },

  shortenResults(message, cut) {
    const calls = dicts(viewOf(message).content);
    let place = -1;
    return mapParts(message, (part) => {
      place += 1;
      const { functionResponse: answer } = part;
      if (!isDict(answer)) return part;
      const id = asText(calls[place]?.tool_use_id);
      const response = shorter(
        answer.response,
        cutting((text) => cut(text, id)),
      );
      return withMember(part, "functionResponse", withMember(answer, "response", response));
    });
  },

  shortenTexts: (message, cut) =>
    mapParts(message, (part) =>
      typeof part.text === "string" && part.thought !== true
        ? changed(part, "text", cutting(cut)(part.text))
        : part,
    ),

  shortenInputs: (message, cut) =>
    mapParts(message, (part) => {
      const { functionCall: call } = part;
      if (!isDict(call) || call.args === undefined) return part;
      return changed(part, "functionCall", withMember(call, "args", cutInput(call.args, cut)));
    }),

  withoutMedia: (message, note) =>
    asDict(message).role === "model"
      ? message
      : mapParts(message, (part) => {
          const { functionResponse: answer } = part;
          if (part.inlineData !== undefined || part.fileData !== undefined) return { text: note };
          if (!isDict(answer) || answer.parts === undefined) return part;
          const { parts: _parts, ...left } = answer;
          const response = { ...asDict(answer.response), media: note };
          return { ...part, functionResponse: { ...left, response } };
        }),

  appendSystem(request, text) {
    if (isBlank(text)) return request;
    const { system } = request;
    const own = isDict(system) && "parts" in system ? system : {};
    return { ...request, system: { ...own, parts: [...partsOf(system), { text }] } };
  },
} satisfies Partial<Dialect>;

const LEFT_OUT = { text: "(thinking left out)" };

const withText = (message: Message, text: string): Message => ({
  ...message,
  parts: [...partsOf(message.parts), { text }],
});

const signatures = (message: Message): Piece[] =>
  dicts(partsIn(message)).map(signatureOf).filter(Boolean).map(sealedPiece);

function usageIn(reported: Dict) {
  const { promptTokenCount: prompt, cachedContentTokenCount: read } = reported;
  const output =
    tokenCount(reported.candidatesTokenCount) + tokenCount(reported.thoughtsTokenCount);
  return usageOf({ prompt, read, output });
}

/** A response, or the content of one. */
function reply(given: unknown): Reply | undefined {
  const { reply: response, usage } = unwrap(given);
  if (!isDict(response)) return undefined;
  const [{ content, finishReason } = { content: response }] = dicts(response.candidates) as Dict[];
  if (!isDict(content) || !Array.isArray(content.parts) || content.parts.length === 0)
    return undefined;
  const { usageMetadata: reported = usage } = response;
  return {
    message: { role: "model", parts: content.parts },
    usage: usageIn(asDict(reported)),
    stop: asText(finishReason) || undefined,
  };
}

/** The reason for people that a request does not hold its history. */
const held = ({ cachedContent, config }: Dict): string | undefined =>
  asText(cachedContent ?? asDict(config).cachedContent) === ""
    ? undefined
    : "the server holds a part of it (cachedContent)";

/** Google's Gemini API: generateContent, of the API itself and as its client takes it. */
export const gemini: Dialect = {
  format: "gemini",
  provider: "gcp.gemini",
  envelope: { open, close },
  held,
  ...read,
  withText,
  thinks: (message) => partsIn(message).some(isThought),
  pieces: (message) => [...read.pieces(message), ...signatures(message)],
  overhead: (request) =>
    overheadOf(request, (block) =>
      dicts(partsOf(block)).flatMap((part) =>
        typeof part.text === "string" ? textPiece(part.text) : weigh(part),
      ),
    ),
  preamble: () => 0,
  ...edits,
  userMessage: (text) => ({ role: "user", parts: [{ text }] }),
  reply,
};

/** Puts a streamed reply together; what was cut off is given as far as it came. */
export function gatherContent() {
  const parts: Dict[] = [];
  let last: Dict = {};
  let [candidate, complete]: [Dict, boolean] = [{}, false];

  function take(chunk: Dict): void {
    const [first] = dicts(chunk.candidates);
    last = { ...last, ...chunk };
    candidate = { ...candidate, ...first };
    complete ||= first?.finishReason !== undefined;
    for (const part of dicts(partsOf(first?.content))) add(part);
  }

  /** A signature stays with the part it came in. */
  function add(part: Dict): void {
    const before = parts.at(-1);
    const isPlain = ({ text, thought, ...more }: Dict): boolean =>
      typeof text === "string" && Object.keys(more).length === 0;
    if (before && isPlain(before) && isPlain(part) && before.thought === part.thought)
      parts[parts.length - 1] = { ...before, text: `${String(before.text)}${String(part.text)}` };
    else parts.push(part);
  }

  /** The reply as it would have come in one; undefined where nothing of it came. */
  function message(): Dict | undefined {
    const said = parts.filter(({ text, thoughtSignature }) => text !== "" || thoughtSignature);
    if (said.length === 0) return undefined;
    const content = { ...asDict(candidate.content), role: "model", parts: said };
    return { ...last, candidates: [{ ...candidate, content }] };
  }

  return { take, message, complete: () => complete };
}
