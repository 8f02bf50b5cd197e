import { asDict, asText, defined, type Dict, dicts, isDict } from "../../core/base.ts";
import type { Message, Usage } from "../../core/request.ts";
import {
  asMessage,
  blocksOf,
  DEPTH,
  type Dialect,
  isEmptyText,
  isThinking,
  lines,
  type Piece,
  type Reply,
  type Speaker,
  userMessage,
} from "../common/dialect.ts";
import { withTextPart } from "../common/parts.ts";
import {
  base64Source,
  exact,
  hashOf,
  jsonText,
  loose,
  mediaPiece,
  nested,
  overheadOf,
  rest,
  sealedPiece,
  sized,
  textBlock,
  textPiece,
  weigh,
} from "../common/pieces.ts";
import { countsApart, together, unwrap } from "../common/replies.ts";
import { type Links, opensTail, ordinalOf } from "../common/seams-and-thinking.ts";
import {
  contentOf,
  edits,
  handedIn,
  isCall,
  isResult,
  links,
  toCall,
  toResult,
  wordsOf,
} from "./blocks.ts";
import { cacheMarks } from "./cache-marks.ts";

/**
 * Bedrock and Vertex name models so, and take no system message among the others (SDK 1.11,
 * `SystemMessageParam`).
 */
const ELSEWHERE = /(?:^|[./])anthropic\.|@/;

const aside: Dialect["aside"] = {
  best(request, { can, sends }) {
    if (!can.midConversationSystem || ELSEWHERE.test(asText(request.model).toLowerCase()))
      return "text";
    // A tool's result is the user's message too: in a loop such a one would be gone after the
    // first step.
    const loops = dicts(request.tools).length > 0;
    return can.clearAt !== undefined && sends(can.clearAt) && !loops ? "cleared" : "system";
  },
  message: (text, as) => ({
    role: "system",
    content: text,
    ...defined({ clear_at: as === "cleared" ? "next_user_message" : undefined }),
  }),
  // The assistant must answer it.
  mayPrecede: (next) => next === undefined || next.role === "assistant",
};

const roleOf = (message: Message): string => asText(asMessage(message).role);

function speaker(message: Message): Speaker {
  const role = roleOf(message);
  if (role === "assistant") return "assistant";
  if (role === "system" || role === "developer") return "system";
  const written = contentOf(message).filter((block) => !isEmptyText(block));
  return written.length > 0 && written.every(isResult) ? "tool" : "user";
}

/**
 * Samplings whose prompt is the conversation. The others ("compaction", "advisor_message") read
 * something else.
 */
const OF_THE_WINDOW = new Set(["message", "fallback_message"]);

function usageOf(reported: Dict): Usage {
  return asUsage(
    dicts(reported.iterations).findLast(({ type }) => OF_THE_WINDOW.has(asText(type))) ?? reported,
  );
}

const asUsage = ({ cache_creation: made, ...given }: Dict): Usage =>
  countsApart({
    input: given.input_tokens,
    cacheWrite: given.cache_creation_input_tokens,
    hour: isDict(made) ? (made.ephemeral_1h_input_tokens ?? 0) : undefined,
    cacheRead: given.cache_read_input_tokens,
    output: given.output_tokens,
  });

/**
 * All that is paid for: what the provider reports of the call, and its summaries, which it does not
 * count in (SDK 1.11).
 */
const billOf = (reported: Dict): Usage =>
  dicts(reported.iterations)
    .filter(({ type }) => type === "compaction")
    .map(asUsage)
    .reduce(together, asUsage(reported));

function reply(given: unknown): Reply | undefined {
  const { reply: message, usage } = unwrap(given);
  if (!isDict(message) || (message.role ?? "assistant") !== "assistant") return undefined;
  const { content, stop_reason: stop } = message;
  if (typeof content !== "string" && !Array.isArray(content)) return undefined;
  return {
    message: { role: "assistant", content },
    usage: isDict(usage) ? usageOf(usage) : undefined,
    billed: isDict(usage) && dicts(usage.iterations).length > 0 ? billOf(usage) : undefined,
    stop: typeof stop === "string" ? stop : undefined,
    // Null stands in the first event of a stream until the last but one says why it ended.
  };
}

/**
 * A summary the provider has written at a threshold stands first in the reply that came with it;
 * one without words is none.
 */
const holdsSummary = ({ content }: Message): boolean => {
  const first = asDict(dicts(content)[0]);
  return first.type === "compaction" && asText(first.content) !== "";
};

/**
 * How messages are read, through what each is in the words of this API, and what else most lenses
 * share: prompts of the AI SDK are read so too.
 */
