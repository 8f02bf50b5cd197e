import type { ServerResponse } from "node:http";
import { setImmediate } from "node:timers/promises";
import { type Block, isJson, type Json } from "./wire.ts";

/** Characters of one delta; real ones hold a few words. */
const DELTA = 48;

/** A text in parts that cut no character in two. */
function parts(text: string): string[] {
  const cut: string[] = [];
  for (let at = 0; at < text.length;) {
    let end = Math.min(text.length, at + DELTA);
    const code = text.charCodeAt(end - 1);
    if (end < text.length && code >= 0xd800 && code <= 0xdbff) end += 1;
    cut.push(text.slice(at, end));
    at = end;
  }
  return cut;
}

interface Opening {
  readonly start: Json;
  readonly deltas: readonly Json[];
}

function opening(block: Block): Opening {
  switch (block.type) {
    case "text":
      return {
        start: { ...block, text: "" },
        deltas: parts(String(block.text)).map((text) => ({ type: "text_delta", text })),
      };
    case "thinking":
      return {
        start: { ...block, thinking: "", signature: "" },
        deltas: [
          ...parts(String(block.thinking)).map((thinking) => ({
            type: "thinking_delta",
            thinking,
          })),
          { type: "signature_delta", signature: block.signature },
        ],
      };
    case "tool_use":
    case "server_tool_use":
    case "mcp_tool_use": {
      const json =
        isJson(block.input) && Object.keys(block.input).length === 0
          ? ""
          : JSON.stringify(block.input);
      return {
        start: { ...block, input: {} },
        deltas: ["", ...parts(json)].map((partial_json) => ({
          type: "input_json_delta",
          partial_json,
        })),
      };
    }
    default:
      return { start: block, deltas: [] };
  }
}

/** The events of one message, in the order the API sends them. */
export function* eventsOf(
  message: Json & { readonly content: readonly Block[]; readonly usage: Json },
): Generator<Json> {
  const { content, stop_reason, stop_sequence, stop_details, usage, ...rest } = message;
  yield {
    type: "message_start",
    message: {
      ...rest,
      content: [],
      stop_reason: null,
      stop_sequence: null,
      stop_details: null,
      usage: { ...usage, output_tokens: 1 },
    },
  };
  for (const [index, block] of content.entries()) {
    const { start, deltas } = opening(block);
    yield { type: "content_block_start", index, content_block: start };
    if (index === 0) yield { type: "ping" };
    for (const delta of deltas) yield { type: "content_block_delta", index, delta };
    yield { type: "content_block_stop", index };
  }
  const {
    input_tokens,
    cache_creation_input_tokens,
    cache_read_input_tokens,
    output_tokens,
    output_tokens_details,
    server_tool_use,
  } = usage;
  yield {
    type: "message_delta",
    delta: { stop_reason, stop_sequence, stop_details, container: null },
    usage: {
      input_tokens,
      cache_creation_input_tokens,
      cache_read_input_tokens,
      output_tokens,
      output_tokens_details,
      server_tool_use,
    },
  };
  yield { type: "message_stop" };
}

/** Writes the events; one that holds a character of several bytes goes out in two chunks that cut it in the middle. */
export async function sendEvents(
  response: ServerResponse,
  events: Iterable<Json>,
  cutAfter = Infinity,
): Promise<void> {
  let sent = 0;
  for (const event of events) {
    if (response.destroyed) return;
    if (sent >= cutAfter) {
      // What was written must reach the other side before the line is cut.
      await setImmediate();
      response.destroy();
      return;
    }
    const bytes = Buffer.from(`event: ${String(event.type)}\ndata: ${JSON.stringify(event)}\n\n`);
    const wide = bytes.findIndex((byte) => byte >= 0xc0);
    if (wide >= 0) {
      response.write(bytes.subarray(0, wide + 1));
      await setImmediate();
      response.write(bytes.subarray(wide + 1));
    } else response.write(bytes);
    sent += 1;
  }
  response.end();
}
