import { asDict, asText, defined, type Dict, dicts, isDict, parsed } from "../../core/base.ts";
import type { Message } from "../../core/request.ts";
import { asMessage, blocksOf } from "../common/dialect.ts";
import { mediaBlock, viewing } from "../common/parts.ts";
import { jsonText } from "../common/pieces.ts";

const roleOf = (message: Message | undefined): string => asText(asMessage(message).role);
export const isInstruction = (message: Message | undefined): boolean =>
  ["system", "developer"].includes(roleOf(message));
export const isAnswer = (message: Message): boolean =>
  ["tool", "function"].includes(roleOf(message));

/** Some logs write the id of a lone call as a list of one. */
export function answeredBy(message: Message): string {
  const { role, name, tool_call_id, tool_call_ids } = asMessage(message);
  if (role === "function") return asText(name);
  return asText(tool_call_id ?? [tool_call_ids].flat()[0]);
}

/** What a call says of its tool, by either of its names. */
export const innerOf = ({ function: named, custom }: Dict): Dict =>
  isDict(named) ? named : asDict(custom);

/** Arguments as the value they stand for; their text when they are no JSON. */
export function inputOf(raw: unknown): unknown {
  const value = parsed(asText(raw));
  return value === undefined ? raw : value;
}

/**
 * Read on their own, or written by the provider and not sent back by every caller: reasoning,
 * annotations, what SDKs parse out of a reply.
 */
const MEMBERS = new Set(
  (
    "role content tool_calls function_call tool_call_id tool_call_ids refusal audio reasoning " +
    "reasoning_content reasoning_details annotations parsed provider_specific_fields"
  ).split(" "),
);
/** A result's name only repeats its call's. */
const MEMBERS_OF_ANSWER = new Set([...MEMBERS, "name"]);
const CALL = new Set(["id", "type", "index", "function", "custom"]);
const FUNCTION = new Set(["name", "arguments", "parsed_arguments", "input"]);

const others = (of: Dict, known: ReadonlySet<string>): Dict =>
  Object.fromEntries(Object.entries(of).filter(([name]) => !known.has(name)));

/** A message in the words of Anthropic's Messages. */
export const viewOf = viewing((message) => {
  const said = blocksOf(message.content).map(blockOf);
  if (isAnswer(message)) {
    const result = { type: "tool_result", tool_use_id: answeredBy(message), content: said };
    return { ...others(message, MEMBERS_OF_ANSWER), role: "user", content: [result] };
  }
  const { role, refusal, reasoning_content: thought, audio, function_call: legacy } = message;
  const calls = isDict(legacy) ? [{ id: legacy.name, function: legacy }] : [];
  return {
    ...others(message, MEMBERS),
    role,
    content: [
      ...(thought ? [{ type: "thinking", thinking: asText(thought) }] : []),
      ...said,
      // It may come as a member and be sent back as a part.
      ...(refusal ? [{ type: "text", text: asText(refusal) }] : []),
      ...(isDict(audio) ? [{ type: "audio", id: audio.id }] : []),
      ...[...dicts(message.tool_calls), ...calls].map(callOf),
    ],
  };
});

/** JSON is read as its value, but not where a number would lose digits by it. */
function callOf(call: Dict): Dict {
  const inner = innerOf(call);
  const { name, arguments: given, input = given } = inner;
  const isWords = isDict(call.custom) || /\d{16}/.test(asText(input));
  return {
    ...{ ...others(call, CALL), ...others(inner, FUNCTION) },
    ...{ type: "tool_use", id: call.id, name, input: isWords ? input : inputOf(input) },
  };
}

/** A part of chat completions, or of Responses. */
function blockOf(part: Dict): Dict {
  const { type } = part;
  switch (type) {
    case "text":
    case "input_text":
    case "output_text": {
      const { annotations: _by, refusal: _said, logprobs: _sure, ...text } = part;
      return { ...text, type: "text" };
    }
    case "refusal":
      return { type: "text", text: part.refusal };
    case "thinking":
      return { type, thinking: jsonText(part.thinking) };
    case "image_url":
    case "input_image": {
      // As the API has it, or as the bare string some servers take.
      const { url = part.image_url ?? part.file_id, ...more } = asDict(part.image_url);
      return mediaBlock(url, "image", more);
    }
    case "input_audio": {
      const { data, format } = asDict(part.input_audio);
      return mediaBlock(data, `audio/${asText(format) || "wav"}`, { format });
    }
    case "file":
    case "input_file": {
      const { file_data: data, filename: title, ...more } = asDict(part.file ?? part);
      if (data) return mediaBlock(data, undefined, defined({ title }));
      return { type: "document", ...defined({ title }), source: more };
    }
    default:
      return part;
  }
}
