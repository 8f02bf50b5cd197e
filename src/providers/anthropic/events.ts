import { asDict, asText, type Dict, dictIn, dicts, isDict } from "../../core/base.ts";
import { isCall } from "./blocks.ts";

interface OpenBlock {
  readonly index: unknown;
  readonly block: Record<string, unknown>;
  json: string;
  closed: boolean;
}

/** Members of a block that come in pieces. */
const PIECES = ["text", "thinking", "signature"] as const;
type Piece = (typeof PIECES)[number];
type Kind = "text" | "thinking" | "call" | undefined;

/** The kind of a block that takes pieces of one kind only. */
const kindOf = (block: Dict): Kind => {
  if (isCall(block)) return "call";
  return block.type === "text" || block.type === "thinking" ? block.type : undefined;
};

const wanted = (delta: Dict, piece: Piece | undefined): Kind => {
  if (piece === undefined) return "partial_json" in delta ? "call" : undefined;
  return piece === "text" ? "text" : "thinking";
};

/**
 * Puts a Messages reply together from its events; what was cut off is given as far as it came, and
 * `leftOut` says that something of it was left out. Gateways leave out starts, stops and indexes,
 * or count them anew for each block.
 */
export function gatherMessage() {
  let head: Dict = {};
  const usage: Record<string, unknown> = {};
  let ending: Dict = {};
  let [stopped, lost] = [false, false];
  const blocks: OpenBlock[] = [];

  const openAt = (index: unknown): OpenBlock | undefined =>
    blocks.findLast((open) => !open.closed && (index === undefined || open.index === index));

  function open(index: unknown, block: Dict, closed = false): OpenBlock {
    const opened = { index, block: { ...block }, json: "", closed };
    blocks.push(opened);
    return opened;
  }

  /** Counts are running totals; nothing and null say nothing new. */
  function count(counted: unknown): void {
    for (const [name, value] of Object.entries(asDict(counted)))
      if (value !== null && (value !== 0 || !usage[name])) usage[name] = value;
  }

  function begin(message: Dict): void {
    head = message;
    count(message.usage);
    for (const block of dicts(message.content)) open(undefined, block, true);
  }

  function grow(index: unknown, delta: Dict): void {
    const piece = PIECES.find((name) => typeof delta[name] === "string");
    const found = openAt(index);
    const [is, wants] = [found && kindOf(found.block), wanted(delta, piece)];
    const fits = is === undefined || wants === undefined || is === wants;
    if (found !== undefined && fits) add(found, delta, piece);
    else if (piece !== undefined) add(open(index, { type: wants }), delta, piece);
    // Nothing says which tool is called.
    else lost ||= wants === "call";
  }

  function take(event: Dict): void {
    const { index } = event;
    count(event.usage);
    switch (event.type) {
      case "message_start":
        return begin(asDict(event.message));
      case "message":
        return begin(event);
      case "content_block_start":
        if (isDict(event.content_block)) open(index, event.content_block);
        return;
      case "content_block_delta":
        return grow(index, asDict(event.delta));
      case "content_block_stop": {
        const found = openAt(index);
        if (found) found.closed = true;
        return;
      }
      case "message_delta":
        ending = { ...ending, ...asDict(event.delta) };
        return;
      case "message_stop":
        stopped = true;
    }
  }

  /** The reply as the caller will send it back; undefined when nothing of it came. */
  function message(): Dict | undefined {
    const ended = stopped || typeof ending.stop_reason === "string";
    const made = blocks.map((one, at) =>
      finished({ ...one, closed: one.closed || ended || at < blocks.length - 1 }),
    );
    const content = made.filter((block) => block !== undefined);
    const leftOut = lost || blocks.some(({ block }, at) => isCall(block) && made[at] === undefined);
    return content.length > 0
      ? { role: "assistant", ...head, ...ending, content, usage, leftOut }
      : undefined;
  }

  return { take, message, complete: () => stopped };
}

function add(open: OpenBlock, delta: Dict, piece: Piece | undefined): void {
  const { block } = open;
  if (delta.type === "compaction_delta") Object.assign(block, { ...delta, type: block.type });
  else if (piece !== undefined) block[piece] = asText(block[piece]) + asText(delta[piece]);
  else if (isDict(delta.citation)) block.citations = [...dicts(block.citations), delta.citation];
  else open.json += asText(delta.partial_json);
}

/**
 * Of what was cut off only text is of use: half a call was never made, and half a thought is
 * refused, as empty text is.
 */
function finished({ block, json, closed }: OpenBlock): Dict | undefined {
  if (block.type === "text") return asText(block.text) === "" ? undefined : block;
  if (!closed || (block.type === "thinking" && asText(block.signature) === "")) return undefined;
  if (json === "") return isCall(block) && !isDict(block.input) ? { ...block, input: {} } : block;
  const input = dictIn(json);
  return input && { ...block, input };
}
