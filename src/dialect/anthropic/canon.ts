import { asText } from "../../base/guards.ts";
import { type Message } from "../../model/request.ts";
import { contentOf, isCall, isResult, isThinking, links } from "./blocks.ts";
import { exact, loose, nested, rest, seal, sized, textBlock } from "../common/canonical.ts";
import { type Canon } from "../common/dialect.ts";
import { ordinalOf } from "../common/pairs.ts";
import { asMessage } from "../common/reading.ts";

// `caller` names the code block a call came from by an id, and only some callers send it back.
const CALL: ReadonlySet<string> = new Set(["type", "id", "name", "input", "caller"]);
const RESULT: ReadonlySet<string> = new Set([
  "type",
  "tool_use_id",
  "content",
  "is_error",
  "caller",
]);
/** Members of a whole reply, which some callers push back as it came. */
const ENVELOPE: ReadonlySet<string> = new Set([
  ...[
    "role",
    "content",
    "id",
    "type",
    "model",
    "stop_reason",
    "stop_sequence",
    "stop_details",
    "usage",
  ],
  ...["container", "context_management", "diagnostics", "input_transformations"],
]);

export function canonOf(messages: readonly Message[], index: number): Canon {
  const message = asMessage(messages[index]);
  const role = `anthropic ${sized(asText(message.role))}`;
  let content = role;
  let skeleton = role;
  let calls = 0;
  const own = links.calls(message);
  for (const block of contentOf(message)) {
    if (isThinking(block)) continue;
    if (block.type === "text" && typeof block.text === "string") {
      content += textBlock(block, block.text);
      skeleton += block.text === "" ? "" : `T${sized(block.text)}`;
    } else if (isCall(block)) {
      const name = sized(asText(block.name));
      content += `C${calls};${sized(asText(block.type))}${name}${exact(block.input)}${rest(block, CALL)}`;
      skeleton += `C${calls};${name}`;
      calls += 1;
    } else if (isResult(block)) {
      const ordinal = ordinalOf(links, messages, { index, id: asText(block.tool_use_id), own });
      content += `R${ordinal};${sized(asText(block.type))}${block.is_error === true ? "!" : ""}${nested(block.content)}${rest(block, RESULT)}`;
      skeleton += `R${ordinal};`;
    } else content += `B${loose(block)}`;
  }
  return seal(content + rest(message, ENVELOPE), skeleton);
}