export function reading(view: (message: Message) => Message, name = "anthropic") {
  const seen: Links = {
    calls: (message) => links.calls(view(message)),
    results: (message) => links.results(view(message)),
    role: (message) => view(message).role,
  };
  const blocks = (message: Message): readonly Dict[] => contentOf(view(message));
  return {
    speaker: (message) => speaker(view(message)),
    text: (message) => lines(blocks(message).map(wordsOf)),
    handed: (message) => handedIn(view(message)),
    calls: (message) => blocks(message).filter(isCall).map(toCall),
    results: (message) => blocks(message).filter(isResult).map(toResult),
    pieces: (message) => blocks(message).flatMap((block) => piecesOf(block)),
    thinks: (message) =>
      typeof asMessage(message).content !== "string" && blocks(message).some(isThinking),
    canon: (messages, index) =>
      canonOf(view(asMessage(messages[index])), { messages, index, seen, name }),
    opensTail: (messages, index) => opensTail(seen, messages, index),
    overhead: (request) => overheadOf(request, weigh),
    withText: withTextPart,
    userMessage,
  } satisfies Partial<Dialect>;
}

/** The Anthropic Messages API, beta blocks included. */
export const anthropic: Dialect = {
  format: "anthropic",
  provider: "anthropic",
  joinsTurns: true,
  systemNeedsReply: true,
  marks: cacheMarks,
  aside,
  ...reading((message) => message),
  overhead: (request) => overheadOf(request, piecesOf),
  unread: (messages) => Math.max(0, messages.findLastIndex(holdsSummary)),
  preamble: () => 0,
  ...edits,
  reply,
};

const sealed = (data: string): Piece[] => (data === "" ? [] : [sealedPiece(data)]);

const textIn = (value: unknown): string => (typeof value === "string" ? value : jsonText(value));

/** All that costs tokens in a block. */
function piecesOf(block: Dict, depth = 0): Piece[] {
  if (depth > DEPTH) return [];
  const inside = (content: unknown) =>
    blocksOf(content).flatMap((nested) => piecesOf(nested, depth + 1));
  if (isCall(block)) return [block.name, block.input].map(textIn).flatMap(textPiece);
  if (isResult(block)) return inside(block.content);
  switch (block.type) {
    case "text":
      return textPiece(asText(block.text));
    case "image":
      return [mediaPiece(bytesOf(block.source), "image")];
    case "document":
    case "search_result":
    case "web_fetch_result":
      return [
        ...["title", "context", "source", "url"].flatMap((name) => textPiece(asText(block[name]))),
        ...(isDict(block.source) ? sourcePieces(block.source, inside) : []),
        ...inside(block.content),
      ];
    case "thinking":
      // Newer models may keep the words back: then the signature carries them, encrypted.
      return asText(block.thinking) === ""
        ? sealed(asText(block.signature))
        : textPiece(asText(block.thinking));
    case "redacted_thinking":
      return sealed(asText(block.data));
    case "compaction":
      return asText(block.content) === ""
        ? sealed(asText(block.encrypted_content))
        : textPiece(asText(block.content));
    default:
      return weigh(block);
  }
}

const bytesOf = (source: unknown) => base64Source(asDict(source)) ?? {};

function sourcePieces(source: Dict, inside: (content: unknown) => Piece[]): Piece[] {
  if (source.type === "text") return textPiece(asText(source.data));
  if (source.type === "content") return inside(source.content);
  return [mediaPiece(bytesOf(source))];
}

// `caller` names the code block a call came from by an id, and only some callers send it back.
const CALL = new Set(["type", "id", "name", "input", "caller"]);
const RESULT = new Set(["type", "tool_use_id", "content", "is_error", "caller"]);
/** Members of a whole reply, which some callers push back as it came. */
const ENVELOPE = new Set(
  (
    "role content id type model stop_reason stop_sequence stop_details usage container " +
    "context_management diagnostics " +
    "input_transformations"
  ).split(" "),
);

function canonOf(
  message: Message,
  {
    messages,
    index,
    seen,
    name: format,
  }: { messages: readonly Message[]; index: number; seen: Links; name: string },
): string {
  const role = `${format} ${sized(asText(message.role))}`;
  let content = role;
  let calls = 0;
  const own = links.calls(message);
  for (const block of contentOf(message)) {
    if (isThinking(block)) continue;
    if (block.type === "text" && typeof block.text === "string") {
      content += textBlock(block, block.text);
    } else if (isCall(block)) {
      const name = sized(asText(block.name));
      content += `C${calls};${sized(asText(block.type))}${name}`;
      content += `${exact(block.input)}${rest(block, CALL)}`;
      calls += 1;
    } else if (isResult(block)) {
      const ordinal = ordinalOf(seen, messages, { index, id: asText(block.tool_use_id), own });
      content += `R${ordinal};${sized(asText(block.type))}${block.is_error === true ? "!" : ""}`;
      content += `${nested(block.content)}${rest(block, RESULT)}`;
    } else content += `B${loose(block)}`;
  }
  return hashOf(content + rest(message, ENVELOPE));
}
