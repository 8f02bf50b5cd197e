import { asDict, asText, type Dict, dictIn, dicts, isDict } from "../../base/guards.ts";

interface OpenBlock {
  block: Record<string, unknown>;
  json: string;
  closed: boolean;
}

/** Members of a block that come in pieces: text, thinking, signature. */
const PIECES: Readonly<Record<string, string>> = {
  text_delta: "text",
  thinking_delta: "thinking",
  signature_delta: "signature",
};

/** Puts a Messages reply together from its events; what was cut off is given as far as it came. */
export function gatherMessage() {
  let head: Dict | undefined;
  let usage: Record<string, unknown> = {};
  let ending: Dict = {};
  let stopped = false;
  const blocks = new Map<number, OpenBlock>();

  function take(event: Dict): void {
    const index = typeof event.index === "number" ? event.index : -1;
    switch (event.type) {
      case "message_start":
        head = asDict(event.message);
        usage = { ...asDict(head.usage) };
        break;
      case "content_block_start":
        if (isDict(event.content_block))
          blocks.set(index, { block: { ...event.content_block }, json: "", closed: false });
        break;
      case "content_block_delta":
        grow(blocks.get(index), asDict(event.delta));
        break;
      case "content_block_stop": {
        const open = blocks.get(index);
        if (open) open.closed = true;
        break;
      }
      case "message_delta":
        ending = { ...ending, ...asDict(event.delta) };
        // Counts are running totals; a null says nothing new.
        for (const [name, value] of Object.entries(asDict(event.usage)))
          if (value !== null) usage[name] = value;
        break;
      case "message_stop":
        stopped = true;
        break;
    }
  }

  /** The reply as the caller will send it back; undefined when nothing of it came. */
  function message(): Dict | undefined {
    if (!head) return undefined;
    const content = [...blocks]
      .sort(([a], [b]) => a - b)
      .flatMap(([, open]) => finished(open) ?? []);
    return content.length > 0 ? { ...head, ...ending, content, usage } : undefined;
  }

  return { take, message, complete: () => stopped };
}

function grow(open: OpenBlock | undefined, delta: Dict): void {
  if (!open) return;
  const name = PIECES[asText(delta.type)];
  if (name !== undefined) open.block[name] = asText(open.block[name]) + asText(delta[name]);
  else if (delta.type === "input_json_delta") open.json += asText(delta.partial_json);
  else if (delta.type === "citations_delta" && isDict(delta.citation))
    open.block.citations = [...dicts(open.block.citations), delta.citation];
  else if (delta.type === "compaction_delta")
    Object.assign(open.block, { ...delta, type: open.block.type });
}

/**
 * Of what was cut off only text is of use: half a call was never made, and half a thought is
 * refused, as empty text is.
 */
function finished({ block, json, closed }: OpenBlock): Dict | undefined {
  if (block.type === "text") return asText(block.text) === "" ? undefined : block;
  if (!closed || (block.type === "thinking" && asText(block.signature) === "")) return undefined;
  if (json === "") return block;
  const input = dictIn(json);
  return input && { ...block, input };
}
