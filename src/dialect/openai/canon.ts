import {
  innerOf,
  carriedBy,
  inputOf,
  isAnswer,
  links,
  partsOf,
  roleOf,
  urlOf,
  wordsOf,
} from "./parts.ts";
import { asText, type Dict, isDict } from "../../base/guards.ts";
import { type Message } from "../../model/request.ts";
import { exact, rest, seal, sized } from "../common/canonical.ts";
import { type Canon } from "../common/dialect.ts";
import { bytesKey, dataUrl, urlKey } from "../common/media.ts";
import { ordinalOf } from "../common/pairs.ts";
import { asMessage } from "../common/reading.ts";

/**
 * Read on their own, or written by the provider and not sent back by every caller: reasoning, annotations, what SDKs
 * parse out of a reply.
 */
const MEMBERS: ReadonlySet<string> = new Set([
  ...[
    "role",
    "content",
    "tool_calls",
    "function_call",
    "tool_call_id",
    "tool_call_ids",
    "refusal",
    "audio",
  ],
  ...[
    "reasoning",
    "reasoning_content",
    "reasoning_details",
    "annotations",
    "parsed",
    "provider_specific_fields",
  ],
]);
/** A result's name only repeats its call's. */
const MEMBERS_OF_ANSWER: ReadonlySet<string> = new Set([...MEMBERS, "name"]);
const CALL: ReadonlySet<string> = new Set(["id", "type", "index", "function", "custom"]);
const FUNCTION: ReadonlySet<string> = new Set(["name", "arguments", "parsed_arguments", "input"]);
const TEXT: ReadonlySet<string> = new Set(["type", "text", "refusal", "annotations"]);
const PART: ReadonlySet<string> = new Set(["type", "image_url", "input_audio", "file"]);
const BYTES: ReadonlySet<string> = new Set(["url", "data", "file_data"]);

export function canonOf(messages: readonly Message[], index: number): Canon {
  const message = asMessage(messages[index]);
  const role = `openai ${sized(roleOf(message))}`;
  let content = role;
  let skeleton = role;
  const answer = isAnswer(message);
  if (answer) {
    const ordinal = `R${ordinalOf(links, messages, { index, id: links.results(message)[0] ?? "" })};`;
    content += ordinal;
    skeleton += ordinal;
  }
  for (const part of partsOf(message)) {
    content += partOf(part);
    const words = answer || part.type === "refusal" ? "" : wordsOf(part);
    skeleton += words === "" ? "" : `T${sized(words)}`;
  }
  // A refusal may come as a member and be sent back as a part.
  if (typeof message.refusal === "string") content += refusalOf(message.refusal);
  if (isDict(message.audio)) content += `A${sized(asText(message.audio.id))}`;
  carriedBy(message).forEach(({ kind, name, raw, whole: call }, at) => {
    const inner = innerOf(call);
    content += `C${at};${sized(kind)}${sized(name)}${argumentsOf(kind, raw)}${rest(inner, FUNCTION)}${rest(call, CALL)}`;
    skeleton += `C${at};${sized(name)}`;
  });
  return seal(content + rest(message, answer ? MEMBERS_OF_ANSWER : MEMBERS), skeleton);
}

const refusalOf = (refusal: string): string => (refusal === "" ? "" : `N${sized(refusal)}`);

/** JSON is read as its value, since callers print it anew; but not where a number would lose digits by it. */
function argumentsOf(kind: string, raw: unknown): string {
  if (typeof raw !== "string") return exact(raw);
  return kind === "custom" || /\d{16}/.test(raw) ? exact(raw) : exact(inputOf(raw));
}

function partOf(part: Dict): string {
  switch (part.type) {
    case "text":
      return typeof part.text === "string"
        ? (part.text === "" ? "" : `T${sized(part.text)}`) + rest(part, TEXT)
        : `B${rest(part, NONE)}`;
    case "refusal":
      return refusalOf(asText(part.refusal));
    case "image_url":
      return `I${located(urlOf(part.image_url))}${inner(part.image_url)}${rest(part, PART)}`;
    case "input_audio":
      return `S${encoded(isDict(part.input_audio) ? part.input_audio.data : undefined)}${inner(part.input_audio)}${rest(part, PART)}`;
    case "file":
      return `F${encoded(isDict(part.file) ? part.file.file_data : undefined)}${inner(part.file)}${rest(part, PART)}`;
    default:
      return `B${rest(part, NONE)}`;
  }
}

const NONE: ReadonlySet<string> = new Set();
const inner = (member: unknown): string => (isDict(member) ? rest(member, BYTES) : "");

function located(url: string): string {
  const bytes = dataUrl(url);
  return bytes ? `M${bytesKey(bytes.data)}` : sized(urlKey(url));
}

const encoded = (data: unknown): string =>
  typeof data === "string" && data !== "" ? `M${bytesKey(dataUrl(data)?.data ?? data)}` : "-";
